internal import Foundation
internal import KSCausality
internal import KSRecords
internal import KSSealing
internal import KSStore
internal import KSWire
internal import NIOCore
internal import SwiftProtobuf
internal import Synchronization

extension EmbeddedRun {
    /// Devices that write, pull, listen, come and go; the server's memory has to stay where it is.
    func mixed() throws {
        let server = try start()
        defer { server.stop() }
        let client = try LoadClient()
        let pulls = try quietPulls(500, server: server)
        var samples: [(seconds: Double, bytes: Int)] = []
        let begin = ContinuousClock.now
        var total = LoadOutcome()
        var listening: [LoadConnection] = []
        while (ContinuousClock.now - begin) / .seconds(1) < Double(options.mixedSeconds) {
            // Half of the listeners go, and as many come.
            let gone = Array(listening.prefix(100))
            client.close(gone)
            listening.removeFirst(gone.count)
            while listening.count < 200 {
                let connection = try client.connect(1, port: server.port)[0]
                let number = Int.random(in: 1...contents.accounts)
                let account = MadeAccount(number, devices: contents.devices)
                let token = server.token(of: account.devices[0].memberID, in: account.id)
                _ = connection.listen(token: token) { _ in }
                listening.append(connection)
            }
            let connections = try client.connect(50, port: server.port)
            let mix = try Mix(run: self, server: server, pulls: pulls)
            let outcome = try client.openLoop(connections, perSecond: 300, for: .seconds(10)) {
                mix.request($0)
            }
            client.close(connections)
            total.microseconds += outcome.microseconds
            total.failures.merge(outcome.failures) { $0 + $1 }
            samples.append(((ContinuousClock.now - begin) / .seconds(1), server.anonymousBytes))
        }
        client.close(listening)
        try client.end()
        show(samples, total, used: server.processorSeconds)
    }

    private func show(
        _ samples: [(seconds: Double, bytes: Int)],
        _ total: LoadOutcome,
        used: Double
    ) {
        // The last quarter is compared with the second one: what a server takes in the beginning
        // stays, such as caches and a buffer for each thread.
        let part = max(1, samples.count / 4)
        func mean(_ samples: ArraySlice<(seconds: Double, bytes: Int)>) -> Double {
            samples.reduce(0) { $0 + Double($1.bytes) } / Double(max(samples.count, 1)) / 1e6
        }
        let early = mean(samples.dropFirst(part).prefix(part))
        let late = mean(samples.suffix(part))
        let minutes = Double(samples.count) / 6
        Report.show(
            "\(Report.text(minutes)) minutes of mixed load, growth of memory",
            late / early * 100 - 100,
            "%",
            atMost: 5
        )
        Report.show("  memory", "\(Report.text(early)) MB, then \(Report.text(late)) MB")
        Report.show("  " + total.latencies.text, total.failureText)
        Report.show(
            "  processor a request, with all else",
            "\(Report.text(used / Double(max(total.microseconds.count, 1)) * 1e6)) µs"
        )
    }
}

/// Ten seconds of requests: six of ten find nothing, two write, one downloads, one is refused.
private final class Mix: Sendable {
    private let pulls: [LoadRequest]
    private let downloads: [LoadRequest]
    private let pushes: [LoadRequest]
    private static let count = 64

    init(run: EmbeddedRun, server: ServerUnderLoad, pulls: [LoadRequest]) throws {
        self.pulls = pulls
        let store = try run.reading()
        var pushes: [LoadRequest] = []
        var downloads: [LoadRequest] = []
        for number in 1...min(Self.count, run.contents.accounts) {
            let account = MadeAccount(number, devices: run.contents.devices)
            let state = try run.state(account, in: store)
            let writer = Int.random(in: 0..<account.devices.count)
            var sealed = MadeWriter(
                account,
                device: writer,
                actor: .random(in: 1 << 32...UInt64(Int64.max)),
                epoch: state.cursor.epoch
            )
            let token = server.token(of: sealed.device.memberID, in: account.id)
            for _ in 0..<10 {
                pushes.append(
                    LoadRequest(
                        method: "POST",
                        path: "/v1/batches",
                        token: token,
                        body: try WirePushRequest(sealed.batch(of: 1), applied: nil)
                            .serializedBytes()
                    )
                )
            }
            downloads.append(LoadRequest(path: "/v1/changes?limit=100", token: token))
        }
        try store.close()
        (self.pushes, self.downloads) = (pushes, downloads)
    }

    func request(_ number: Int) -> LoadRequest {
        let turn = number / 10
        switch number % 10 {
        // Each device's batches in their order; they are all sent once.
        case 0, 5:
            let index = turn * 2 + (number % 10 == 0 ? 0 : 1)
            let device = index % (pushes.count / 10)
            let batch = index / (pushes.count / 10) % 10
            return pushes[device * 10 + batch]
        case 3: return downloads[turn % downloads.count]
        default: return pulls[number % pulls.count]
        }
    }
}
