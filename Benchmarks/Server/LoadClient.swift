internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A request of the load, with all that the server needs to answer it.
struct LoadRequest: Sendable {
    var method = "GET"
    var path: String
    var token: String
    var body: [UInt8]?
}

/// The outcome of many requests.
struct LoadOutcome {
    var microseconds: [UInt32] = []
    /// By status; 0 for an ended connection.
    var failures: [Int: Int] = [:]
    var seconds = 0.0

    var latencies: Latencies { Latencies(microseconds) }
    var perSecond: Double { seconds > 0 ? Double(microseconds.count) / seconds : 0 }

    var failureText: String {
        failures.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            .joined(separator: ", ")
    }
}

/// All connections of a run, on one thread.
final class LoadClient {
    /// How many connections are made at once.
    private static let handshakesMax = 32

    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let tls: NIOSSLContext

    init() throws { tls = try LoadConnection.makeTLS() }

    func end() throws { try group.syncShutdownGracefully() }

    func connect(_ count: Int, port: Int) throws -> [LoadConnection] {
        var connections: [LoadConnection] = []
        while connections.count < count {
            let number = min(Self.handshakesMax, count - connections.count)
            let opening = (0..<number).map { _ in
                LoadConnection.open(on: group.next(), port: port, tls: tls)
            }
            connections += try EventLoopFuture.whenAllSucceed(opening, on: group.next()).wait()
        }
        return connections
    }

    func close(_ connections: [LoadConnection]) {
        for connection in connections {
            // A connection that the server has closed is closed.
            try? connection.close().wait()
        }
    }

    /// Each connection sends its requests one by one, until none is left or the time is up.
    func closedLoop(
        _ connections: [LoadConnection],
        for limit: TimeAmount,
        next: @escaping @Sendable (Int) -> LoadRequest?
    ) throws -> LoadOutcome {
        let run = LoopedRun(eventLoop: group.next(), end: .now() + limit, next: next)
        return try run.start(connections).wait()
    }

    /// Requests at fixed times, in turn over the connections, however long the answers take; each
    /// is measured from the time at which it was due.
    func openLoop(
        _ connections: [LoadConnection],
        perSecond: Int,
        for limit: TimeAmount,
        next: @escaping @Sendable (Int) -> LoadRequest
    ) throws -> LoadOutcome {
        let run = TimedRun(
            connections,
            perSecond: perSecond,
            limit: limit,
            next: next
        )
        return try run.start(on: group.next()).wait()
    }
}

/// A closed loop under way.
private final class LoopedRun: @unchecked Sendable {
    // Safety: everything but the start runs on the one event loop.
    private let eventLoop: any EventLoop
    private let end: NIODeadline
    private let next: @Sendable (Int) -> LoadRequest?
    private let promise: EventLoopPromise<LoadOutcome>
    private let begin = NIODeadline.now()
    private var outcome = LoadOutcome()
    private var running = 0

    init(
        eventLoop: any EventLoop,
        end: NIODeadline,
        next: @escaping @Sendable (Int) -> LoadRequest?
    ) {
        (self.eventLoop, self.end, self.next) = (eventLoop, end, next)
        promise = eventLoop.makePromise(of: LoadOutcome.self)
    }

    func start(_ connections: [LoadConnection]) -> EventLoopFuture<LoadOutcome> {
        eventLoop.execute { [self] in
            running = connections.count
            for (index, connection) in connections.enumerated() { step(index, connection) }
        }
        return promise.futureResult
    }

    private func step(_ index: Int, _ connection: LoadConnection) {
        let start = NIODeadline.now()
        guard start < end, let request = next(index) else { return finish() }
        connection.send(request).whenComplete { [self] result in
            outcome.note(result, since: start)
            guard case .success = result else { return finish() }
            step(index, connection)
        }
    }

    private func finish() {
        running -= 1
        guard running == 0 else { return }
        outcome.seconds = Double((NIODeadline.now() - begin).nanoseconds) / 1e9
        promise.succeed(outcome)
    }
}

/// An open loop under way.
private final class TimedRun: @unchecked Sendable {
    // Safety: everything but the start runs on the one event loop.
    private let connections: [LoadConnection]
    private let perSecond: Int
    private let count: Int
    private let limit: TimeAmount
    private let next: @Sendable (Int) -> LoadRequest
    private var begin = NIODeadline.now()
    private var sent = 0
    private var answered = 0
    private var outcome = LoadOutcome()
    private var promise: EventLoopPromise<LoadOutcome>?

    init(
        _ connections: [LoadConnection],
        perSecond: Int,
        limit: TimeAmount,
        next: @escaping @Sendable (Int) -> LoadRequest
    ) {
        (self.connections, self.perSecond, self.limit) = (connections, perSecond, limit)
        count = Int(Double(perSecond) * Double(limit.nanoseconds) / 1e9)
        self.next = next
    }

    func start(on eventLoop: any EventLoop) -> EventLoopFuture<LoadOutcome> {
        let promise = eventLoop.makePromise(of: LoadOutcome.self)
        eventLoop.execute { [self] in
            self.promise = promise
            begin = .now()
            tick(eventLoop)
        }
        return promise.futureResult
    }

    private func tick(_ eventLoop: any EventLoop) {
        let elapsed = Double((NIODeadline.now() - begin).nanoseconds) / 1e9
        let due = min(count, Int(elapsed * Double(perSecond)) + 1)
        while sent < due {
            let number = sent
            sent += 1
            let start = begin + .nanoseconds(Int64(number) * 1_000_000_000 / Int64(perSecond))
            connections[number % connections.count].send(next(number)).whenComplete { [self] in
                outcome.note($0, since: start)
                answered += 1
                guard answered == count else { return }
                outcome.seconds = Double((NIODeadline.now() - begin).nanoseconds) / 1e9
                promise?.succeed(outcome)
            }
        }
        guard sent < count else { return }
        eventLoop.scheduleTask(in: .microseconds(500)) { [self] in tick(eventLoop) }
    }
}

extension LoadConnection {
    func send(_ request: LoadRequest) -> EventLoopFuture<Answer> {
        self.request(request.method, request.path, token: request.token, body: request.body)
    }
}

extension LoadOutcome {
    fileprivate mutating func note(
        _ result: Result<LoadConnection.Answer, any Error>,
        since start: NIODeadline
    ) {
        let status =
            switch result {
            case .success(let answer): answer.status
            case .failure: 0
            }
        guard status == 200 else {
            failures[status, default: 0] += 1
            return
        }
        microseconds.append(UInt32(clamping: (NIODeadline.now() - start).nanoseconds / 1000))
    }
}
