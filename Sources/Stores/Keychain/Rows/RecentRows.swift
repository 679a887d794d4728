internal import GRDB

/// A cache of the rows that look-ups found last, sealed as in the database.
///
/// Programs ask for the same secret again and again, and SQLite's search would take half of the
/// time. The rows are valid until anything in the database changes.
struct RecentRows {
    /// Bounded, so that a few large secrets do not fill the memory.
    private let bytesMax: Int
    /// An estimate of a row's memory beside its halves: its search, digests and references.
    private static let overhead = 512

    /// By the fingerprint of the search; of two searches with one fingerprint the later is kept.
    private var entries: [UInt64: Entry] = [:]
    private var bytesKept = 0
    /// The state of the database when these rows were found.
    private var state = State()
    /// Whether other connections change the file too, so that SQLite is asked about it each time.
    let othersWrite: Bool

    /// The connection over which they were found; both numbers are its own.
    private weak var connection: Database?

    private struct State: Equatable {
        /// The number of rows that this connection has changed.
        var changes = 0
        /// A number that changes with each commit of another connection.
        var version: Int64 = 0
    }

    /// A class, so that a look-up copies nothing.
    private final class Entry: Sendable {
        let search: RowSearch
        let row: StoredRow
        let size: Int

        init(_ search: RowSearch, _ row: StoredRow, size: Int) {
            self.search = search
            self.row = row
            self.size = size
        }
    }

    init(bytesMax: Int, othersWrite: Bool) {
        self.bytesMax = bytesMax
        self.othersWrite = othersWrite
    }

    /// The row that the search found last time.
    ///
    /// Must not be used inside a transaction, whose changes may be undone.
    mutating func row(for search: RowSearch, in database: Database) throws -> StoredRow? {
        var state = State(changes: database.totalChangesCount)
        if othersWrite {
            try FastSelect("PRAGMA data_version", in: database).visit([]) { row in
                state.version = row.integer(0)
                return true
            }
        }
        if state != self.state || connection !== database {
            forgetAll()
            self.state = state
            connection = database
        }
        guard let entry = entries[search.fingerprint], entry.search == search else { return nil }
        return entry.row
    }

    /// Keeps the row that a search has just found, after ``row(for:in:)`` returned nil.
    mutating func keep(_ row: StoredRow, for search: RowSearch) {
        let size =
            (row.attributes?.count ?? 0) + (row.secret?.count ?? 0)
            + (row.extras?.count ?? 0) + Self.overhead
        guard size <= bytesMax / 16 else { return }
        if bytesKept + size > bytesMax { forgetAll() }
        let entry = Entry(search, row, size: size)
        let other = entries.updateValue(entry, forKey: search.fingerprint)
        bytesKept += size - (other?.size ?? 0)
    }

    private mutating func forgetAll() {
        entries = [:]
        bytesKept = 0
    }
}
