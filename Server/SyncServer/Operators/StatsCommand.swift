internal import ArgumentParser
internal import Foundation
internal import KSBytes
internal import KSStore

struct StatsCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows how much the store holds and how old its backup is."
    )

    @OptionGroup
    var options: OperatorOptions

    private struct Stats: Encodable {
        let accounts: UInt64
        let suspended: UInt64
        let records: UInt64
        let storedBytes: UInt64
        let fileBytes: UInt64?
        let freeBytes: UInt64?
        /// Seconds since 1970; nil before the first backup.
        let backupSeconds: UInt64?
    }

    func perform() async throws {
        let figures = try withStore { try $0.figures(quotaBytes: nil) }
        // A database is on other disks, and has its own backups.
        let directory = options.place.address == nil ? options.place.directory : nil
        let shown = Stats(
            accounts: figures.accounts,
            suspended: figures.suspendedAccounts,
            records: figures.records,
            storedBytes: figures.storedBytes,
            fileBytes: directory.map { directory in
                ["", "-wal"].reduce(0) { $0 + Self.size(of: directory.storePath + $1) }
            },
            freeBytes: ServerHealth(folder: directory?.path).freeBytes,
            backupSeconds: directory?.lastBackupSeconds
        )
        let now = WallClock.system.seconds()
        let age = shown.backupSeconds.map { Shown.silence(now - min(now, $0)) + " old" }
        let suspended = shown.suspended > 0 ? ", \(shown.suspended) of them suspended" : ""
        var lines = [
            "accounts  \(shown.accounts)\(suspended)",
            "records   \(shown.records)",
            "size      \(Shown.bytes(shown.storedBytes))",
        ]
        if directory != nil {
            lines += [
                "file      \(shown.fileBytes.map(Shown.bytes) ?? "unknown")",
                "free      \(shown.freeBytes.map(Shown.bytes) ?? "unknown")",
                "backup    \(age ?? "none yet")",
            ]
        }
        try show(shown, lines)
    }

    private static func size(of path: String) -> UInt64 {
        // A file that is not there takes no space.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }
}
