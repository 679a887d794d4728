internal import KSSealing
internal import KSDigests
internal import Foundation
internal import GRDB

// Rows of the two Always classes must be found before the first unlock, when the keys of the search
// columns are missing. They have a second set of digests, under the device's own secret.

extension ProtectionClass {
    /// The letters of the two classes as a list in SQL.
    static let alwaysLetters =
        allCases.filter(\.isAlways).map { "'\($0.letters)'" }.joined(separator: ", ")
}

extension ItemRows {
    /// Seals an item of an Always class even before the first unlock: its ordinary search columns
    /// then hold placeholders until the unlock.
    func sealEarly(_ item: Item, row: [UInt8]? = nil) throws(ItemStoreError) -> SealedItem {
        let row = row ?? random.bytes(16)
        do throws(ItemStoreError) {
            return try seal(item, row: row)
        } catch .interactionNotAllowed
            where item.accessibility.isAlways && sealing.isCompletedAtUnlock
        {
            return try seal(item, row: row, unfinishedColumns(of: item))
        }
    }

    /// Placeholders: random bytes in required columns, null in the others; a null modification date
    /// marks the row as unfinished.
    private func unfinishedColumns(of item: Item) -> SearchColumns {
        let digests = item.itemClass.sql.digested.map {
            $0.isInPrimaryKey ? random.bytes(16) : nil
        }
        return SearchColumns(primaryKey: random.bytes(16), digests: digests, isUnfinished: true)
    }
}

extension ItemStore {
    /// Replaces the second set of a row's digests.
    func saveAlwaysDigests(
        _ sealed: ItemRows.SealedItem,
        of itemClass: ItemClass,
        in database: Database
    ) throws {
        try removeAlwaysDigests(sealed.row, in: database)
        guard !sealed.alwaysDigests.isEmpty else { return }
        let statement = try database.cachedStatement(
            sql: "INSERT INTO always_digest (row, origin, attribute, digest) VALUES (?, ?, ?, ?)"
        )
        for (column, digest) in sealed.alwaysDigests {
            try statement.execute(arguments: [
                sealed.row.databaseValue, itemClass.rawValue, column, digest.databaseValue,
            ])
        }
    }

    func removeAlwaysDigests(_ row: [UInt8], in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM always_digest WHERE row = ?")
            .execute(arguments: [row.databaseValue])
    }

    /// Fills in the ordinary search columns of the Always rows that were written before the first
    /// unlock.
    package func completeAlwaysDigests() throws(ItemStoreError) {
        try write { database in
            for itemClass in ItemClass.allCases {
                for stored in try rowsToComplete(itemClass, in: database) {
                    guard let item = try reader.open(stored) else { continue }
                    let sealed = try rows.seal(item, row: stored.row)
                    try quarantine(sealed.primaryKey, of: itemClass, for: stored, in: database)
                    try overwrite(stored, with: sealed, in: database)
                }
            }
        }
    }

    /// Quarantines an item whose key another item took before the first unlock.
    ///
    /// The add could not find it then. The later item stays, as if it had updated the earlier one.
    private func quarantine(
        _ primaryKey: [UInt8],
        of itemClass: ItemClass,
        for stored: StoredRow,
        in database: Database
    ) throws {
        guard let other = try storedRow(itemClass, primaryKey: primaryKey, in: database),
            other.id != stored.id
        else { return }
        if !other.isTombstone { try copyToQuarantine(other, in: database) }
        try remove(other, in: database)
    }

    /// Makes way for a sealed item as ``makeWay(for:of:except:in:)`` does; before the first unlock
    /// it searches only rows of the two Always classes.
    @discardableResult
    func makeWay(
        for sealed: ItemRows.SealedItem,
        of item: Item,
        except id: Int64?,
        in database: Database
    ) throws -> [UInt8]? {
        var primaryKey: [UInt8]? = sealed.primaryKey
        if sealed.isUnfinished {
            primaryKey = try primaryKeyOfRow(like: sealed, of: item, in: database)
        }
        guard let primaryKey else { return nil }
        return try makeWay(for: primaryKey, of: item.itemClass, except: id, in: database)
    }

    /// The `primaryKey` column of the Always row that has the item's key.
    private func primaryKeyOfRow(
        like sealed: ItemRows.SealedItem,
        of item: Item,
        in database: Database
    ) throws -> [UInt8]? {
        let table = item.itemClass.rawValue
        let key = sealed.alwaysDigests.filter { digest in
            item.itemClass.sql.digested.contains {
                $0.name.text == digest.column && $0.isInPrimaryKey
            }
        }
        let parts = Array(repeating: "attribute = ? AND digest = ?", count: key.count)
        var arguments: StatementArguments = [item.isSynchronizable]
        for (column, digest) in key { arguments += [column, digest.databaseValue] }
        arguments += [key.count]
        return try Data.fetchOne(
            database,
            sql: """
                SELECT primaryKey FROM \(table)
                WHERE sync = ? AND pdmn IN (\(ProtectionClass.alwaysLetters))
                    AND (SELECT count(*) FROM always_digest WHERE always_digest.row = \(table).row
                        AND (\(parts.joined(separator: " OR ")))) = ?
                """,
            arguments: arguments
        ).map { [UInt8]($0) }
    }

    private func rowsToComplete(
        _ itemClass: ItemClass,
        in database: Database
    ) throws -> [StoredRow] {
        try StoredRow.all(
            """
            SELECT \(ItemSQL.rowColumns), \(ItemSQL.sealedColumns) FROM \(itemClass.rawValue)
            WHERE pdmn IN (\(ProtectionClass.alwaysLetters)) AND mdat IS NULL ORDER BY id
            """,
            of: itemClass,
            in: database
        )
    }
}
