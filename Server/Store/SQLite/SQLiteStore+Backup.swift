package import Digests
internal import Foundation
internal import GRDB
internal import Records

extension SQLiteStore {
    package func backup(to path: String) throws(StoreError) {
        guard !StoreFile.exists(path) else { throw .fileExists }
        let partial = path + ".partial"
        try StoreFile.removeIfPresent(partial)
        try StoreFile.createEmpty(partial)
        do {
            try copy(to: partial)
            try StoreFile.synchronize(partial)
            // Unlike a rename, a link never overwrites what came meanwhile.
            try StoreFile.link(partial, to: path)
            try StoreFile.removeIfPresent(partial)
            try StoreFile.synchronize(path)
        } catch {
            // The first error is the one to tell; a partial file that stays is replaced next time.
            try? StoreFile.removeIfPresent(partial)
            throw error
        }
    }

    /// Copies the store as of one moment.
    ///
    /// Where there is a file, a connection of its own reads it, so that pushing goes on meanwhile.
    private func copy(to target: String) throws(StoreError) {
        try rethrowing {
            var source = database
            if let path {
                var configuration = Configuration()
                configuration.readonly = true
                configuration.busyMode = .timeout(10)
                source = try DatabaseQueue(path: path, configuration: configuration)
            }
            try source.writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM INTO ?", arguments: [target])
            }
            if path != nil { try source.close() }
        }
    }

    /// Puts a backup in a store's place and begins a new epoch, in every account.
    ///
    /// The backup is checked first, and is left as it is. Until the very last step the old store
    /// stays in place; after it, it stands beside under another name.
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
        let secret = random.bytes(32)
        guard StoreFile.exists(backup) else { throw .notFound }
        try validate(backup)
        let partial = path + ".restoring"
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try StoreFile.removeIfPresent(partial + suffix)
        }
        try StoreFile.createEmpty(partial)
        try prepare(copy: partial, of: backup, epoch: epoch, secret: secret)
        try StoreFile.synchronize(partial)
        let old = try setAside(path, epoch: epoch)
        try StoreFile.rename(partial, to: path)
        try StoreFile.synchronize(path)
        return old
    }

    /// Throws unless the file is a whole store that this program understands.
    private static func validate(_ path: String) throws(StoreError) {
        try rethrowing {
            var configuration = Configuration()
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
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
        epoch: StoreEpoch,
        secret: [UInt8]
    ) throws(StoreError) {
        try rethrowing {
            var configuration = Configuration()
            configuration.readonly = true
            let source = try DatabaseQueue(path: backup, configuration: configuration)
            try source.writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM INTO ?", arguments: [path])
            }
            try source.close()
            let target = try DatabaseQueue(path: path)
            try StoreSchema.migrator.migrate(target)
            try target.write { database in
                // Challenges answered since the backup are forgotten, so none may be valid any more.
                try database.execute(
                    sql: "UPDATE store SET epoch = ?, server_secret = ?",
                    arguments: [epoch.data, secret.data]
                )
                let accounts = try Data.fetchAll(database, sql: "SELECT id FROM account")
                for id in accounts {
                    let account = try AccountRow.find(AccountID(column: id), in: database)
                    try account.beginEpoch(epoch, in: database)
                }
            }
            try target.close()
        }
    }

    /// Gives the old store, where there is one, another name beside its own.
    private static func setAside(
        _ path: String,
        epoch: StoreEpoch
    ) throws(StoreError) -> String? {
        guard StoreFile.exists(path) else { return nil }
        // What its log holds goes into the file first. A store that cannot be opened any more is
        // the very reason for restoring, so that it cannot is no reason to stop.
        if let old = try? DatabaseQueue(path: path) {
            _ = try? old.writeWithoutTransaction { database in
                try database.checkpoint(.truncate)
            }
            try? old.close()
        }
        let suffix = epoch.bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let aside = path + ".replaced-" + suffix.joined()
        for log in ["-wal", "-shm"] where StoreFile.exists(path + log) {
            try StoreFile.rename(path + log, to: aside + log)
        }
        try StoreFile.link(path, to: aside)
        return aside
    }
}
