import Glibc
import Synchronization
import Testing

import KSAgent

/// Programs that send calls and do not read the answers.
@Suite(.timeLimit(.minutes(10)))
struct SlowReaderTests {
    let directory = TemporaryDirectory()

    private static let answer = AgentReply.result(
        .data([UInt8](repeating: 7, count: 256 << 10))
    )

    private func frame(_ id: UInt64, _ call: String) -> [UInt8] {
        AgentMessage.request(AgentRequest(id: id, call: call, arguments: [:])).frame ?? []
    }

    @Test(arguments: [true, false])
    func `a program that does not read gets no further answers, and all of them once it reads`(
        atOnce: Bool
    ) async throws {
        let home = try directory.home()
        let calls = Mutex(0)
        let (answers, answer) = AsyncStream.makeStream(of: Int.self)
        let listener = try AgentListener(
            lock: try AgentLock(home: home),
            handler: { request, _ in
                guard request.call == "large" else { return .later { _ in .result(1) } }
                answer.yield(
                    calls.withLock { calls in
                        calls += 1
                        return calls
                    }
                )
                return atOnce ? .now(Self.answer) : .later { _ in Self.answer }
            }
        )
        try listener.start()
        defer { listener.stop() }
        let socket = try await blocking { try RawConnection(home) }
        let count = 100
        socket.send((1...UInt64(count)).flatMap { frame($0, "large") })
        for await answered in answers where answered > 2 { break }
        // Others are served meanwhile. Each round is enough to answer one more, or all of them.
        try await blocking {
            let other = try AgentClient(home: home, startsDaemon: false)
            for _ in 0..<10 * count { #expect(try other.call("small") == 1) }
        }
        #expect(calls.withLock { $0 } < 20)

        let last = AgentMessage.reply(id: UInt64(count), Self.answer)
        let replies = try await blocking { try Self.messages(socket) { $0 == last } }
        #expect(replies == (1...UInt64(count)).map { .reply(id: $0, Self.answer) })
    }

    /// A program that watches notices by its number that it has missed some.
    @Test(arguments: [false, true])
    func `a program that does not read misses progress, but not the last one`(
        callEnds: Bool
    ) async throws {
        let home = try directory.home()
        let text = String(repeating: "x", count: 64 << 10)
        let (news, continuation) = AsyncStream.makeStream(of: Void.self)
        let listener = try AgentListener(lock: try AgentLock(home: home)) { _, _, report in
            for done in 0..<200 as Range<UInt64> {
                report(AgentProgress(done: done, total: 200, text: text))
            }
            continuation.finish()
            // It ends with the connection, whose call is cancelled then.
            if !callEnds { try? await Task.sleep(for: .seconds(3600)) }
            return .result(1)
        }
        try listener.start()
        defer { listener.stop() }
        let socket = try await blocking { try RawConnection(home) }
        socket.send(frame(1, "progress"))
        for await _ in news {}
        // The reply says that a call has ended, so it may stand for the last progress.
        let last: AgentMessage =
            callEnds
            ? .reply(id: 1, .result(1))
            : .progress(id: 1, AgentProgress(done: 199, total: 200, text: text))
        let messages = try await blocking { try Self.messages(socket) { $0 == last } }
        #expect(messages.count < 100)
        #expect(messages.last == last)
    }

    @Test
    func `a program that is always behind does not make the daemon keep sent answers`() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let reader = ends[1]
        defer { close(reader) }
        let peer = AgentPeer(processID: 1, userID: 0, executable: nil)
        let connection = AgentConnection(descriptor: ends[0], peer: peer)
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        for id in 1...200 as ClosedRange<UInt64> {
            let request = AgentRequest(id: id, call: "large", arguments: [:])
            _ = connection.finish(request, Self.answer)
            // The reader is some answers behind, and reads at the speed of the writer.
            guard id > 4 else { continue }
            var left = buffer.count
            while left > 0 {
                let count = unsafe read(reader, &buffer, left)
                try #require(count > 0)
                left -= count
                connection.flush()
            }
            #expect(connection.answerBytes < 4 << 20)
        }
    }

    /// Reads messages up to the last one.
    private static func messages(
        _ socket: RawConnection,
        isLast: (AgentMessage) -> Bool
    ) throws -> [AgentMessage] {
        var parser = AgentFrameParser()
        var messages: [AgentMessage] = []
        while true {
            let bytes = socket.receive()
            guard !bytes.isEmpty else { return messages }
            parser.receive(bytes)
            while let contents = try parser.next() {
                let message = try AgentMessage(decoding: contents)
                messages.append(message)
                if isLast(message) { return messages }
            }
        }
    }
}
