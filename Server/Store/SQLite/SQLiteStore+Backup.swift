internal import KSBytes
package import KSDigests
internal import Foundation
package import GRDB
package import KSMerging
internal import KSRecords

extension SQLiteStore {
    /// Backs up the store at a path, which another process may have open.
    ///
    /// It uses a connection of its own, so that pushes continue.
    /// - Parameters:
    ///   - path: the store's path; the store is not changed, not even migrated.
    ///   - target: the backup's path.
    /// - Throws: ``StoreError/notFound``, ``StoreError/notAStore``, ``StoreError/newerVersion``,
    ///   ``StoreError/fileExists``, or what the disk says.
    package static func backup(of path: String, to target: String) throws(StoreError) {
        guard StoreFile.exists(path) else { throw .notFound }
        // An existing log belongs to another database, and would be replayed over this one.
        guard !([""] + logs).contains(where: { StoreFile.exists(target + $0) }) else {
            throw .fileExists
        }
        // The backup gets its name only when all of it is on disk.
        let partial = target + ".partial"
        try remove(partial)
        try StoreFile.createEmpty(partial)
        do {
            try rethrowing { try copy(of: path, to: partial) }
            try StoreFile.synchronize(partial)
            // Unlike a rename, a link never overwrites a file that was made meanwhile.
            try StoreFile.link(partial, to: target)
            try StoreFile.removeIfPresent(partial)
            try StoreFile.synchronize(target)
        } catch {
            // The first error is reported; a partial file that stays is replaced next time.
            try? remove(partial)
            throw error
        }
    }

    static func openForReading(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Copies a consistent state of the store at a path into an empty file.
    private static func copy(of path: String, to target: String) throws {
        let source = try openForReading(path)
        try source.read(StoreSchema.checkIdentity)
        try source.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM INTO ?", arguments: [target])
        }
        try source.close()
    }

    /// Replaces a store by a backup, and begins a new epoch in every account.
    ///
    /// The backup is checked first, and not changed. The old store stays in place until the last
    /// step, which renames it. Challenges answered since the backup are forgotten, so the caller
    /// makes sure that none of them is valid any more.
    /// - Parameters:
    ///   - backup: a file that ``backup(of:to:)`` wrote.
    ///   - path: the store's path; nobody may have it open.
    ///   - random: makes the new epoch.
    /// - Throws: ``StoreError/notFound``, ``StoreError/notAStore``, ``StoreError/damaged`` or
    ///   ``StoreError/newerVersion`` of the backup, or what the disk says.
    /// - Returns: the old store's new path; nil if there was none.
    package static func restore(
        from backup: String,
        to path: String,
        random: any RandomSource
    ) throws(StoreError) -> String? {
        let epoch = StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
        guard StoreFile.exists(backup) else { throw .notFound }
        try validate(backup)
        let partial = path + restoringSuffix
        try remove(partial)
        do {
            try StoreFile.createEmpty(partial)
            try prepare(copy: partial, of: backup, epoch: epoch)
            try StoreFile.synchronize(partial)
            let old = try setAside(path, epoch: epoch)
            try StoreFile.rename(partial, to: path)
            try StoreFile.synchronize(path)
            return old
        } catch {
            // The first error is reported; a copy that stays is removed by the next restore.
            try? remove(partial)
            throw error
        }
    }

    /// Removes a database with SQLite's files beside it.
    static func remove(_ path: String) throws(StoreError) {
        for suffix in [""] + logs { try StoreFile.removeIfPresent(path + suffix) }
    }

    /// The suffix of a backup's copy until it is the store.
    static var restoringSuffix: String { ".restoring" }

    /// Throws unless the file is an undamaged store of a known version.
    private static func validate(_ path: String) throws(StoreError) {
        try rethrowing {
            let database = try openForReading(path)
            try database.read { database in
                try StoreSchema.checkIdentity(of: database)
                let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check")
                guard findings == ["ok"] else { throw StoreError.damaged }
                guard try Int.fetchOne(database, sql: "SELECT count(*) FROM store") == 1 else {
                    throw StoreError.damaged
                }
            }
            try database.close()
        }
    }

    private static func prepare(
        copy path: String,
        of backup: String,
        epoch: StoreEpoch
    ) throws(StoreError) {
        try rethrowing {
            try copy(of: backup, to: path)
            let target = try DatabaseQueue(path: path)
            try StoreSchema.migrator.migrate(target)
            try target.write { try beginEpochs(epoch, in: $0) }
            try target.close()
        }
    }

    /// Begins a new epoch in every account of a store that was put back.
    package static func beginEpochs(
        in database: any DatabaseWriter,
        random: any RandomSource
    ) throws {
        let epoch = StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
        try database.write { try beginEpochs(epoch, in: $0) }
    }

    private static func beginEpochs(_ epoch: StoreEpoch, in database: Database) throws {
        try database.execute(sql: "UPDATE store SET epoch = ?", arguments: [epoch.data])
        let accounts = try Data.fetchAll(database, sql: "SELECT id FROM account")
        for id in accounts {
            let account = try AccountRow.find(AccountID(column: id), in: database)
            try account.beginEpoch(epoch)
        }
    }

    /// The suffixes of SQLite's files beside a database.
    private static let logs = ["-wal", "-shm", "-journal"]

    /// Renames the old store, if there is one.
    private static func setAside(_ path: String, epoch: StoreEpoch) throws(StoreError) -> String? {
        let isThere = StoreFile.exists(path)
        if isThere {
            // Its log is written into the file first.
            do {
                let old = try DatabaseQueue(path: path)
                try old.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                try old.close()
            } catch {
                // The store may be damaged, a reason for restoring; its log is renamed with it.
            }
        }
        let aside = path + ".replaced-" + String(hexadecimal: epoch.bytes.prefix(4))
        // Even without a store: SQLite would replay its old log over the restored one.
        for log in Self.logs where StoreFile.exists(path + log) {
            try StoreFile.rename(path + log, to: aside + log)
        }
        guard isThere else { return nil }
        try StoreFile.link(path, to: aside)
        return aside
    }
}
