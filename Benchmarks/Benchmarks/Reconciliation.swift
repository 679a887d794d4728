internal import Foundation

/// The built programs, a server among them: what a device needs to put a restored server right.
struct Reconciliation {
    private static let recordCount = 100_000
    /// What the backup lacks.
    private static let differenceCount = 100
    private static let aimSeconds = 60.0

    let programs: String
    let folder: String

    private var statusFile: String { folder + "/status.txt" }

    func measure() throws {
        let account = try ServedAccount(programs: programs, folder: folder)
        let (first, port, pin) = try account.serve()
        do {
            try account.signUp("https://127.0.0.1:\(port)", pin, "laptop")
            try fill(account)
        } catch {
            first.stop()
            throw error
        }
        first.stop()
        defer { account.stop("laptop") }
        let backup = folder + "/backup"
        let restore = ["restore", backup, "--force", "--data", account.serverData]
        try Program.run(programs + "/sync-server", restore)
        let daemon = try DaemonProcess(home: account.home("laptop"))
        let before = try daemon.processorSeconds()
        let (server, _, _) = try account.serve(port: port)
        defer { server.stop() }
        let seconds = try ContinuousClock().measure { try waitForEnd(account) } / .seconds(1)
        let busy = try daemon.processorSeconds() - before
        let result = verdict(isReached: seconds <= Self.aimSeconds)
        func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }
        print(
            "put a restored server right, \(Self.recordCount) records of which it lacks"
                + " \(Self.differenceCount): \(text(seconds)), \(text(busy)) of a processor"
                + " (aim \(text(Self.aimSeconds)): \(result))"
        )
    }

    /// An account whose server has all records, and a backup that lacks the newest.
    private func fill(_ account: ServedAccount) throws {
        try account.add(0..<Self.recordCount, to: "laptop")
        try Program.run(
            programs + "/sync-server",
            ["backup", folder + "/backup", "--data", account.serverData]
        )
        let newest = Self.recordCount..<Self.recordCount + Self.differenceCount
        try account.add(newest, to: "laptop")
    }

    /// Waits until the device has compared all, and has sent what the server lacks.
    private func waitForEnd(_ account: ServedAccount) throws {
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < .seconds(600) {
            // It fails while the server is being compared; what counts is the end.
            try? account.run("laptop", ["sync"])
            // The same here: a status that shows a problem ends with 1.
            try? account.run("laptop", ["status"], output: statusFile)
            let shown = try String(contentsOfFile: statusFile, encoding: .utf8)
            let isEnded = shown.contains(": the server was restored or replaced: ")
            if isEnded, shown.contains("\nunsent       0\n") { return }
            usleep(100_000)
        }
        throw Program.Failed()
    }
}
