import Foundation
import KSCausality
import KSRecords
import KSSealing
import KSStore
import KSWire
import SwiftProtobuf
import Testing

import KSSyncServer

/// What devices put right on a server that was restored from a backup: the circle and the vector.
struct ReturnTests {
    /// An account whose server has lost the entry that added the phone.
    private struct Lost {
        let account: TestAccount
        let phone: DeviceIdentity
        let change: CircleChange

        init(seed: UInt64 = 1) throws {
            account = try TestAccount(seed: seed)
            phone = DeviceIdentity.random(from: account.random)
            change = try account.adding(phone)
        }

        var circle: CircleReturn {
            CircleReturn(
                entries: [account.genesis.entry, change.entry],
                envelopes: change.envelopes,
                credentialsBox: change.credentialsBox ?? []
            )
        }
    }

    private func put(
        _ circle: CircleReturn,
        of account: TestAccount,
        by signer: DeviceIdentity,
        named name: String = "",
        invitation: String = "",
        faults: ProofFaults = ProofFaults(),
        on server: TestServer
    ) async throws -> HTTPAnswer {
        let bytes: [UInt8] = try WireCircleReturn(circle).serializedBytes()
        var message = WireReturnCircleRequest()
        (message.name, message.invitation) = (name, invitation)
        message.update = Data(bytes)
        message.proof = try await server.proof(
            .circleReturn,
            by: .device(signer),
            account: account.id.bytes,
            body: bytes,
            faults: faults
        )
        return try await server.post("/v1/circle/return", message)
    }

    @Test
    func `a device that the server has lost puts its entry back, once`() async throws {
        try await withServer { server in
            let lost = try Lost()
            try await server.signUp(lost.account)
            let id = lost.account.id.bytes
            let unknown = try await server.openSession(by: .device(lost.phone), account: id)
            #expect(unknown.code == .refused)
            for _ in 0..<2 {
                let answer = try await put(
                    lost.circle,
                    of: lost.account,
                    by: lost.phone,
                    on: server
                )
                #expect(answer.status == 200)
                #expect(try answer.message(WirePutCircleResponse.self).version == 2)
            }
            let token = try await server.token(by: .device(lost.phone), account: id)
            let shown = try await server.get("/v1/circle", token: token)
                .message(WireCircleResponse.self).value()
            #expect(shown.entries == lost.circle.entries)
            let own = lost.change.envelopes.first { $0.member == lost.phone.memberID }
            #expect(shown.envelope == own)
            #expect(shown.credentialsBox == lost.change.credentialsBox)
            #expect(shown.envelopes == lost.change.envelopes.sorted { $0.member < $1.member })
        }
    }

    @Test
    func `what is not the circle's next part, or not a member's, changes nothing`() async throws {
        try await withServer { server in
            let (lost, other) = (try Lost(), try Lost(seed: 2))
            try await server.signUp(lost.account)
            try await server.signUp(other.account)
            let stranger = DeviceIdentity.random(from: lost.account.random)
            func expectRefused(
                _ circle: CircleReturn,
                by signer: DeviceIdentity,
                faults: ProofFaults = ProofFaults(),
                _ code: ErrorCode
            ) async throws {
                let answer = try await put(
                    circle,
                    of: lost.account,
                    by: signer,
                    faults: faults,
                    on: server
                )
                #expect(answer.code == code)
                #expect(try server.store.circleEntries(of: lost.account.id).count == 1)
            }
            let circle = lost.circle
            try await expectRefused(circle, by: stranger, .refused)
            try await expectRefused(
                circle,
                by: lost.phone,
                faults: ProofFaults(purpose: .circle),
                .refused
            )
            try await expectRefused(other.circle, by: other.phone, .malformed)
            // Without the first entry, in the wrong order, and with another key envelope.
            for entries in [[], Array(circle.entries.reversed())] {
                let cut = CircleReturn(
                    entries: entries,
                    envelopes: circle.envelopes,
                    credentialsBox: circle.credentialsBox
                )
                let answer = try await put(cut, of: lost.account, by: lost.phone, on: server)
                #expect(answer.status >= 400)
            }
            var envelopes = circle.envelopes
            envelopes[0] = KeyEnvelope(member: envelopes[0].member, sealed: [1, 2, 3])
            let forged = CircleReturn(
                entries: circle.entries,
                envelopes: envelopes,
                credentialsBox: circle.credentialsBox
            )
            try await expectRefused(forged, by: lost.phone, .malformed)
            // Another entry took its place meanwhile.
            let rival = try lost.account.adding(stranger)
            let taken = try await server.putCircle(
                rival,
                by: .credentials(lost.account.credentials),
                account: lost.account.id.bytes
            )
            #expect(taken.status == 200)
            let late = try await put(circle, of: lost.account, by: lost.phone, on: server)
            #expect(late.code == .circleChanged)
            #expect(try server.store.circleEntries(of: lost.account.id).last == rival.entry)
        }
    }

    @Test
    func `a device makes an account again that the server has lost`() async throws {
        try await withServer { server in
            let lost = try Lost()
            let (circle, id) = (lost.circle, lost.account.id)
            func put(
                _ circle: CircleReturn,
                named name: String,
                by signer: DeviceIdentity? = nil
            ) async throws -> HTTPAnswer {
                try await self.put(
                    circle,
                    of: lost.account,
                    by: signer ?? lost.phone,
                    named: name,
                    on: server
                )
            }
            #expect(try await put(circle, named: "").code == .accountUnknown)
            // Only a member makes it, from its first entry on, and with the newest envelopes.
            let stranger = DeviceIdentity.random(from: lost.account.random)
            #expect(try await put(circle, named: "ann", by: stranger).code == .refused)
            for entries in [[], Array(circle.entries.dropFirst())] {
                let cut = CircleReturn(
                    entries: entries,
                    envelopes: circle.envelopes,
                    credentialsBox: circle.credentialsBox
                )
                #expect(try await put(cut, named: "ann").status >= 400)
            }
            #expect(try server.store.account(id) == nil)
            for _ in 0..<2 {
                let answer = try await put(circle, named: "ann")
                #expect(answer.status == 200)
                #expect(try answer.message(WirePutCircleResponse.self).version == 2)
            }
            #expect(try server.store.account(named: "ann")?.id == id)
            #expect(try server.store.circleEntries(of: id) == circle.entries)
            let token = try await server.token(by: .device(lost.phone), account: id.bytes)
            let shown = try await server.get("/v1/circle", token: token)
                .message(WireCircleResponse.self).value()
            #expect(shown.envelopes == lost.change.envelopes.sorted { $0.member < $1.member })
            #expect(shown.credentialsBox == lost.change.credentialsBox)
            // Who logs in finds it by its name.
            let credentials = CircleSigner.credentials(lost.account.credentials)
            let login = try await server.openSession(by: credentials, account: Array("ann".utf8))
            #expect(login.status == 200)
            // Another account cannot take the name.
            let other = try Lost(seed: 2)
            let taken = try await self.put(
                other.circle,
                of: other.account,
                by: other.phone,
                named: "Ann",
                on: server
            )
            #expect(taken.code == .nameTaken)
            #expect(try server.store.account(other.account.id) == nil)
        }
    }

    @Test
    func `a server that makes no accounts makes none again`() async throws {
        try await withServer(options: .init(registration: .closed)) { server in
            let lost = try Lost()
            let answer = try await put(
                lost.circle,
                of: lost.account,
                by: lost.phone,
                named: "ann",
                on: server
            )
            #expect(answer.code == .registrationClosed)
        }
        try await withServer(options: .init(registration: .invite)) { server in
            let lost = try Lost()
            let answer = try await put(
                lost.circle,
                of: lost.account,
                by: lost.phone,
                named: "ann",
                invitation: "unknown",
                on: server
            )
            #expect(answer.code == .invitationNeeded)
            #expect(try server.store.account(lost.account.id) == nil)
        }
    }

    @Test
    func `a device raises the vector of its account, in the present epoch`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            _ = try await server.push(try account.batch(epoch: epoch), token: token)
            let (open, gone) = (ActorID(rawValue: 1), ActorID(rawValue: 77))
            func raise(
                _ vector: [(actor: ActorID, counter: UInt64)],
                epoch: StoreEpoch,
                purpose: SessionStatement.Purpose = .vector
            ) async throws -> HTTPAnswer {
                let update = WireVectorUpdate(VersionVector(vector), epoch: epoch)
                let bytes: [UInt8] = try update.serializedBytes()
                var message = WireRaiseVectorRequest()
                message.update = Data(bytes)
                message.proof = try await server.proof(
                    purpose,
                    by: .device(account.device),
                    account: account.id.bytes,
                    body: bytes
                )
                return try await server.post("/v1/vector", message, token: token)
            }
            func seen(_ counter: UInt64) -> VersionVector {
                var vector = VersionVector()
                vector.raise(open, to: 1)
                if counter > 0 { vector.raise(gone, to: counter) }
                return vector
            }
            func vector() async throws -> VersionVector {
                try await server.get("/v1/changes", token: token)
                    .message(WireChangesResponse.self).vector.vector()
            }
            #expect(try await raise([(gone, 5)], epoch: epoch, purpose: .circle).code == .refused)
            let other = StoreEpoch(validated: [UInt8](repeating: 9, count: 16))
            #expect(try await raise([(gone, 5)], epoch: other).code == .storeRestored)
            // An actor that may still write has written nothing more.
            #expect(try await raise([(open, 2), (gone, 5)], epoch: epoch).code == .malformed)
            #expect(try await vector() == seen(0))
            let counters: [UInt64] = [5, 3]
            for counter in counters {
                let answer = try await raise([(open, 1), (gone, counter)], epoch: epoch)
                #expect(answer.status == 200)
                #expect(try await vector() == seen(5))
            }
            // A raised actor never writes again.
            let late = try account.batch(actor: gone.rawValue, first: 6, epoch: epoch)
            #expect(try await server.push(late, token: token).code == .actorForked)
        }
    }
}
