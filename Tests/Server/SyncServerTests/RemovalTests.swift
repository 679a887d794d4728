import Foundation
import KSMerging
import KSRecords
import KSStore
import KSWire
import Testing

import KSSyncServer

/// The removal of deleted records, as devices see it over HTTP.
struct RemovalTests {
    /// 24 steps of an hour each.
    private func passDays(_ count: Int, _ server: TestServer) async throws {
        for _ in 0..<count * 24 { try await server.service.passTime(seconds: 3600) }
    }

    @Test
    func `deleted records go when every device has them, and a returning one has to compare`()
        async throws
    {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            func changes(_ query: String = "") async throws -> HTTPAnswer {
                try await server.get("/v1/changes?" + query, token: token)
            }
            let added = try account.batch(count: 3, epoch: epoch)
            let first = try await server.push(added, token: token)
                .message(WirePushResponse.self).cursor.value()
            let deletion = try account.deletion(of: added, epoch: epoch)
            let newest = try await server.push(deletion, token: token)
                .message(WirePushResponse.self).cursor.value()

            // A batch without an answer is on its way, so nothing counts as applied.
            _ = try await changes("after=\(newest.text)&batch=1")
            try await passDays(31, server)
            #expect(try await server.service.removeDeleted() == 0)
            _ = try await changes("after=\(newest.text)")
            #expect(try await server.service.removeDeleted() == 1)

            let page = try await changes().message(WireChangesResponse.self)
            #expect(page.removalHorizon == 4 && page.accountSeq == 4)
            #expect(page.records.count == 2)
            let refused = try await changes("after=\(first.text)")
            #expect(refused.status == 409 && refused.code == .resyncRequired)
            #expect(try await changes("complete=3").code == .resyncRequired)
            #expect(try await changes("complete=4").status == 200)
            #expect(try await changes("after=\(first.text)&complete=4").status == 200)
            #expect(try await changes("after=\(newest.text)&complete=3").code == .resyncRequired)
            let late = try account.batch(actor: 9, epoch: epoch)
            let pushed = try await server.push(late, token: token, applied: first)
            #expect(pushed.code == .resyncRequired)
            #expect(try server.store.account(account.id)?.epoch == epoch)
        }
    }

    @Test
    func `a store that fails is maintained later`() async throws {
        try await withFaultyStore { server, store in
            try await server.signUp(TestAccount())
            store.fail(with: .storageFailed(code: 13))
            await #expect(throws: StoreError.storageFailed(code: 13)) {
                try await server.service.removeDeleted()
            }
            store.fail(with: nil)
            #expect(try await server.service.removeDeleted() == 0)
        }
    }
}
