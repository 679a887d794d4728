internal import KSBytes
package import KSDigests
internal import Foundation
internal import GRDB
internal import KSRecords

extension SQLiteStore {
    package func backup(to target: String) throws(StoreError) {
        if let path { return try Self.backup(of: path, to: target) }
        try Self.writeBackup(to: target) { partial throws(StoreError) in
            try rethrowing { try Self.copy(database, to: partial) }
        }
    }

    /// Backs up the store at a path, which another process may have open.
    ///
    /// A connection of its own reads it, so that pushing goes on meanwhile.
    /// - Parameters:
    ///   - path: of the store, which is not changed, not even brought up to date.
    ///   - target: where the backup is to be.
    /// - Throws: ``StoreError/notFound``, ``StoreError/notAStore``, ``StoreError/newerVersion``,
    ///   ``StoreError/fileExists``, or what the disk says.
    package static func backup(of path: String, to target: String) throws(StoreError) {
        guard StoreFile.exists(path) else { throw .notFound }
        try writeBackup(to: target) { partial throws(StoreError) in
            try rethrowing {
                let source = try openForReading(path)
                try source.read(StoreSchema.checkIdentity)
                try copy(source, to: partial)
                try source.close()
            }
        }
    }

    static func openForReading(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Copies a database as of one moment into an empty file.
    private static func copy(_ source: any DatabaseWriter, to target: String) throws {
        try source.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM INTO ?", arguments: [target])
        }
    }

    /// Lets a backup appear under its name only when all of it is on the disk.
    private static func writeBackup(
        to target: String,
        write: (_ partial: String) throws(StoreError) -> Void
    ) throws(StoreError) {
        // A log that stands there is another database's, and would be replayed over this one.
        guard !([""] + logs).contains(where: { StoreFile.exists(target + $0) }) else {
            throw .fileExists
        }
        let partial = target + ".partial"
        try StoreFile.removeIfPresent(partial)
        try StoreFile.createEmpty(partial)
        do {
            try write(partial)
            try StoreFile.synchronize(partial)
            // Unlike a rename, a link never overwrites what came meanwhile.
            try StoreFile.link(partial, to: target)
            try StoreFile.removeIfPresent(partial)
            try StoreFile.synchronize(target)
        } catch {
            // The first error is the one to tell; a partial file that stays is replaced next time.
            try? StoreFile.removeIfPresent(partial)
            throw error
        }
    }

    /// Puts a backup in a store's place and begins a new epoch, in every account.
    ///
    /// The backup is checked first, and is left as it is. Until the very last step the old store
    /// stays in place; after it, it stands beside under another name. Challenges answered since the
    /// backup are forgotten: the caller sees to it that none of them is valid any more.
    /// - Parameters:
    ///   - backup: what ``backup(to:)`` wrote.
    ///   - path: of the store, which nobody has open.
    ///   - random: draws the new epoch.
    /// - Throws: ``StoreError/notFound``, ``StoreError/notAStore``, ``StoreError/damaged`` or
    ///   ``StoreError/newerVersion`` of the backup, or what the disk says.
    /// - Returns: where the old store is now; nil when there was none.
    package static func restore(
        from backup: String,
        to path: String,
        random: any RandomSource
    ) throws(StoreError) -> String? {
        let epoch = StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
        guard StoreFile.exists(backup) else { throw .notFound }
        try validate(backup)
        let partial = path + ".restoring"
        for suffix in [""] + Self.logs {
            try StoreFile.removeIfPresent(partial + suffix)
        }
        try StoreFile.createEmpty(partial)
        try prepare(copy: partial, of: backup, epoch: epoch)
        try StoreFile.synchronize(partial)
        let old = try setAside(path, epoch: epoch)
        try StoreFile.rename(partial, to: path)
        try StoreFile.synchronize(path)
        return old
    }

    /// Throws unless the file is a whole store that this program understands.
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
            let source = try openForReading(backup)
            try copy(source, to: path)
            try source.close()
            let target = try DatabaseQueue(path: path)
            try StoreSchema.migrator.migrate(target)
            try target.write { database in
                try database.execute(sql: "UPDATE store SET epoch = ?", arguments: [epoch.data])
                let accounts = try Data.fetchAll(database, sql: "SELECT id FROM account")
                for id in accounts {
                    let account = try AccountRow.find(AccountID(column: id), in: database)
                    try account.beginEpoch(epoch, in: database)
                }
            }
            try target.close()
        }
    }

    /// What SQLite keeps beside a database, under the database's name with these at its end.
    private static let logs = ["-wal", "-shm", "-journal"]

    /// Gives the old store, where there is one, another name beside its own.
    private static func setAside(
        _ path: String,
        epoch: StoreEpoch
    ) throws(StoreError) -> String? {
        let isThere = StoreFile.exists(path)
        if isThere {
            // What its log holds goes into the file first.
            do {
                let old = try DatabaseQueue(path: path)
                try old.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                try old.close()
            } catch {
                // A store that cannot be opened any more is the very reason for restoring; its log
                // is set aside with it.
            }
        }
        let aside = path + ".replaced-" + String(hexadecimal: epoch.bytes.prefix(4))
        // Also the log of a store that is gone: SQLite would replay it over the restored one.
        for log in Self.logs where StoreFile.exists(path + log) {
            try StoreFile.rename(path + log, to: aside + log)
        }
        guard isThere else { return nil }
        try StoreFile.link(path, to: aside)
        return aside
    }
}
