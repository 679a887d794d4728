internal import ArgumentParser
internal import KSDigests
internal import Foundation
internal import KSMerging
internal import KSStore

struct BackupCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a backup of the store, also while a server runs.",
        discussion: "It never overwrites a file, and leaves out certificate and token secret."
    )

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup
    var data: DataOptions

    func perform() async throws {
        let path = try data.directory.existingStorePath()
        do throws(StoreError) {
            try SQLiteStore.backup(of: path, to: file)
        } catch {
            throw error == .notAStore ? data.directory.isNoStore : ExitReason(error, backupTo: file)
        }
        print("backup written to \(file)")
    }
}

struct RestoreCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces the store by a backup; no server may be running.",
        discussion: """
            Every device then notices it and pauses sync: it keeps its items, but neither sends \
            nor receives. The old store is kept beside the new one. Every session ends.
            """
    )

    @Argument(help: "The backup.")
    var file: String

    @OptionGroup
    var data: DataOptions

    @Flag(help: "Replace an existing store.")
    var force = false

    func perform() async throws {
        let directory = data.directory
        try directory.create()
        let lock = try DataDirectoryLock(directory)
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw ExitReason(.disk, "The backup \(file) cannot be read.")
        }
        guard force || !FileManager.default.fileExists(atPath: directory.storePath) else {
            throw ExitReason(
                .refused,
                "There is a store in \(data.path) already; --force replaces it by the backup."
            )
        }
        // This comes first: the backup does not know which challenges were used since, so none
        // of them may be valid any more.
        try ServerSecret.renew(in: directory, random: SystemRandomSource())
        let kept: String?
        do throws(StoreError) {
            kept = try SQLiteStore.restore(
                from: file,
                to: directory.storePath,
                random: SystemRandomSource()
            )
        } catch {
            // An error about a file that is not a store is about the backup.
            throw ExitReason(error)
        }
        if let kept { print("the store that was there is now \(kept)") }
        print("restored from \(file)")
        withExtendedLifetime(lock) {}
    }
}
