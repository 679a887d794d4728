import GRDB
import KSKeychain
import KSRecords
import Testing

import KSSyncEngine

/// Deleted items stay deleted, whatever one device restores.
struct ComebackTests {
    private let account: ReplicaAccount
    private let reader: ReplicaHome
    private let writer: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        (reader, writer) = try account.readerAndWriter()
        try writer.save("wifi", "one")
    }

    private func tombstone() throws -> Envelope {
        _ = try writer.pushTaken(from: 1)
        writer.clock.advance(seconds: 10)
        try writer.delete("wifi")
        return try #require(try writer.pushTaken(from: 2).envelopes.first)
    }

    @Test
    func `a restored backup does not bring back items that other devices deleted`() throws {
        let backup = try writer.backUp()
        try reader.pull(account.page([.of([try tombstone()], seq: 2)], to: 2))
        var counts = RestoreCounts()
        counts.leftOut.deleted = 1
        #expect(try reader.restore(backup) == counts)
        #expect(try reader.secret("wifi") == nil)
        #expect(try reader.replica.counts().unsent == 0)

        // It does if its user says so, and once only.
        #expect(try reader.restore(backup, undeletes: true).added == 1)
        #expect(try reader.secret("wifi") == "one")
        #expect(try reader.replica.counts().unsent == 1)
        #expect(try reader.restore(backup, undeletes: true).unchanged == 1)
        #expect(try reader.restore(backup).unchanged == 1)
    }

    /// Damages the reader's row, quarantines it, and repairs it there.
    private func blocked() throws {
        try reader.execute("UPDATE genp SET secret = CAST(secret || x'00' AS BLOB)")
        let found = try reader.keychain.find(reader.query("wifi"))
        try reader.keychain.quarantine(found.unreadable)
        try reader.execute(
            "UPDATE quarantine SET secret = substr(secret, 1, length(secret) - 1)"
        )
    }

    @Test
    func `a quarantined item that another device deletes does not come back`() throws {
        let first = try #require(try writer.pushTaken(from: 1).envelopes.first)
        try reader.pull(account.page([.of([first], seq: 1)], to: 1))
        try blocked()
        try writer.delete("wifi")
        let tombstone = try #require(try writer.pushTaken(from: 2).envelopes.first)
        try reader.hear(account.page([.of([tombstone], seq: 2)], to: 2))
        #expect(try reader.keychain.restoreQuarantined() == 0)
        #expect(try reader.secret("wifi") == nil)
        #expect(try reader.replica.counts().unsent == 0)
    }

    @Test
    func `a quarantined item is restored as the account has it`() throws {
        let first = try #require(try writer.pushTaken(from: 1).envelopes.first)
        try reader.pull(account.page([.of([first], seq: 1)], to: 1))
        try blocked()
        #expect(try reader.secret("wifi") == nil)
        #expect(try reader.keychain.restoreQuarantined() == 1)
        #expect(try reader.secret("wifi") == "one")
        #expect(try reader.replica.counts().unsent == 0)
        #expect(try reader.keychain.restoreQuarantined() == 0)
    }
}
