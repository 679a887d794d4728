package import GRDB
package import KSDigests

/// Finds items in a keychain's database; over a connection of its own it never waits for a change
/// that the ``Keychain`` makes.
///
/// It is plain and synchronous, for one thread at a time.
package final class KeychainReader {
    let database: any DatabaseReader
    let rows: ItemRows
    private var recentRows: RecentRows
    private let clock: () -> Double
    /// The file at the time it was opened; nil for a keychain in memory.
    private let opened: FileState?
    /// Rows that matched a search and could not be opened, each once, in the order of the searches.
    package private(set) var unreadableRows: [UnreadableRow] = []

    /// Reads a database, with a cache of the rows that were looked up last.
    ///
    /// `clock`: seconds since 1970-01-01 00:00 UTC. `othersWrite`: whether other connections change
    /// the file too. `recentBytesMax`: the size of the cache, sealed as in the file; 16 MiB are
    /// more passwords than a person ever had.
    package init(
        database: any DatabaseReader,
        sealing: any RowSealing,
        clock: @escaping () -> Double,
        random: any RandomSource,
        othersWrite: Bool,
        recentBytesMax: Int = 16 << 20
    ) {
        self.database = database
        rows = ItemRows(sealing: sealing, random: random)
        recentRows = RecentRows(bytesMax: recentBytesMax, othersWrite: othersWrite)
        self.clock = clock
        opened = FileState(path: database.path)
    }

    /// Seconds since 2001-01-01 00:00 UTC.
    package var now: Double { clock() - ItemStore.secondsFrom1970To2001 }

    /// Checks that the owner may read and write the file, and that it is the file that was opened.
    ///
    /// An open file keeps working when its permissions are gone, and writes to a file that was
    /// removed or replaced are lost.
    ///
    /// - Throws: ``KeychainError/unavailable(code:)``, or ``KeychainError/readOnly`` if it can only
    ///   be read; once the file is back, the open connection works again.
    package func checkFile() throws(ItemStoreError) {
        guard let opened else { return }
        guard let file = FileState(path: database.path), file.isSameFile(as: opened),
            file.ownerMayRead
        else {
            throw .unavailable(code: ResultCode.SQLITE_CANTOPEN.rawValue)
        }
        guard file.ownerMayWrite else { throw .readOnly }
    }

    /// Finds items, non-synchronizable ones first, then in the order in which they were added here.
    ///
    /// All items are of one moment; with a `transaction` they are what it sees. The limit counts
    /// only those that are wanted. A row that cannot be opened is left out and reported; a locked
    /// row makes the call fail.
    package func find(
        _ query: KeychainQuery,
        in transaction: Database? = nil,
        where isWanted: (Item) throws -> Bool = { _ in true }
    ) throws(ItemStoreError) -> FoundItems {
        try withKeychainErrors {
            let search = try RowSearch(query, rows: rows)
            guard query.limit ?? 1 > 0 else { return FoundItems() }
            if let transaction {
                return try visit(search, query, in: transaction, where: isWanted)
            }
            return try database.unsafeRead { database in
                if query.limit == 1, let stored = try recentRows.row(for: search, in: database),
                    let item = try open(stored), try isWanted(item)
                {
                    return FoundItems(items: [item])
                }
                var found = FoundItems()
                try atOneMoment(search, in: database) {
                    found = try visit(search, query, in: database, where: isWanted) { first in
                        recentRows.keep(first, for: search)
                    }
                }
                return found
            }
        }
    }

    /// Runs a search in a transaction if it takes several statements and other connections write.
    private func atOneMoment(
        _ search: RowSearch,
        in database: Database,
        _ body: () throws -> Void
    ) throws {
        guard !search.isOneStatement, recentRows.othersWrite else { return try body() }
        try database.inTransaction(.deferred) {
            try body()
            return .commit
        }
    }

    /// `noteFirst`: called with the row if the first match is the wanted item.
    private func visit(
        _ search: RowSearch,
        _ query: KeychainQuery,
        in database: Database,
        where isWanted: (Item) throws -> Bool,
        noteFirst: (StoredRow) -> Void = { _ in }
    ) throws -> FoundItems {
        var found = FoundItems()
        var isFirst = true
        try search.visit(in: database) { stored in
            defer { isFirst = false }
            guard let item = try open(stored) else {
                found.unreadable.append(stored.unreadable)
                return true
            }
            guard try isWanted(item) else { return true }
            found.items.append(item)
            // Only a first match: another caller may want one that this caller's filter refused.
            if query.limit == 1, isFirst { noteFirst(stored) }
            return found.items.count != query.limit
        }
        return found
    }

    /// A number that changes with each commit of another connection.
    package func version() throws(ItemStoreError) -> Int64 {
        try withKeychainErrors {
            try database.unsafeRead { database in
                var version: Int64 = 0
                try FastSelect("PRAGMA data_version", in: database).visit([]) { row in
                    version = row.integer(0)
                    return true
                }
                return version
            }
        }
    }

    /// Visits what can be read without the secrets of every item of a class.
    ///
    /// - Parameters:
    ///   - itemClass: the class.
    ///   - isKnown: asked with the name of each row and of its last change; a known row is not
    ///     opened.
    ///   - opened: called with the same names and the item; a damaged row is noted and left out.
    /// - Throws: ``KeychainError/interactionNotAllowed`` if a row is locked.
    package func visitVisible(
        _ itemClass: ItemClass,
        isKnown: (_ row: [UInt8], _ revision: [UInt8]) -> Bool,
        opened: (_ row: [UInt8], _ revision: [UInt8], Item) -> Void
    ) throws(ItemStoreError) {
        let sql = itemClass.sql.selectVisible
        try withKeychainErrors {
            try database.unsafeRead { database in
                try FastSelect(sql, in: database).visit([]) { row in
                    guard !isKnown(row.bytes(1), row.bytes(6)) else { return true }
                    let stored = try StoredRow(row, of: itemClass)
                    if let item = try open(stored) { opened(stored.row, stored.revision, item) }
                    return true
                }
            }
        }
    }

    /// Opens a row, or notes that it cannot be opened and returns nil.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` while its class is locked.
    func open(_ stored: StoredRow) throws(ItemStoreError) -> Item? {
        let opened = opened(stored)
        if case .locked = opened { throw .interactionNotAllowed }
        return opened.item
    }

    /// Opens a row, and notes one that is damaged.
    func opened(_ stored: StoredRow) -> OpenedRow {
        let opened = rows.opened(stored)
        if case .damaged = opened, !unreadableRows.contains(stored.unreadable) {
            unreadableRows.append(stored.unreadable)
        }
        return opened
    }
}
