internal import Foundation
internal import GRDB
internal import KSDigests
internal import KSKeyValues
internal import KSRecords
internal import KSDeviceKeys
internal import KSSealing

/// The rows of `key_value_entry`, each sealed under the class that opens after the first unlock.
struct EntryRows: Sendable {
    static let protection = ProtectionClass.afterFirstUnlock

    private let cipher: RowCipher
    private let random: any RandomSource

    init(cipher: RowCipher, random: any RandomSource) {
        self.cipher = cipher
        self.random = random
    }

    private static let partCount = 500

    /// All entries, by the numbers of their rows; and the numbers of the damaged rows.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` before the first unlock.
    func load(
        from database: Database
    ) throws -> (entries: [(row: Int64, entry: StoredEntry)], damaged: [Int64]) {
        // Throws even without a row: a locked device's store is not an empty one.
        try cipher.checkKey(of: Self.protection)
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT id, entry, revision FROM key_value_entry ORDER BY id"
        )
        let opening = RowOpening<StoredEntry?> { row in
            try open(row.box, context(row.id, revision: row.revision))
        }
        var part = UnopenedRows()
        var ids: [Int64] = []
        while let row = try rows.next() {
            // The last part is opened here: the stores of most devices are one part, and simulated
            // devices must not start threads.
            if part.count == Self.partCount { opening.add(part.take()) }
            ids.append(try part.append(row))
        }
        let opened = try opening.finish(with: part)
        var entries: [(row: Int64, entry: StoredEntry)] = []
        var damaged: [Int64] = []
        entries.reserveCapacity(ids.count)
        for (id, entry) in zip(ids, opened) {
            if let entry {
                entries.append((id, entry))
            } else {
                damaged.append(id)
            }
        }
        return (entries, damaged)
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
