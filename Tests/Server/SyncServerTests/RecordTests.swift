import KSCausality
import Dispatch
import Foundation
import KSMerging
import KSRecords
import KSSealing
import KSStore
import Testing
import KSWire

import KSSyncServer

@Suite(.serialized)
struct RecordTests {
    @Test
    func `a record pushed by one device is pulled by another`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let batch = try account.batch(count: 3, epoch: epoch)
            let pushed = try await server.push(batch, token: token)
            #expect(pushed.status == 200)
            let response = try pushed.message(WirePushResponse.self)
            #expect(response.records.map(\.seq) == [1, 2, 3])
            #expect(try await server.push(batch, token: token).body == pushed.body)

            var cursor: String?
            var records: [WireRecord] = []
            repeat {
                let query = "limit=2" + (cursor.map { "&after=\($0)" } ?? "")
                let answer = try await server.get("/v1/changes?\(query)", token: token)
                let page = try answer.message(WireChangesResponse.self)
                records += page.records
                cursor = page.more ? try page.cursor.value().text : nil
                if !page.more {
                    #expect(page.cursor == response.cursor)
                    #expect(try page.vector.vector()[ActorID(rawValue: 1)] == 3)
                    #expect(page.circleVersion == 1)
                }
            } while cursor != nil
            #expect(try records.flatMap(\.siblings).map { try $0.value() } == batch.envelopes)
        }
    }

    @Test
    func `a batch whose signature or account is not the caller's is refused`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let stranger = try TestAccount(seed: 2)
            let epoch = try await server.signUp(account)
            try await server.signUp(stranger)
            let token = try await server.deviceToken(account)
            let good = try account.batch(epoch: epoch)
            var flipped = good.signature
            flipped[0] ^= 1
            let forgeries = [
                Batch(
                    signedHeader: good.signedHeader,
                    signature: flipped,
                    envelopes: good.envelopes
                ),
                Batch(signedHeader: good.signedHeader, signature: [], envelopes: good.envelopes),
                Batch(signedHeader: [], signature: good.signature, envelopes: good.envelopes),
                try account.batch(by: stranger.device, epoch: epoch),
                try stranger.batch(by: account.device, epoch: epoch),
            ]
            for batch in forgeries {
                let answer = try await server.push(batch, token: token)
                #expect(answer.status == 403 && answer.code == .refused)
            }
            let credentials = try await server.token(
                by: .credentials(account.credentials),
                account: account.id.bytes
            )
            #expect(try await server.push(good, token: credentials).code == .refused)
            #expect(try await server.get("/v1/changes", token: credentials).code == .refused)
            #expect(try await server.get("/v1/events", token: credentials).code == .refused)
            #expect(try server.count(of: "record") == 0)
        }
    }

    /// Attack 36: a precondition that is missing or unreadable is refused, never waved through.
    @Test
    func `the store's refusals have their codes`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let other = StoreEpoch(validated: [UInt8](repeating: 9, count: 16))
            let foreign = try await server.push(try account.batch(epoch: other), token: token)
            #expect(foreign.status == 409 && foreign.code == .storeRestored)
            let gap = try await server.push(try account.batch(first: 2, epoch: epoch), token: token)
            #expect(gap.status == 409 && gap.code == .actorForked)

            var message = WirePushRequest(try account.batch(epoch: epoch), applied: nil)
            message.applied = WireCursor()
            #expect(try await server.post("/v1/batches", message, token: token).code == .malformed)
            for cursor in ["x", "", "AAAA", "%00"] {
                let answer = try await server.get("/v1/changes?after=\(cursor)", token: token)
                #expect(answer.status == 400 && answer.code == .malformed)
            }
            let unknown = Cursor(epoch: other, seq: 1, tag: .start)
            let answer = try await server.get("/v1/changes?after=\(unknown.text)", token: token)
            #expect(answer.code == .storeRestored)
        }
    }

    @Test
    func `larger input is refused with a code, a declared length before it is read`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let token = try await server.deviceToken(account)
            for query in ["limit=501", "wait=61"] {
                let answer = try await server.get("/v1/changes?\(query)", token: token)
                #expect(answer.status == 413 && answer.code == .tooLarge)
            }
            for query in [
                "limit=0", "limit=-1", "limit=x", "wait=1.5", "limit=99999999999999999999",
            ] {
                let answer = try await server.get("/v1/changes?\(query)", token: token)
                #expect(answer.status == 400 && answer.code == .malformed)
            }
            let headers = [
                "Authorization": "Bearer \(token)", "Content-Type": "application/x-protobuf",
            ]
            // A record of a key-value store, in its box of 81 bytes, and the rest of the message.
            let batchLimit = (4 << 20) + 81 + (256 << 10)
            for (path, limit) in [
                ("/v1/batches", batchLimit), ("/v1/accounts", 16 << 10), ("/v1/sessions", 8 << 10),
            ] {
                let answer = try await server.request(
                    "POST",
                    path,
                    headers: headers,
                    declaredLength: limit + 1
                )
                #expect(answer.status == 413 && answer.code == .tooLarge)
            }
        }
    }

    @Test
    func `a full account is refused with its code`() async throws {
        try await withServer(accountBytesMax: 10) { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let answer = try await server.push(try account.batch(epoch: epoch), token: token)
            #expect(answer.status == 507 && answer.code == .quotaExceeded)
        }
    }

    @Test
    func `pushes that wait together are committed together`() async throws {
        try await withFaultyStore { server, faultyStore in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let store = server.service.store
            let requests = try (1...40).map { actor in
                PushRequest(
                    account: account.id,
                    member: account.device.memberID,
                    batch: try account.batch(actor: UInt64(actor), epoch: epoch),
                    applied: nil
                )
            }
            let mayGoOn = faultyStore.holdFirstPush().mayGoOn
            try await withThrowingTaskGroup { group in
                for request in requests {
                    // It runs here until it waits for the queue.
                    group.addImmediateTask {
                        _ = try await store.pushes.push(request, byteCount: 1)
                    }
                }
                mayGoOn.signal()
                try await group.waitForAll()
            }
            #expect(faultyStore.commits.reduce(0, +) == 40)
            #expect(faultyStore.commits.count < 40)
            #expect(try server.store.account(account.id)?.seq == 40)
        }
    }
}
