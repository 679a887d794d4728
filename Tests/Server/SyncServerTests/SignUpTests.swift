import Foundation
import KSRecords
import KSSealing
import KSStore
import Testing
import KSWire

import KSSyncServer

@Suite(.serialized)
struct SignUpTests {
    @Test
    func `a sign-up and its retry are answered with the epoch`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            #expect(try await server.signUp(account) == epoch)
        }
    }

    @Test
    func `every answer has a date and is not to be cached`() async throws {
        try await withServer { server in
            for path in ["/healthz", "/v1/circle", "/nowhere"] {
                let answer = try await server.get(path, token: nil)
                #expect(answer.headers["date"]?.hasSuffix("GMT") == true)
                #expect(answer.headers["cache-control"] == "no-store")
            }
            #expect(try await server.get("/healthz", token: nil).status == 200)
            let missing = try await server.get("/nowhere", token: nil)
            #expect(missing.status == 404 && missing.code == .notFound)
        }
    }

    @Test
    func `a name that is taken is refused`() async throws {
        try await withServer { server in
            try await server.signUp(TestAccount(seed: 1, name: "Anna"))
            let answer = try await server.post(
                "/v1/accounts",
                TestAccount(seed: 2, name: "anna").signup
            )
            #expect(answer.status == 409 && answer.code == .nameTaken)
        }
    }

    @Test
    func `a sign-up for an unknown origin is refused early, and takes no name`() async throws {
        try await withServer { server in
            var message = try TestAccount(seed: 1, name: "Anna").signup
            message.origin = "https://sync.example.org"
            let refused = try await server.post("/v1/accounts", message)
            #expect(refused.status == 403 && refused.code == .wrongOrigin)
            var other = try TestAccount(seed: 2, name: "Anna").signup
            other.origin = server.origin
            #expect(try await server.post("/v1/accounts", other).status == 201)
            // The answer to the first may have been lost: the account exists by now.
            other.origin = "https://sync.example.org"
            #expect(try await server.post("/v1/accounts", other).status == 201)

            var challenge = WireChallengeRequest()
            for (origin, status) in [("", 200), (server.origin, 200), (other.origin, 403)] {
                challenge.origin = origin
                let answer = try await server.post("/v1/sessions/challenge", challenge)
                #expect(answer.status == status)
                #expect(status == 200 || answer.code == .wrongOrigin)
            }
        }
    }

    @Test
    func `a genesis entry that breaks a rule is refused`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let stranger = try TestAccount(seed: 2)
            var otherAccount = account.signup
            otherAccount.account = Data(stranger.id.bytes)
            var unsigned = account.signup
            unsigned.entry.signatures[0].signature = Data(repeating: 0, count: 64)
            var otherEnvelopes = account.signup
            otherEnvelopes.envelopes = stranger.signup.envelopes
            var noGenesis = account.signup
            let identity = DeviceIdentity.random(from: account.random)
            noGenesis.entry = WireSignedEntry(try account.adding(identity).entry)
            for message in [otherAccount, unsigned, otherEnvelopes, noGenesis] {
                let answer = try await server.post("/v1/accounts", message)
                #expect(answer.status == 403 && answer.code == .refused)
            }
            var withoutEntry = account.signup
            withoutEntry.clearEntry()
            var withoutBox = account.signup
            withoutBox.credentialsBox = Data()
            for message in [withoutEntry, withoutBox] {
                let answer = try await server.post("/v1/accounts", message)
                #expect(answer.status == 400 && answer.code == .malformed)
            }
            #expect(try server.count(of: "account") == 0)
        }
    }

    @Test
    func `the credentials box has a size limit`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            var message = account.signup
            message.credentialsBox = Data(count: Limits.keyEnvelopeBytesMax + 1)
            let answer = try await server.post("/v1/accounts", message)
            #expect(answer.status == 413 && answer.code == .tooLarge)
            message.credentialsBox = Data(count: Limits.signUpBytesMax / 2)
            #expect(try await server.post("/v1/accounts", message).status == 201)

            let change = try account.adding(DeviceIdentity.random(from: account.random))
            let extended = try await server.putCircle(
                CircleChange(
                    entry: change.entry,
                    envelopes: change.envelopes,
                    credentialsBox: [UInt8](repeating: 0, count: Limits.keyEnvelopeBytesMax + 1)
                ),
                by: .credentials(account.credentials),
                account: account.id.bytes
            )
            #expect(extended.status == 413 && extended.code == .tooLarge)
        }
    }

    @Test
    func `a closed server refuses every sign-up`() async throws {
        try await withServer(options: .init(registration: .closed)) { server in
            let answer = try await server.post("/v1/accounts", TestAccount().signup)
            #expect(answer.status == 403 && answer.code == .registrationClosed)
        }
    }

    @Test
    func `an invitation makes one account`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path
        let account = try TestAccount()
        let code = try Invitations(directory: path).make(random: account.random)
        // Reading the directory reveals no code.
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.count == 1 && !names.contains { $0.contains(code) })
        try await withServer(
            options: .init(registration: .invite),
            invitationsPath: path
        ) { server in
            var message = account.signup
            for wrong in ["", "../lock", "no such code"] {
                message.invitation = wrong
                let answer = try await server.post("/v1/accounts", message)
                #expect(answer.status == 403 && answer.code == .invitationNeeded)
            }
            message.invitation = code
            #expect(try await server.post("/v1/accounts", message).status == 201)
            // The answer was lost: a repetition makes no second account.
            #expect(try await server.post("/v1/accounts", message).status == 201)
            var second = try TestAccount(seed: 2).signup
            second.invitation = code
            #expect(try await server.post("/v1/accounts", second).code == .invitationUsed)
        }
    }

    @Test
    func `an invitation stays valid if its sign-up fails`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path
        let account = try TestAccount()
        let invitations = Invitations(directory: path)
        let codes = try (0..<2).map { _ in try invitations.make(random: account.random) }
        try await withServer(
            options: .init(registration: .invite),
            invitationsPath: path
        ) { server in
            var first = try TestAccount(seed: 1, name: "anna").signup
            first.invitation = codes[0]
            #expect(try await server.post("/v1/accounts", first).status == 201)
            var taken = try TestAccount(seed: 2, name: "anna").signup
            taken.invitation = codes[1]
            #expect(try await server.post("/v1/accounts", taken).code == .nameTaken)
            #expect(try !invitations.wasUsed(codes[1]) && invitations.wasUsed(codes[0]))
            taken.name = "berta"
            #expect(try await server.post("/v1/accounts", taken).status == 201)
        }
    }

    @Test
    func `a check says what a sign-up would be refused for, and makes nothing`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path
        let account = try TestAccount(seed: 1, name: "Anna")
        let code = try Invitations(directory: path).make(random: account.random)
        try await withServer(
            options: .init(registration: .invite),
            invitationsPath: path
        ) { server async throws in
            var check = WireSignupRequest()
            check.name = "anna"
            func refusal() async throws -> ErrorCode? {
                let answer = try await server.post("/v1/accounts/check", check)
                return answer.status == 200 ? nil : answer.code
            }
            #expect(try await refusal() == .invitationNeeded)
            check.invitation = code
            for _ in 0..<2 { #expect(try await refusal() == nil) }
            check.origin = "https://sync.example.org"
            #expect(try await refusal() == .wrongOrigin)
            check.origin = ""
            var message = account.signup
            message.invitation = code
            #expect(try await server.post("/v1/accounts", message).status == 201)
            #expect(try await refusal() == .invitationUsed)
        }
        try await withServer { server in
            try await server.signUp(account)
            var check = WireSignupRequest()
            check.name = "anna"
            #expect(try await server.post("/v1/accounts/check", check).code == .nameTaken)
            check.name = "berta"
            #expect(try await server.post("/v1/accounts/check", check).status == 200)
        }
        try await withServer(options: .init(registration: .closed)) { server in
            let answer = try await server.post("/v1/accounts/check", WireSignupRequest())
            #expect(answer.code == .registrationClosed)
        }
    }

    @Test
    func `a check counts as a sign-up for the limit`() async throws {
        try await withServer(options: .init(signupBurst: 2, signupsPerSecond: 0.1)) { server in
            var check = WireSignupRequest()
            check.name = "anna"
            #expect(try await server.post("/v1/accounts/check", check).status == 200)
            try await server.signUp(TestAccount(seed: 1))
            #expect(try await server.post("/v1/accounts/check", check).status == 429)
        }
    }

    @Test
    func `too many sign-ups from one address have to wait`() async throws {
        try await withServer(options: .init(signupBurst: 1, signupsPerSecond: 0.1)) { server in
            try await server.signUp(TestAccount(seed: 1))
            let answer = try await server.post("/v1/accounts", TestAccount(seed: 2).signup)
            #expect(answer.status == 429 && answer.code == .tooManyRequests)
            #expect(answer.headers["retry-after"] == "10")
            server.clock.advance(seconds: 10)
            try await server.signUp(TestAccount(seed: 2))
        }
    }
}
