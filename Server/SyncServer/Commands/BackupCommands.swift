internal import ArgumentParser
internal import KSDigests
internal import Foundation
internal import KSStore

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a backup of the store, also while a server runs.",
        discussion: "It never overwrites a file. Certificate and token secret are no part of it."
    )

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup
    var data: DataOptions

    func run() async throws {
        try await ExitReason.orExit {
            let directory = data.directory
            let path = try directory.existingStorePath()
            do throws(StoreError) {
                try SQLiteStore.backup(of: path, to: file)
            } catch .notAStore {
                throw directory.isNoStore
            } catch {
                throw ExitReason(error, backupTo: file)
            }
            print("backup written to \(file)")
        }
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of the store; no server may be running.",
        discussion: """
            Every device then notices and holds its sync: it keeps all it has, and sends and takes \
            nothing more. The store that stood there is kept beside it. Every session ends.
            """
    )

    @Argument(help: "The backup.")
    var file: String

    @OptionGroup
    var data: DataOptions

    @Flag(help: "Replace the store that is there.")
    var force = false

    func run() async throws {
        try await ExitReason.orExit {
            let directory = data.directory
            let lock: DataDirectoryLock
            do throws(DataDirectoryError) {
                try directory.create()
                lock = try DataDirectoryLock(directory)
            } catch {
                throw ExitReason(error, directory)
            }
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw ExitReason(.disk, "The backup \(file) cannot be read.")
            }
            guard force || !FileManager.default.fileExists(atPath: directory.storePath) else {
                throw ExitReason(
                    .refused,
                    "There is a store in \(data.path) already; --force replaces it by the backup."
                )
            }
            // Before anything else: of the challenges that the backup knows nothing of, none may be
            // answered a second time.
            do throws(DataDirectoryError) {
                try ServerSecret.renew(in: directory, random: SystemRandomSource())
            } catch {
                throw ExitReason(error, directory)
            }
            let kept = try ExitReason.storing { () throws(StoreError) in
                try SQLiteStore.restore(
                    from: file,
                    to: directory.storePath,
                    random: SystemRandomSource()
                )
            }
            if let kept { print("the store that was there is now \(kept)") }
            print("restored from \(file)")
            withExtendedLifetime(lock) {}
        }
    }
}
