package import KSDigests
package import GRDB
internal import KSSealing

/// Receives every change to a synced item, inside the transaction that makes it.
package protocol ChangeRecorder {
    /// Records a change; if this throws, the change does not happen.
    func record(_ change: ItemChange, in database: Database) throws

    /// The account's item at a key, even if an item of this device hides it.
    func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem
}

extension ChangeRecorder {
    package func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        .unknown
    }
}

/// The account's item at a key.
package enum RecordedItem: Equatable, Sendable {
    /// No item and no deletion are known, or the state cannot be read now.
    case unknown
    case present(Item)
    /// It was deleted, not before this time: milliseconds since 1970-01-01 00:00 UTC.
    case deleted(milliseconds: UInt64)
}

/// A keychain: items, kept sealed in a database.
///
/// It is plain and synchronous: it runs on the thread that calls it, and gets its clock, randomness
/// and keys from outside. So many keychains can run in one thread.
package final class ItemStore {
    /// From 1970-01-01 to 2001-01-01, where the dates of items begin.
    package static let secondsFrom1970To2001 = 978_307_200.0

    let database: any DatabaseWriter
    let random: any RandomSource
    /// Finds items over the same connection.
    package let reader: KeychainReader
    /// Receives every change to a synced item; nil while the device has no account.
    package var recorder: (any ChangeRecorder)?

    var rows: ItemRows { reader.rows }
    package var unreadableRows: [UnreadableRow] { reader.unreadableRows }

    /// A keychain over a database that ``KeychainDatabase`` opened, or one with the same settings.
    ///
    /// The parameters that it shares with its ``KeychainReader`` mean the same there.
    package init(
        database: any DatabaseWriter,
        sealing: any RowSealing,
        clock: @escaping () -> Double,
        random: any RandomSource,
        recorder: (any ChangeRecorder)? = nil,
        othersWrite: Bool = false,
        recentBytesMax: Int = 16 << 20
    ) {
        self.database = database
        reader = KeychainReader(
            database: database,
            sealing: sealing,
            clock: clock,
            random: random,
            othersWrite: othersWrite,
            recentBytesMax: recentBytesMax
        )
        self.random = random
        self.recorder = recorder
    }

    /// Runs a block in one write transaction: several changes that happen together or not at all.
    package func write<Result>(
        _ body: (Database) throws -> Result
    ) throws(ItemStoreError) -> Result {
        try reader.checkFile()
        return try withKeychainErrors { try database.write(body) }
    }

    /// Runs a block in a transaction of its own, or as part of the given one, which continues if
    /// the block throws: only the block's changes are undone then.
    func change<Result>(
        in transaction: Database?,
        _ body: (Database) throws -> Result
    ) throws(ItemStoreError) -> Result {
        guard let transaction else { return try write(body) }
        return try transaction.undoable { try body(transaction) }
    }

    /// Seconds since 2001-01-01 00:00 UTC.
    package var now: Double { reader.now }

    func record(before: Item?, after: Item?, in database: Database) throws {
        guard let recorder else { return }
        if let change = ItemChange(before: before, after: after) {
            try recorder.record(change, in: database)
        }
        // An item bound to this device may have hidden the account's item, which now reappears.
        guard let before, before.isSynchronizable, before.accessibility.isThisDeviceOnly,
            after.map({ !$0.isSynchronizable || $0.key != before.key }) ?? true,
            case .present(let item) = try recorder.recorded(at: before.key, in: database)
        else { return }
        _ = try present(item, in: database)
    }

    // MARK: Rows

    /// The row with this key, whether it can be opened or not.
    func storedRow(
        _ itemClass: ItemClass,
        primaryKey: [UInt8],
        in database: Database
    ) throws -> StoredRow? {
        let sql = itemClass.sql.selectByPrimaryKey
        return try StoredRow.all(sql, [.bytes(primaryKey)], of: itemClass, in: database).first
    }

    /// Inserts a completed item, and returns it with its reference.
    func insert(_ item: Item, sealed: ItemRows.SealedItem, in database: Database) throws -> Item {
        var item = item
        let reference = item.persistentReference.map { Array($0.dropFirst(4)) } ?? random.bytes(16)
        let statement = try database.cachedStatement(sql: item.itemClass.sql.insert)
        let names: [(any DatabaseValueConvertible)?] = [
            sealed.row.databaseValue, reference.databaseValue,
        ]
        try statement.execute(arguments: StatementArguments(names + sealed.columns))
        item.persistentReference = item.itemClass.letters + reference
        if !sealed.alwaysDigests.isEmpty {
            try saveAlwaysDigests(sealed, of: item.itemClass, in: database)
        }
        return item
    }

    func overwrite(
        _ stored: StoredRow,
        with sealed: ItemRows.SealedItem,
        in database: Database
    ) throws {
        let statement = try database.cachedStatement(sql: stored.itemClass.sql.update)
        try statement.execute(arguments: StatementArguments(sealed.columns + [stored.id]))
        if stored.accessibility.isAlways || !sealed.alwaysDigests.isEmpty {
            try saveAlwaysDigests(sealed, of: stored.itemClass, in: database)
        }
    }

    func remove(_ stored: StoredRow, in database: Database) throws {
        try database.cachedStatement(sql: stored.itemClass.sql.delete)
            .execute(arguments: [stored.id])
        if stored.accessibility.isAlways { try removeAlwaysDigests(stored.row, in: database) }
    }

    /// Copies a row that cannot be opened to the quarantine, where it matches nothing.
    func copyToQuarantine(_ stored: StoredRow, in database: Database) throws {
        try database.cachedStatement(sql: stored.itemClass.sql.quarantine)
            .execute(arguments: [now, stored.id])
    }

    /// Makes way for an item of this key: removes a tombstone, and quarantines a damaged row.
    ///
    /// - Returns: the persistent reference of a removed tombstone.
    /// - Throws: ``KeychainError/duplicateItem`` if an item has the key.
    @discardableResult
    func makeWay(
        for primaryKey: [UInt8],
        of itemClass: ItemClass,
        except id: Int64?,
        in database: Database
    ) throws -> [UInt8]? {
        guard let other = try storedRow(itemClass, primaryKey: primaryKey, in: database),
            other.id != id
        else { return nil }
        if !other.isTombstone {
            guard case .damaged = reader.opened(other) else { throw ItemStoreError.duplicateItem }
            try copyToQuarantine(other, in: database)
        }
        try remove(other, in: database)
        return other.isTombstone ? other.persistentReference : nil
    }
}
