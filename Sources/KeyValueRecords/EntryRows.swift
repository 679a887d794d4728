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
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT id, entry, revision FROM key_value_entry ORDER BY id"
        )
        var sealed: [SealedRow] = []
        while let row = try rows.next() {
            let box = try row.withUnsafeData(atIndex: 1) { Array($0 ?? Data()) }
            let revision = try row.withUnsafeData(atIndex: 2) { Array($0 ?? Data()) }
            sealed.append(SealedRow(id: row[0], box: box, revision: revision))
        }
        var entries: [(row: Int64, entry: StoredEntry)] = []
        var damaged: [Int64] = []
        entries.reserveCapacity(sealed.count)
        for (row, entry) in zip(sealed, try openInParts(sealed)) {
            if let entry {
                entries.append((row.id, entry))
            } else {
                damaged.append(row.id)
            }
        }
        return (entries, damaged)
    }

    private struct SealedRow: Sendable {
        let id: Int64
        let box: [UInt8]
        let revision: [UInt8]
    }

    private static let partCount = 500

    /// Opens rows on all processors: a program that starts waits for all entries of its store.
    ///
    /// - Returns: nil for each damaged row, which must not hide the others.
    private func openInParts(_ rows: [SealedRow]) throws -> [StoredEntry?] {
        let starts = Array(stride(from: 0, to: rows.count, by: Self.partCount))
        typealias Part = Result<[StoredEntry?], any Error>
        let parts = Mutex<[Part?]>(Array(repeating: nil, count: starts.count))
        @Sendable
        func open(_ index: Int) {
            let rows = rows[starts[index]..<min(starts[index] + Self.partCount, rows.count)]
            let part = Result { try rows.map { try self.open($0) } }
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
    private func open(_ row: SealedRow) throws -> StoredEntry? {
        do {
            let bytes = try cipher.open(row.box, context(row.id, revision: row.revision))
            return try StoredEntry(decoding: bytes)
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
