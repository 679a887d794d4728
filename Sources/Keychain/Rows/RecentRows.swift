internal import GRDB

/// The rows that look-ups have found last, sealed as they lie in the database.
///
/// A program that asks for a secret asks for it again and again, and SQLite would take half of the
/// time to find what was just there. They count as long as nothing was changed; nobody but this
/// connection changes the file, which one daemon alone has open.
struct RecentRows {
    /// A few large secrets must not take the memory of a machine.
    private let bytesMax: Int
    /// A guess at what a row takes beside its halves: its search, digests and references.
    private static let overhead = 512

    private var rows: [RowSearch: StoredRow] = [:]
    private var bytesKept = 0
    /// How many rows the connection had changed when these were found.
    private var changes = 0

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// The row that the search found last time; nil inside a transaction, whose changes may be
    /// undone.
    mutating func row(for search: RowSearch, in database: Database) -> StoredRow? {
        guard !database.isInsideTransaction else { return nil }
        let changes = database.totalChangesCount
        if changes != self.changes {
            forgetAll()
            self.changes = changes
        }
        return rows[search]
    }

    /// Keeps what the search has just found, after ``row(for:in:)`` knew nothing of it.
    mutating func keep(_ row: StoredRow, for search: RowSearch, in database: Database) {
        guard !database.isInsideTransaction else { return }
        let size = (row.attributes?.count ?? 0) + (row.secret?.count ?? 0) + Self.overhead
        guard size <= bytesMax / 16, rows[search] == nil else { return }
        if bytesKept + size > bytesMax { forgetAll() }
        rows[search] = row
        bytesKept += size
    }

    private mutating func forgetAll() {
        rows = [:]
        bytesKept = 0
    }
}
