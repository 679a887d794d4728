import KSDigests
import GRDB
import KSRecords
import KSDeviceKeys
import KSSealing
import Testing

import KSSyncEngine

/// The sealing of sync's rows on disk.
struct SealedStateTests {
    private let random = SystemRandomSource()

    @Test
    func `a box opens only in its own row and beside its own revision`() throws {
        let keys = try LocalKeyFile.open(storage: MemoryKeyFiles(), random: random, mayCreate: true)
        let rows = SealedRows(cipher: keys.rowCipher(random: random), random: random)
        let record = RecordID(validated: [UInt8](repeating: 1, count: 32))
        let other = RecordID(validated: [UInt8](repeating: 2, count: 32))
        func seal(_ text: [UInt8]) throws -> SealedRows.Sealed {
            try rows.seal(text, table: .mirror, record: record, protection: .whenUnlocked)
        }
        func open(
            _ sealed: SealedRows.Sealed,
            in table: SealedRows.Table = .mirror,
            of record: RecordID,
            _ protection: ProtectionClass = .whenUnlocked
        ) throws -> [UInt8] {
            try rows.open(sealed, table: table, record: record, protection: protection)
        }
        let old = try seal([1])
        let new = try seal([2])
        #expect(try open(old, of: record) == [1])
        #expect(old.revision != new.revision)
        let replayed = SealedRows.Sealed(box: old.box, revision: new.revision)
        #expect(throws: SealingError.notAuthentic) { try open(replayed, of: record) }
        #expect(throws: SealingError.notAuthentic) { try open(new, of: other) }
        #expect(throws: SealingError.notAuthentic) { try open(new, in: .outbox, of: record) }
        #expect(throws: SealingError.notAuthentic) { try open(new, of: record, .afterFirstUnlock) }
    }

    @Test
    func `each account value is sealed under its protection class`() throws {
        let home = try ReplicaHome(ReplicaAccount())
        let classes = try home.database.read { database in
            try Row.fetchAll(database, sql: "SELECT name, protection FROM account_value")
        }.reduce(into: [String: Int64]()) { $0[$1["name"]] = $1["protection"] }
        let unlocked = Int64(ProtectionClass.whenUnlocked.rawValue)
        let afterFirst = Int64(ProtectionClass.afterFirstUnlock.rawValue)
        #expect(
            classes == [
                "key ring": unlocked, "account key": unlocked, "device identity": afterFirst,
                "server": afterFirst, "names": afterFirst,
            ]
        )
    }
}
