import GRDB
import KSRecords
import KSSealing
import KSStore
import Testing

import KSSyncServer

/// Accounts with damaged rows, whose circles are signed as real ones are.
struct CheckTests {
    /// Runs a server with an account of four records.
    private func withRecords(
        _ body: @Sendable (TestServer, TestAccount, String) async throws -> Void
    ) async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let batch = try account.batch(count: 4, epoch: epoch)
            #expect(try await server.push(batch, token: token).status == 200)
            try await body(server, account, token)
        }
    }

    private func seqs(_ server: TestServer, _ account: TestAccount) throws -> [UInt64] {
        let request = ChangesRequest(
            account: account.id,
            member: account.device.memberID,
            after: nil
        )
        return try server.store.changes(request).records.map(\.seq)
    }

    @Test
    func `a check names what is damaged, and a repair leaves it out`() async throws {
        try await withRecords { server, account, _ in
            let whole = try server.store.check(account.id, repairs: true)
            #expect(whole.damages.isEmpty && whole.records == 4 && whole.entries == 1)
            #expect(!whole.isRepaired)
            let epoch = try server.store.account(account.id)?.epoch
            try await server.database.write { database in
                let rows = try Int64.fetchAll(
                    database,
                    sql: "SELECT position FROM record ORDER BY position"
                )
                try database.execute(
                    sql: "UPDATE record SET siblings = x'ff' WHERE position = ?",
                    arguments: [rows[0]]
                )
                // The box is another one than its hash says.
                try database.execute(
                    sql: "UPDATE record SET boxes = zeroblob(length(boxes)) WHERE position = ?",
                    arguments: [rows[2]]
                )
            }
            let found = try server.store.check(account.id, repairs: false)
            #expect(found.damages == [.record(seq: 1), .record(seq: 3)] && !found.isRepaired)
            // What can be read is delivered.
            #expect(try seqs(server, account) == [2, 3, 4])
            #expect(try server.store.check(account.id, repairs: true).isRepaired)
            #expect(try server.store.check(account.id, repairs: false).damages.isEmpty)
            #expect(try seqs(server, account) == [2, 4])
            // Nothing is compared: a device keeps what it has.
            #expect(try server.store.account(account.id)?.epoch == epoch)
            #expect(try server.store.summary(of: account.id).records == 2)
        }
    }

    @Test
    func `wrong counts are found and put right`() async throws {
        try await withRecords { server, account, _ in
            let before = try server.store.summary(of: account.id).storedBytes
            try await server.database.write {
                try $0.execute(sql: "UPDATE account SET stored_bytes = stored_bytes + 5")
            }
            #expect(try server.store.check(account.id, repairs: false).damages == [.counts])
            #expect(try server.store.check(account.id, repairs: true).isRepaired)
            #expect(try server.store.summary(of: account.id).storedBytes == before)
        }
    }

    @Test
    func `a damaged circle is cut back to its last whole entry, which a device then extends`()
        async throws
    {
        try await withRecords { server, account, token in
            let phone = DeviceIdentity.random(from: account.random)
            let change = try account.adding(phone)
            let signer = CircleSigner.credentials(account.credentials)
            let put = try await server.putCircle(change, by: signer, account: account.id.bytes)
            #expect(put.status == 200)
            try await server.database.write {
                try $0.execute(sql: "UPDATE circle_entry SET entry = x'00' WHERE version = 2")
            }
            let found = try server.store.check(account.id, repairs: false)
            #expect(found.damages == [.circle(version: 2)])
            #expect(try server.store.check(account.id, repairs: true).isRepaired)
            #expect(try server.store.check(account.id, repairs: false).damages.isEmpty)
            #expect(try server.store.summary(of: account.id).circleVersion == 1)
            let again = try await server.putCircle(change, by: signer, account: account.id.bytes)
            #expect(again.status == 200, "\(again)")
        }
    }

    @Test
    func `a circle without its first entry cannot be repaired`() async throws {
        try await withRecords { server, account, _ in
            try await server.database.write {
                try $0.execute(sql: "UPDATE circle_entry SET entry = x'00'")
            }
            let found = try server.store.check(account.id, repairs: true)
            #expect(found.damages == [.circle(version: 1)] && !found.isRepaired)
        }
    }
}
