internal import GRDB

/// The rows that look-ups have found last, sealed as they lie in the database.
///
/// A program that asks for a secret asks for it again and again, and SQLite would take half of the
/// time to find what was just there. They count as long as this connection has changed nothing, so
/// that a file which others change too needs a `bytesMax` of 0.
struct RecentRows {
    /// A few large secrets must not take the memory of a machine.
    private let bytesMax: Int
    /// A guess at what a row takes beside its halves: its search, digests and references.
    private static let overhead = 512

    /// By the fingerprint of their search: of two searches of one fingerprint the later is kept.
    private var entries: [UInt64: Entry] = [:]
    private var bytesKept = 0
    /// How many rows the connection had changed when these were found.
    private var changes = 0

    /// A class, so that looking at one copies nothing.
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
        guard let entry = entries[search.fingerprint], entry.search == search else { return nil }
        return entry.row
    }

    /// Keeps what the search has just found, after ``row(for:in:)`` knew nothing of it.
    mutating func keep(_ row: StoredRow, for search: RowSearch, in database: Database) {
        guard !database.isInsideTransaction else { return }
        let size = (row.attributes?.count ?? 0) + (row.secret?.count ?? 0) + Self.overhead
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
