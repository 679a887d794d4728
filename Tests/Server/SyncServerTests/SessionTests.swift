import KSDigests
import Foundation
import KSRecords
import KSSealing
import KSStore
import Testing
import KSWire

import KSSyncServer

@Suite(.serialized)
struct SessionTests {
    @Test
    func `a device signs in by account id, credentials by name`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            for (signer, handle) in [
                (CircleSigner.device(account.device), account.id.bytes),
                (.credentials(account.credentials), Array(account.name.utf8)),
                (.credentials(account.credentials), account.id.bytes),
            ] {
                let answer = try await server.openSession(by: signer, account: handle)
                #expect(answer.status == 200)
                let session = try answer.message(WireSessionResponse.self)
                #expect(Array(session.account) == account.id.bytes)
                #expect(try await server.get("/v1/circle", token: session.token).status == 200)
            }
        }
    }

    @Test
    func `an account named by sixteen bytes is found too`() async throws {
        try await withServer { server in
            let account = try TestAccount(name: "exactly 16 bytes")
            try await server.signUp(account)
            let answer = try await server.openSession(
                by: .credentials(account.credentials),
                account: Array("exactly 16 bytes".utf8)
            )
            #expect(answer.status == 200)
        }
    }

    @Test
    func `a nonce serves once`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let faults = ProofFaults(challenge: try await server.challenge())
            let signer = CircleSigner.device(account.device)
            let first = try await server.openSession(
                by: signer,
                account: account.id.bytes,
                faults: faults
            )
            #expect(first.status == 200)
            let again = try await server.openSession(
                by: signer,
                account: account.id.bytes,
                faults: faults
            )
            #expect(again.status == 403 && again.code == .refused)
        }
    }

    @Test
    func `an expired or unknown nonce is refused`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let expired = try await server.challenge()
            server.clock.advance(seconds: Limits.challengeSeconds)
            var longer = try await server.challenge()
            longer.expirySeconds += 1
            var invented = try await server.challenge()
            invented.nonce = Data(repeating: 0, count: invented.nonce.count)
            for challenge in [expired, longer, invented, WireChallengeResponse()] {
                let answer = try await server.openSession(
                    by: .device(account.device),
                    account: account.id.bytes,
                    faults: ProofFaults(challenge: challenge)
                )
                #expect(answer.status == 403 && answer.code == .refused)
            }
        }
    }

    /// Attacks 22 and 23: relayed to another host, replayed for another purpose, guessed names.
    @Test
    func `every wrong proof gets the same answer`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let stranger = try TestAccount(seed: 2)
            try await server.signUp(account)
            let hash = Hash(validated: SHA256.hash([1]))
            let faulty: [(CircleSigner, ProofFaults)] = [
                (.device(account.device), ProofFaults(origin: "https://evil.example")),
                (.device(account.device), ProofFaults(purpose: .circle)),
                (.device(account.device), ProofFaults(purpose: .deleteAccount)),
                (.device(account.device), ProofFaults(bodyHash: hash)),
                (.device(account.device), ProofFaults(account: stranger.id.bytes)),
                (.device(account.device), ProofFaults(account: Array("nobody".utf8))),
                (.device(account.device), ProofFaults(account: [])),
                (.device(account.device), ProofFaults(account: [0xff, 0xfe])),
                (.device(stranger.device), ProofFaults()),
                (.device(stranger.device), ProofFaults(member: account.device.memberID)),
                (
                    .credentials(stranger.credentials),
                    ProofFaults(account: Array(account.name.utf8))
                ),
            ]
            var answers: Set<String> = []
            for (signer, faults) in faulty {
                let start = ContinuousClock.now
                let answer = try await server.openSession(
                    by: signer,
                    account: account.id.bytes,
                    faults: faults
                )
                #expect(answer.code == .refused)
                #expect(ContinuousClock.now - start >= .milliseconds(25))
                let headers = answer.headers.filter { $0.key != "date" }.sorted { $0.key < $1.key }
                answers.insert("\(answer.status) \(headers) \(answer.text)")
            }
            #expect(answers.count == 1)
        }
    }

    @Test
    func `a token lasts an hour`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let token = try await server.deviceToken(account)
            server.clock.advance(seconds: 3599)
            #expect(try await server.get("/v1/changes", token: token).status == 200)
            server.clock.advance(seconds: 1)
            let answer = try await server.get("/v1/changes", token: token)
            #expect(answer.status == 401 && answer.code == .unauthenticated)
            #expect(answer.headers["www-authenticate"] == "Bearer")
        }
    }

    @Test(arguments: ["/v1/circle", "/v1/changes", "/v1/events"])
    func `nothing is returned without a session`(path: String) async throws {
        try await withServer { server in
            for header in [
                "", "Bearer", "Bearer x", "Basic YTpi",
                "Bearer " + String(repeating: "A", count: 5000),
            ] {
                let answer = try await server.request(
                    "GET",
                    path,
                    headers: ["Authorization": header]
                )
                #expect(answer.status == 401 && answer.code == .unauthenticated)
            }
        }
    }

    @Test
    func `deleting an account takes two fresh signatures, and ends its sessions`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let stranger = try TestAccount(seed: 2)
            try await server.signUp(account)
            try await server.signUp(stranger)
            let token = try await server.deviceToken(account)
            let device = CircleSigner.device(account.device)
            let credentials = CircleSigner.credentials(account.credentials)
            for faults in [
                ProofFaults(purpose: .session), ProofFaults(origin: "https://evil.example"),
                ProofFaults(account: stranger.id.bytes),
            ] {
                let first = try await server.deleteAccount(
                    account,
                    by: device,
                    and: credentials,
                    faults: faults
                )
                #expect(first.code == .refused)
                let second = try await server.deleteAccount(
                    account,
                    by: device,
                    and: credentials,
                    secondFaults: faults
                )
                #expect(second.code == .refused)
            }
            let strangers: [(CircleSigner, ProofFaults)] = [
                (device, ProofFaults()), (.device(stranger.device), ProofFaults()),
                (.device(stranger.device), ProofFaults(account: stranger.id.bytes)),
                (.credentials(stranger.credentials), ProofFaults(account: stranger.id.bytes)),
            ]
            for (second, faults) in strangers {
                let answer = try await server.deleteAccount(
                    account,
                    by: device,
                    and: second,
                    secondFaults: faults
                )
                #expect(answer.code == .refused)
            }
            let swapped = try await server.deleteAccount(account, by: credentials, and: device)
            #expect(swapped.code == .refused)
            let alone = try await server.deleteAccount(account, by: device, and: nil)
            #expect(alone.status == 400)
            #expect(try server.count(of: "account") == 2)
            #expect(try await server.get("/v1/circle", token: token).status == 200)

            let answer = try await server.deleteAccount(account, by: device, and: credentials)
            #expect(answer.status == 204)
            #expect(try await server.get("/v1/circle", token: token).code == .unauthenticated)
            let again = try await server.openSession(by: device, account: account.id.bytes)
            #expect(again.code == .refused)
            #expect(try server.count(of: "account") == 1)
        }
    }

    /// One unlocked device is stolen; it adds another.
    @Test
    func `a stolen device with one that it added does not end the account`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let stolen = DeviceIdentity.random(from: account.random)
            let helper = DeviceIdentity.random(from: account.random)
            let login = try account.adding(stolen)
            let owner = CircleSigner.credentials(account.credentials)
            #expect(
                try await server.putCircle(login, by: owner, account: account.id.bytes).status
                    == 200
            )
            let change = try account.adding(
                helper,
                by: .device(stolen),
                after: [account.genesis.entry, login.entry]
            )
            let thief = CircleSigner.device(stolen)
            let added = try await server.putCircle(
                change,
                by: thief,
                account: account.id.bytes,
                ifMatch: "2"
            )
            #expect(added.status == 200)
            for (first, second) in [(stolen, helper), (helper, stolen)] {
                let answer = try await server.deleteAccount(
                    account,
                    by: .device(first),
                    and: .device(second)
                )
                #expect(answer.status == 403 && answer.code == .refused)
            }
            #expect(try server.count(of: "account") == 1)
            let owners = try await server.deleteAccount(
                account,
                by: .device(account.device),
                and: .device(helper)
            )
            #expect(owners.status == 204)
        }
    }

    @Test
    func `a device of a suspended account asks again within about a minute`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let token = try await server.deviceToken(account)
            try server.store.setSuspended(true, account.id)
            let answer = try await server.get("/v1/circle", token: token)
            #expect(answer.code == .accountSuspended && answer.headers["retry-after"] == "60")
            try server.store.setSuspended(false, account.id)
            #expect(try await server.get("/v1/circle", token: token).status == 200)
        }
    }

    @Test
    func `too many challenges from one address have to wait`() async throws {
        try await withServer(options: .init(proofBurst: 2, proofsPerSecond: 1)) { server in
            _ = try await server.challenge()
            _ = try await server.challenge()
            let answer = try await server.post("/v1/sessions/challenge", WireChallengeRequest())
            #expect(answer.status == 429 && answer.code == .tooManyRequests)
            #expect(answer.headers["retry-after"] == "1")
        }
    }
}
