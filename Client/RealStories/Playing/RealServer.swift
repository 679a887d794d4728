internal import Foundation
internal import Glibc

/// One of the servers of a story: its data, and its process while it runs.
final class RealServer {
    private static let startSeconds = 20.0

    let data: String
    /// Its number among the story's servers, and the relay's listener before it.
    let number: Int
    private let folder: String
    private let relay: Relay
    private var process: RunningProcess?
    private var startCount = 0
    private(set) var pin = ""

    init(folder: String, number: Int, relay: Relay) {
        (self.folder, self.number, self.relay) = (folder, number, relay)
        data = "\(folder)/server-\(number + 1)"
    }

    var address: String { relay.addresses[number] }

    func start(_ path: String, in processes: Processes) throws {
        startCount += 1
        let process = try processes.start(
            path,
            [
                "serve", "--data", data, "--listen", "127.0.0.1:0", "--origin", address,
                "--registration", "open",
            ],
            log: "\(data)-\(startCount)"
        )
        self.process = process
        let line = /listening on https:\/\/127\.0\.0\.1:(\d+) pin (sha256\/\/[^ ]{44})\n/
        let end = ContinuousClock.now + .seconds(Self.startSeconds)
        while ContinuousClock.now < end, process.isRunning {
            if let match = process.output.firstMatch(of: line), let port = UInt16(match.1) {
                pin = String(match.2)
                relay.setServer(number, port: port)
                return
            }
            usleep(5000)
        }
        throw PlayError.serverFailed(says: process.errors)
    }

    func stop() {
        relay.setServer(number, port: nil)
        process?.end(by: SIGTERM)
        process = nil
    }

    // MARK: Its files

    private var store: String { data + "/store.sqlite" }

    func removeStore() throws {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: data) where name.hasPrefix("store") {
            try files.removeItem(atPath: "\(data)/\(name)")
        }
    }

    func putStoreBack(_ backup: String) throws {
        try removeStore()
        try FileManager.default.copyItem(atPath: backup, toPath: store)
    }

    /// Copies the data, for another server.
    func copyData(to server: RealServer) throws {
        try FileManager.default.copyItem(atPath: data, toPath: server.data)
        // The copy is a server of its own: nobody else has locked its directory.
        try? FileManager.default.removeItem(atPath: server.data + "/lock")
    }

    /// Whether a text stands anywhere in its files.
    func holds(_ text: String) throws -> Bool {
        let bytes = Data(text.utf8)
        return try FileManager.default.subpathsOfDirectory(atPath: data).contains { name in
            // Folders have no bytes.
            (try? Data(contentsOf: URL(filePath: "\(data)/\(name)")))?.range(of: bytes) != nil
        }
    }
}
