internal import Foundation
internal import GRDB
package import KSDigests
package import KSMerging
package import KSRecords

// The store as the source or the target of a copy.

extension SQLiteStore: CopyTarget {
    /// The suffix of a copy until it is the store.
    static var copyingSuffix: String { ".copying" }

    /// Begins a store that a copy fills, and that gets this path with ``finish()``.
    ///
    /// A copy that was cut off is removed first.
    /// - Throws: ``StoreError/notEmpty`` if there is a store, or what the disk says.
    package static func beginCopy(
        to path: String,
        random: any RandomSource
    ) throws(StoreError) -> SQLiteStore {
        guard !StoreFile.exists(path) else { throw .notEmpty }
        // Logs without their store are worth nothing, and would be replayed over the copy.
        try remove(path)
        let partial = path + copyingSuffix
        try remove(partial)
        let store = try SQLiteStore(path: partial, random: random, clockSeconds: { 0 })
        try store.writeWithoutTransaction { database in
            // The whole file goes to the disk at the end.
            try database.execute(sql: "PRAGMA synchronous = OFF")
        }
        return store
    }

    package func finish() throws(StoreError) {
        let file = try read { database in
            try String.fetchOne(database, sql: "SELECT file FROM pragma_database_list")
        }
        guard let partial = file, partial.hasSuffix(Self.copyingSuffix) else { throw .damaged }
        let path = String(partial.dropLast(Self.copyingSuffix.count))
        // The last connection that closes writes the log into the file, and removes it.
        try close()
        try StoreFile.synchronize(partial)
        try StoreFile.rename(partial, to: path)
        try StoreFile.synchronize(path)
    }

    package func giveUp() {
        // Fails on a full disk; the files are removed all the same.
        try? close()
    }

    // MARK: Rows

    package func rows(
        of table: StoredTable,
        in account: AccountID,
        after last: StoredRow?
    ) throws(StoreError) -> [StoredRow] {
        try read { database in
            guard let number = try database.number(of: account) else { return [] }
            var arguments: StatementArguments = [number]
            // A record's key is compared with 0 at the start.
            let key = last?.prefix(table.keyCount) ?? (table == .record ? [.integer(0)] : [])
            arguments += StatementArguments(key.map(\.databaseValue))
            let rows = try Row.fetchCursor(
                database.cachedStatement(sql: table.selection(isContinued: last != nil)),
                arguments: arguments
            )
            var page: [StoredRow] = []
            var byteCount = 0
            while page.count < StoredTable.pageRowsMax, byteCount <= StoredTable.pageBytesMax,
                let row = try rows.next()
            {
                page.append(try row.databaseValues.map(StoredValue.init))
                byteCount += table.byteCount(of: page[page.count - 1])
            }
            return page
        }
    }

    package func add(
        _ rows: [StoredRow],
        to table: StoredTable,
        of account: AccountID
    ) throws(StoreError) {
        try write { database in
            let number = try database.number(of: account)
            let owner = table == .account ? account.data.databaseValue : number?.databaseValue
            guard let owner else { throw StoreError.damaged }
            for row in rows {
                var values = row.map(\.databaseValue)
                if table == .record, case .integer(let seq) = row[0], let number {
                    values[0] = (number << 40 | seq).databaseValue
                }
                try database.run(table.insertion, StatementArguments([owner] + values))
            }
        }
    }

    /// Without the secret and the invitations, which are not in this file.
    package func sharedRows() throws(StoreError) -> SharedRows {
        try read { database in
            guard let row = try database.row("SELECT epoch, served_seconds FROM store", []) else {
                throw StoreError.damaged
            }
            return SharedRows(
                epoch: try StoreEpoch(column: row[0]),
                servedSeconds: row[1],
                usedNonces: try database.rows(
                    "SELECT nonce, expiry_seconds FROM used_nonce ORDER BY nonce",
                    []
                ).map { row in
                    let nonce: Data = row[0]
                    return SharedRows.UsedNonce(nonce: Array(nonce), expirySeconds: row[1])
                }
            )
        }
    }

    package func setSharedRows(_ rows: SharedRows) throws(StoreError) {
        try write { database in
            try database.run(
                "UPDATE store SET epoch = ?, served_seconds = ?",
                [rows.epoch.data, rows.servedSeconds]
            )
            for used in rows.usedNonces {
                try database.run(
                    "INSERT INTO used_nonce (nonce, expiry_seconds) VALUES (?, ?)",
                    [used.nonce.data, used.expirySeconds]
                )
            }
        }
    }
}

extension Database {
    fileprivate func number(of account: AccountID) throws -> Int64? {
        try row("SELECT number FROM account WHERE id = ?", [account.data])?[0]
    }
}

extension StoredTable {
    /// Parameter 1 is the account's number; then comes the key of the row before the page.
    fileprivate func selection(isContinued: Bool) -> String {
        let names = columns.map(\.name)
        let keys = names.prefix(keyCount).joined(separator: ", ")
        switch self {
        case .account:
            return "SELECT \(names.joined(separator: ", ")) FROM account WHERE number = ?1"
        case .record:
            // The position is the account's number and the seq.
            let others = names.dropFirst().joined(separator: ", ")
            return """
                SELECT position - (?1 << 40), \(others) FROM record
                WHERE position > (?1 << 40) + ?2 AND position < (?1 + 1) << 40 ORDER BY position
                """
        default:
            let after = (2..<2 + keyCount).map { "?\($0)" }.joined(separator: ", ")
            return "SELECT \(names.joined(separator: ", ")) FROM \(rawValue) WHERE account = ?1"
                + (isContinued ? " AND (\(keys)) > (\(after))" : "") + " ORDER BY \(keys)"
        }
    }

    /// Parameter 1 is the account's number, of its own row the id.
    fileprivate var insertion: String {
        var names = [self == .account ? "id" : "account"] + columns.map(\.name)
        if self == .record { names[1] = "position" }
        let places = names.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(rawValue) (\(names.joined(separator: ", "))) VALUES (\(places))"
    }
}

extension StoredValue {
    fileprivate init(_ value: DatabaseValue) throws {
        switch value.storage {
        case .null: self = .null
        case .int64(let integer): self = .integer(integer)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .bytes(Array(data))
        case .double: throw StoreError.damaged
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .bytes(let bytes): bytes.data.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}
