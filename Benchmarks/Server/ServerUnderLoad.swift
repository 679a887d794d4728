internal import Foundation
internal import KSDigests
internal import KSRecords
internal import KSWire

/// A `sync-server` in a process of its own.
final class ServerUnderLoad {
    struct NotStarted: Error {}

    let port: Int
    private let adminPort: Int
    private let process: Process
    private let secret: [UInt8]
    /// From the start of the process until it printed its line.
    let startSeconds: Double

    /// - Parameters:
    ///   - program: the path of `sync-server`.
    ///   - data: where its certificate is, and its store if `store` is nil.
    ///   - store: the address of a database.
    ///   - log: gets what it writes to standard error.
    /// - Throws: ``NotStarted`` if it ends without its line.
    init(program: String, data: String, store: String? = nil, log: String) throws {
        let adminPort = Int.random(in: 20_000..<30_000)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments =
            ["serve", "--listen", "127.0.0.1:0", "--data", data]
            + (store.map { ["--store", $0] } ?? [])
            + [
                "--admin", "\(adminPort)", "--connections-per-address", "16384", "--log-level",
                "warning",
            ]
        let output = Pipe()
        process.standardOutput = output
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: log)
        let start = ContinuousClock.now
        try process.run()
        var line = ""
        while !line.contains("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw NotStarted() }
            line += String(decoding: more, as: UTF8.self)
        }
        startSeconds = (ContinuousClock.now - start) / .seconds(1)
        guard let address = line.split(separator: " ").first(where: { $0.hasPrefix("https://") }),
            let port = address.split(separator: ":").last.flatMap({ Int($0) })
        else { throw NotStarted() }
        self.port = port
        self.adminPort = adminPort
        self.process = process
        if store == nil {
            guard let key = FileManager.default.contents(atPath: data + "/token.secret") else {
                throw NotStarted()
            }
            secret = Array(key)
        } else {
            secret = []
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    // MARK: What it costs

    /// Memory that no file backs.
    var anonymousBytes: Int {
        let lines = Machine.contents(of: "/proc/\(process.processIdentifier)/status")
            .split(separator: "\n")
        let line = lines.first { $0.hasPrefix("RssAnon:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// Processor time so far.
    var processorSeconds: Double {
        Machine.processorSeconds(of: Int(process.processIdentifier))
    }

    /// Batches and commits so far, from its metrics.
    func commits() throws -> (batches: Double, count: Double) {
        let text = try Command.output(
            "/usr/bin/env",
            ["curl", "-sf", "http://127.0.0.1:\(adminPort)/metrics"]
        )
        func value(_ name: String) -> Double {
            text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?
                .split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        }
        return (
            value("sync_server_commit_batches_sum"), value("sync_server_commit_batches_count")
        )
    }

    // MARK: Sessions

    /// A token as the server itself makes it: thousands of log-ins would meet its limits.
    func token(of device: MemberID, in account: AccountID, secret other: [UInt8]? = nil) -> String {
        let expiry = UInt64(Date().timeIntervalSince1970) + Limits.sessionSeconds - 5
        var encoder = CanonicalEncoder(label: "token")
        encoder.fixed(account)
        encoder.fixed(device)
        encoder.integer(expiry)
        var label = CanonicalEncoder(label: "server secret")
        label.string("sessions")
        label.bytes([])
        let key = Self.authenticate(label.encoded, key: other ?? secret)
        return Base64URL.encode(
            encoder.encoded + Self.authenticate(encoder.encoded, key: key)
        )
    }

    /// HMAC-SHA-256 (RFC 2104).
    private static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 } + message)
        return SHA256.hash(block.map { $0 ^ 0x5C } + inner)
    }
}

/// A program that runs to its end.
enum Command {
    struct Failed: Error {
        let text: String
    }

    /// - Throws: ``Failed`` with what it printed, if its exit status is not 0.
    static func output(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Failed(text: text) }
        return text
    }
}
