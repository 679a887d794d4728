import KSDigests
import Foundation
import KSRecords
import KSSealing
import KSStore
import Testing
import KSWire

import KSSyncServer

@Suite(.serialized)
struct CircleTests {
    @Test
    func `each member gets the chain and its own envelope`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let credentials = CircleSigner.credentials(account.credentials)
            let login = try await server.token(by: credentials, account: Array(account.name.utf8))
            let circle = try await server.get("/v1/circle", token: login)
                .message(WireCircleResponse.self)
            #expect(try circle.entries.map { try $0.value() } == [account.genesis.entry])
            #expect(Array(circle.credentialsBox) == account.genesis.credentialsBox)
            #expect(Array(circle.envelope.member) == account.credentials.memberID.bytes)

            let token = try await server.deviceToken(account)
            let answer = try await server.get("/v1/circle?after=1", token: token)
            let news = try answer.message(WireCircleResponse.self)
            // Devices keep what the server may lose.
            #expect(news.entries.isEmpty)
            #expect(Array(news.credentialsBox) == account.genesis.credentialsBox)
            #expect(news.envelopes.count == account.genesis.envelopes.count)
            #expect(Array(news.envelope.member) == account.device.memberID.bytes)
            for query in ["after=-1", "after=x", "after="] {
                #expect(
                    try await server.get("/v1/circle?\(query)", token: token).code == .malformed
                )
            }
        }
    }

    @Test
    func `a login adds its device, which may then push`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let phone = DeviceIdentity.random(from: account.random)
            let change = try account.adding(phone)
            let signer = CircleSigner.credentials(account.credentials)
            // Not a member yet.
            let early = try await server.openSession(by: .device(phone), account: account.id.bytes)
            #expect(early.code == .refused)

            let answer = try await server.putCircle(change, by: signer, account: account.id.bytes)
            #expect(answer.status == 200)
            #expect(try answer.message(WirePutCircleResponse.self).version == 2)
            // Its answer was lost: a repetition gets the same answer.
            let again = try await server.putCircle(change, by: signer, account: account.id.bytes)
            #expect(again.status == 200)

            let token = try await server.token(by: .device(phone), account: account.id.bytes)
            let batch = try account.batch(by: phone, actor: 9, epoch: epoch)
            #expect(try await server.push(batch, token: token).status == 200)
        }
    }

    @Test
    func `each member gets all envelopes of the newest entry, and credentials their earlier ones`()
        async throws
    {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let credentials = CircleSigner.credentials(account.credentials)
            let adding = try account.adding(DeviceIdentity.random(from: account.random))
            let put = try await server.putCircle(adding, by: credentials, account: account.id.bytes)
            #expect(put.status == 200)
            let login = try await server.token(by: credentials, account: Array(account.name.utf8))
            let device = try await server.deviceToken(account)
            for token in [login, device] {
                let newest = try await server.get("/v1/circle/entry", token: token)
                    .message(WireCircleEntryResponse.self)
                #expect(try newest.entry.value() == adding.entry)
                let envelopes = try newest.envelopes.map { try $0.value() }
                #expect(envelopes == adding.envelopes.sorted { $0.member < $1.member })
                #expect(newest.vector.isEmpty)
            }
            let path = "/v1/circle/entry?generation="
            let first = try await server.get(path + "1", token: login)
                .message(WireCircleEntryResponse.self)
            #expect(try first.entry.value() == account.genesis.entry)
            let own = account.genesis.envelopes.filter {
                $0.member == account.credentials.memberID
            }
            #expect(try first.envelopes.map { try $0.value() } == own)
            #expect(try await server.get(path + "1", token: device).code == .notFound)
            for generation in ["0", "2", "18446744073709551615"] {
                let answer = try await server.get(path + generation, token: login)
                #expect(answer.status == 404 && answer.code == .notFound)
            }
            for query in ["-1", "x", ""] {
                #expect(try await server.get(path + query, token: login).code == .malformed)
            }
            #expect(try await server.get("/v1/circle/entry", token: nil).status == 401)
        }
    }

    @Test
    func `an entry without a precondition, or with an outdated one, is refused`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let change = try account.adding(DeviceIdentity.random(from: account.random))
            let signer = CircleSigner.credentials(account.credentials)
            for header in [nil, "", "*", "\"\"", "W/\"1\"", "x", "-1", "18446744073709551615"] {
                let answer = try await server.putCircle(
                    change,
                    by: signer,
                    account: account.id.bytes,
                    ifMatch: header
                )
                #expect(answer.status == 428 && answer.code == .preconditionRequired)
            }
            for stale in ["0", "2", "\"7\""] {
                let answer = try await server.putCircle(
                    change,
                    by: signer,
                    account: account.id.bytes,
                    ifMatch: stale
                )
                #expect(answer.status == 412 && answer.code == .circleChanged)
            }
            let first = try await server.putCircle(change, by: signer, account: account.id.bytes)
            #expect(first.status == 200)
            let rival = try account.adding(DeviceIdentity.random(from: account.random))
            let second = try await server.putCircle(rival, by: signer, account: account.id.bytes)
            #expect(second.status == 412 && second.code == .circleChanged)
        }
    }

    @Test
    func `an entry needs its author's fresh proof over its exact bytes`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let stranger = try TestAccount(seed: 2)
            try await server.signUp(account)
            try await server.signUp(stranger)
            let change = try account.adding(DeviceIdentity.random(from: account.random))
            let credentials = CircleSigner.credentials(account.credentials)
            let token = try await server.deviceToken(account)
            let hash = Hash(validated: SHA256.hash([]))
            let faulty: [(CircleSigner, ProofFaults)] = [
                (credentials, ProofFaults(bodyHash: hash)),
                (credentials, ProofFaults(purpose: .session)),
                (credentials, ProofFaults(origin: "https://evil.example")),
                (.device(account.device), ProofFaults()),
                (.credentials(stranger.credentials), ProofFaults()),
                (.credentials(stranger.credentials), ProofFaults(account: stranger.id.bytes)),
            ]
            for (signer, faults) in faulty {
                let answer = try await server.putCircle(
                    change,
                    by: signer,
                    account: account.id.bytes,
                    faults: faults,
                    token: token
                )
                #expect(answer.status == 403 && answer.code == .refused)
            }
            // A good proof with the session of another account.
            let answer = try await server.putCircle(
                change,
                by: credentials,
                account: account.id.bytes,
                token: try await server.deviceToken(stranger)
            )
            #expect(answer.status == 403 && answer.code == .refused)
            #expect(try server.store.newestEntry(of: account.id) == account.genesis.entry)
        }
    }

    @Test
    func `an entry without all its envelopes is refused`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let change = try account.adding(DeviceIdentity.random(from: account.random))
            let answer = try await server.putCircle(
                change,
                by: .credentials(account.credentials),
                account: account.id.bytes,
                envelopes: Array(change.envelopes.dropLast())
            )
            #expect(answer.status == 403 && answer.code == .refused)
        }
    }

    /// An invalid box would make every later login impossible.
    @Test
    func `a credentials box comes with the credentials' signature only`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let device = CircleSigner.device(account.device)
            let newcomer = DeviceIdentity.random(from: account.random)
            let change = try account.adding(newcomer, by: device)
            let rubbish = CircleChange(
                entry: change.entry,
                envelopes: change.envelopes,
                credentialsBox: [1, 2, 3]
            )
            let refused = try await server.putCircle(
                rubbish,
                by: device,
                account: account.id.bytes
            )
            #expect(refused.status == 403 && refused.code == .refused)
            // A login without a new box would leave one that names an older entry.
            let credentials = CircleSigner.credentials(account.credentials)
            let login = try account.adding(newcomer)
            let bare = CircleChange(
                entry: login.entry,
                envelopes: login.envelopes,
                credentialsBox: nil
            )
            let lacking = try await server.putCircle(
                bare,
                by: credentials,
                account: account.id.bytes
            )
            #expect(lacking.status == 403 && lacking.code == .refused)
            #expect(try server.store.newestEntry(of: account.id) == account.genesis.entry)

            let taken = try await server.putCircle(change, by: device, account: account.id.bytes)
            #expect(taken.status == 200)
            let state = try server.store.circle(
                of: account.id,
                after: 0,
                for: account.credentials.memberID
            )
            #expect(state.credentialsBox == account.genesis.credentialsBox)
            #expect(state.entries.count == 2)
        }
    }

    @Test
    func `two devices of one line of sponsors replace no credentials`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let stolen = CircleSigner.device(account.device)
            let helper = DeviceIdentity.random(from: account.random)
            let added = try account.adding(helper, by: stolen)
            #expect(
                try await server.putCircle(added, by: stolen, account: account.id.bytes).status
                    == 200
            )
            for (second, status) in [
                (CircleSigner.device(helper), 403), (.credentials(account.credentials), 200),
            ] {
                let change = try account.replacingCredentials(
                    by: stolen,
                    and: second,
                    after: [account.genesis.entry, added.entry]
                )
                let answer = try await server.putCircle(
                    change,
                    by: stolen,
                    account: account.id.bytes,
                    ifMatch: "2"
                )
                #expect(answer.status == status)
            }
        }
    }
}
