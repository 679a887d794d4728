internal import GRDB

extension Keychain {
    /// Sets rows aside that could not be opened: they match nothing any more, and are kept for
    /// whoever looks after them.
    ///
    /// - Returns: how many were still there and still could not be opened.
    @discardableResult
    package func quarantine(_ unreadable: [UnreadableRow]) throws(KeychainError) -> Int {
        guard !unreadable.isEmpty else { return 0 }
        return try write { database in
            var count = 0
            for row in unreadable {
                guard let stored = try storedRow(row, in: database), try isDamaged(stored) else {
                    continue
                }
                try copyToQuarantine(stored, in: database)
                try remove(stored, in: database)
                count += 1
            }
            return count
        }
    }

    private func storedRow(_ row: UnreadableRow, in database: Database) throws -> StoredRow? {
        let statement = try database.cachedStatement(
            sql: ItemSQL.of(row.itemClass).selectByReference
        )
        let reference = Array(row.persistentReference.dropFirst(4))
        let found = try Row.fetchOne(statement, arguments: [reference.databaseValue])
        return try found.map { try StoredRow($0, of: row.itemClass) }
    }

    private func isDamaged(_ stored: StoredRow) throws(KeychainError) -> Bool {
        do {
            _ = try rows.open(stored)
            return false
        } catch .decode {
            return true
        } catch .interactionNotAllowed {
            return false
        }
    }
}
