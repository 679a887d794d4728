internal import Dispatch
internal import Foundation
internal import GRDB
internal import KSDigests
internal import KSKeyValues
internal import KSRecords
internal import KSSealing
internal import Synchronization

/// The rows of `key_value_entry`, each sealed under the class that opens after the first unlock.
struct EntryRows: Sendable {
    static let protection = ProtectionClass.afterFirstUnlock

    private let cipher: RowCipher
    private let random: any RandomSource

    init(cipher: RowCipher, random: any RandomSource) {
        self.cipher = cipher
        self.random = random
    }

    /// All entries, by the numbers of their rows; and the numbers of the damaged rows.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` before the first unlock.
    func load(
        from database: Database
    ) throws -> (entries: [(row: Int64, entry: StoredEntry)], damaged: [Int64]) {
        // Without a row, too: a locked device's store is not an empty one.
        try cipher.checkKey(of: Self.protection)
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT id, entry, revision FROM key_value_entry ORDER BY id"
        )
        var sealed = SealedRows()
        while let row = try rows.next() { try sealed.append(row) }
        var entries: [(row: Int64, entry: StoredEntry)] = []
        var damaged: [Int64] = []
        entries.reserveCapacity(sealed.places.count)
        for (place, entry) in zip(sealed.places, try openInParts(sealed)) {
            if let entry {
                entries.append((place.id, entry))
            } else {
                damaged.append(place.id)
            }
        }
        return (entries, damaged)
    }

    /// The rows as they were read, their bytes in one array: one for each takes longer to make.
    private struct SealedRows: Sendable {
        typealias Place = (id: Int64, box: Range<Int>, revision: Range<Int>)

        private(set) var places: [Place] = []
        private(set) var bytes: [UInt8] = []

        mutating func append(_ row: Row) throws {
            let box = try append(row, column: 1)
            places.append((id: row[0], box: box, revision: try append(row, column: 2)))
        }

        private mutating func append(_ row: Row, column: Int) throws -> Range<Int> {
            let start = bytes.count
            try row.withUnsafeData(atIndex: column) { data in
                unsafe data?.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
            }
            return start..<bytes.count
        }
    }

    private static let partCount = 500

    /// Opens rows on all processors: a program that starts waits for all entries of its store.
    ///
    /// - Returns: nil for each damaged row, which must not hide the others.
    private func openInParts(_ rows: SealedRows) throws -> [StoredEntry?] {
        let places = rows.places
        let starts = Array(stride(from: 0, to: places.count, by: Self.partCount))
        typealias Part = Result<[StoredEntry?], any Error>
        let parts = Mutex<[Part?]>(Array(repeating: nil, count: starts.count))
        @Sendable
        func open(_ index: Int) {
            let part = Result {
                try places[starts[index]...].prefix(Self.partCount).map { place in
                    try self.open(
                        Array(rows.bytes[place.box]),
                        context(place.id, revision: Array(rows.bytes[place.revision]))
                    )
                }
            }
            parts.withLock { $0[index] = part }
        }
        // A store is usually one part; simulated devices must not start threads.
        if starts.count < 2 {
            starts.indices.forEach(open)
        } else {
            DispatchQueue.concurrentPerform(iterations: starts.count, execute: open)
        }
        return try parts.withLock { $0 }.flatMap { try $0?.get() ?? [] }
    }

    /// - Returns: nil for a damaged row.
    private func open(_ box: [UInt8], _ context: RowContext) throws -> StoredEntry? {
        do {
            return try StoredEntry(decoding: try cipher.open(box, context))
        } catch SealingError.classLocked(let locked) {
            throw SealingError.classLocked(locked)
        } catch {
            return nil
        }
    }

    /// Writes an entry over its row, or into a new one.
    ///
    /// - Returns: the number of the row.
    func save(_ entry: StoredEntry, at row: Int64?, in database: Database) throws -> Int64 {
        let id =
            try row ?? (Int64.fetchOne(database, sql: "SELECT max(id) FROM key_value_entry") ?? 0)
            + 1
        let revision = random.bytes(16)
        let box = try cipher.seal(entry.encoded, context(id, revision: revision))
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO key_value_entry (id, protection, entry, revision)
                VALUES (?, ?, ?, ?)
                """
        ).execute(
            arguments: [id, Int64(Self.protection.rawValue), Data(box), Data(revision)]
        )
        return id
    }

    func delete(_ row: Int64, in database: Database) throws {
        try database.execute(sql: "DELETE FROM key_value_entry WHERE id = ?", arguments: [row])
    }

    private func context(_ row: Int64, revision: [UInt8]) -> RowContext {
        var encoder = CanonicalEncoder()
        encoder.integer(0)
        encoder.integer(UInt64(bitPattern: row))
        return RowContext(
            rowID: encoder.encoded,
            part: .attributes,
            table: "key_value_entry",
            protectionClass: Self.protection,
            accessGroup: "",
            revision: revision
        )
    }
}
