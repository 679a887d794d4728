internal import GRDB

/// The rows that look-ups have found last, sealed as they lie in the database.
///
/// A program that asks for a secret asks for it again and again, and SQLite would take half of the
/// time to find what was just there. They count as long as nothing was changed; nobody but this
/// connection changes the file, which one daemon alone has open.
struct RecentRows {
    /// Some twenty megabytes at most, for as many items as a person ever had.
    private static let rowsMax = 16_384

    private var rows: [RowSearch: StoredRow] = [:]
    /// How many rows the connection had changed when these were found.
    private var changes = 0

    /// The row that the search found last time; nil inside a transaction, whose changes may be
    /// undone.
    mutating func row(for search: RowSearch, in database: Database) -> StoredRow? {
        guard !database.isInsideTransaction else { return nil }
        let changes = database.totalChangesCount
        if changes != self.changes {
            rows = [:]
            self.changes = changes
        }
        return rows[search]
    }

    /// Keeps what the search has just found, after ``row(for:in:)`` knew nothing of it.
    mutating func keep(_ row: StoredRow, for search: RowSearch, in database: Database) {
        guard !database.isInsideTransaction else { return }
        if rows.count >= Self.rowsMax { rows = [:] }
        rows[search] = row
    }
}
