internal import ArgumentParser
internal import KSBytes
internal import KSDigests
internal import Foundation
internal import KSFiles
internal import KSMerging
internal import KSStore

struct StoreBackupCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a backup of the store, also while a server runs.",
        discussion: """
            It never overwrites a file, and leaves out certificate and token secret. In a \
            directory it writes sync-server-DATE-TIME.backup, in UTC, as a nightly job needs. A \
            database has its own backups, pg_dump and pg_basebackup: it is refused.
            """
    )

    @Argument(help: "The file to write, or a directory for a file named by the time.")
    var file: String

    @OptionGroup
    var place: PlaceOptions

    @Option(
        help: """
            In a directory: keep this many backups, the new one included, and remove the oldest \
            ones.
            """
    )
    var keep: Int?

    var directory: DataDirectory? { place.directory }
    // It leaves nothing in the directory that the server needs.
    var isForSuperuser: Bool { true }

    func validate() throws {
        if let keep, keep < 1 { throw ValidationError("--keep takes a number above 0.") }
    }

    func perform() async throws {
        guard place.address == nil else {
            throw ExitReason(
                .usage,
                "backup is for data directories: back a database up with pg_dump or pg_basebackup;"
                    + " the token secret is in it, so after a restore run sync-server renew-secret"
                    + " --store URI before the servers start."
            )
        }
        let directory = try place.existingDirectory()
        let path = try directory.existingStorePath()
        let folder = Self.isDirectory(file) ? file : nil
        if keep != nil, folder == nil {
            throw ExitReason(.usage, "--keep needs an existing directory, and \(file) is not one.")
        }
        let target = try folder.map(Self.newPath) ?? file
        do throws(StoreError) {
            try SQLiteStore.backup(of: path, to: target)
        } catch {
            throw error == .notAStore
                ? directory.isNoStore : ExitReason(error, backupTo: target)
        }
        Self.noteBackup(in: directory)
        print("backup written to \(target)")
        if let folder, let keep { try Self.removeOld(in: folder, after: target, keeping: keep) }
    }

    /// Lets a running server show how old the last backup is.
    private static func noteBackup(in directory: DataDirectory) {
        let seconds = String(WallClock.system.seconds()) + "\n"
        // A backup is good though nobody can see its age.
        try? ReplacementFile.write(Array(seconds.utf8), to: directory.lastBackupPath)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }

    private static func newPath(in folder: String) throws -> String {
        let now = Date().timeIntervalSinceReferenceDate
        guard let digits = String(calendarDigits: now) else {
            throw ExitReason(.failure, "The clock of this machine is wrong: set it.")
        }
        return folder + "/" + BackupFolder.name(digits: digits, among: try names(in: folder))
    }

    private static func removeOld(
        in folder: String,
        after target: String,
        keeping count: Int
    ) throws {
        let written = String(target.dropFirst(folder.count + 1))
        let old = BackupFolder.removable(
            among: try names(in: folder),
            after: written,
            keeping: count
        )
        for name in old {
            let path = folder + "/" + name
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw ExitReason(
                    .disk,
                    "The backup was written, but \(path) cannot be removed: check its permissions."
                )
            }
            print("removed \(path)")
        }
    }

    private static func names(in folder: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw ExitReason(.disk, "The folder \(folder) cannot be read: check its permissions.")
        }
    }
}

struct StoreRestoreCommand: DirectoryCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces the store with a backup; no server may be running.",
        discussion: """
            The devices notice the restore and put back what the backup lacks, by themselves. The \
            old store is kept beside the new one. Every session ends.
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
                "There is a store in \(data.path) already; --force replaces it with the backup."
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
            // "Not a store" means the backup here.
            throw ExitReason(error)
        }
        if let kept { print("the old store is now \(kept)") }
        print("restored from \(file)")
        withExtendedLifetime(lock) {}
    }
}
