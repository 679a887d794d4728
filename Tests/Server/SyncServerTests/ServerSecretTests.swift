import Foundation
import KSDigests
import KSRecords
import KSTestSupport
import Testing

import KSSyncServer

struct ServerSecretTests {
    private static func hex(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)
        }
    }

    /// RFC 4231, sections 4.2, 4.3 and 4.4.
    @Test(arguments: [
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
    ])
    func `the MAC is HMAC-SHA-256`(key: String, message: String, code: String) {
        let secret = ServerSecret(key: Self.hex(key))
        #expect(secret.authenticate(Self.hex(message)) == Self.hex(code))
        #expect(secret.isAuthentic(Self.hex(message), code: Self.hex(code)))
        #expect(!secret.isAuthentic(Self.hex(message) + [0], code: Self.hex(code)))
    }

    @Test
    func `a description of what has the secret does not show it`() {
        let tokens = SessionTokens(
            secret: ServerSecret(key: [77, 78, 79]),
            clock: ManualClock().wallClock
        )
        var dumped = ""
        dump(tokens, to: &dumped)
        for text in ["\(tokens)", String(reflecting: tokens), dumped] {
            #expect(text.contains("ServerSecret") && !text.contains("key"), "\(text)")
        }
    }

    @Test
    func `a token is valid for an hour`() {
        let clock = ManualClock()
        let secret = ServerSecret(key: [1, 2, 3])
        let tokens = SessionTokens(secret: secret, clock: clock.wallClock)
        let session = tokens.session(
            account: AccountID(validated: [UInt8](repeating: 1, count: 16)),
            member: MemberID(validated: [UInt8](repeating: 2, count: 16))
        )
        let token = tokens.token(of: session)
        #expect(tokens.session(ofToken: token) == session)
        clock.advance(seconds: 3599)
        #expect(tokens.session(ofToken: token) == session)
        clock.advance(seconds: 1)
        #expect(tokens.session(ofToken: token) == nil)
    }

    @Test
    func `a token with a longer life than any issued one is refused`() {
        let clock = ManualClock()
        let tokens = SessionTokens(secret: ServerSecret(key: [1]), clock: clock.wallClock)
        let (now, limit) = (clock.wallClock.seconds(), Limits.sessionSeconds)
        for (seconds, isGood) in [(limit, true), (limit + 1, false), (1_000_000_000, false)]
            as [(UInt64, Bool)]
        {
            let session = Session(
                account: AccountID(validated: [UInt8](repeating: 1, count: 16)),
                member: MemberID(validated: [UInt8](repeating: 2, count: 16)),
                expirySeconds: now + seconds
            )
            #expect((tokens.session(ofToken: tokens.token(of: session)) != nil) == isGood)
        }
    }

    @Test
    func `a challenge from before the clock was set back is refused`() {
        let clock = ManualClock()
        let challenges = Challenges(
            secret: ServerSecret(key: [1]),
            random: SeededRandomSource(seed: 3),
            clock: clock.wallClock
        )
        let challenge = challenges.make()
        clock.setBack(seconds: 1000)
        #expect(!challenges.isOwn(challenge))
    }

    @Test
    func `a directory's secret is made once, private to its owner, until it is renewed`()
        async throws
    {
        try await withTemporaryDirectory { path in
            let directory = DataDirectory(path: path)
            let random = SeededRandomSource(seed: 9)
            func code() throws -> [UInt8] {
                try ServerSecret(ofDirectory: directory, random: random).authenticate([1])
            }
            let first = try code()
            #expect(try code() == first)
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.secretPath)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try ServerSecret.renew(in: directory, random: random)
            #expect(try code() != first)
            try Data([1, 2, 3]).write(to: URL(filePath: directory.secretPath))
            #expect(throws: directory.hasUnreadableSecret) { try code() }
        }
    }

    @Test
    func `a token with any changed character is refused`() {
        let tokens = SessionTokens(secret: ServerSecret(key: [1]), clock: ManualClock().wallClock)
        let session = tokens.session(
            account: AccountID(validated: [UInt8](repeating: 1, count: 16)),
            member: MemberID(validated: [UInt8](repeating: 2, count: 16))
        )
        let token = Array(tokens.token(of: session))
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(tokens.session(ofToken: String(changed)) == nil)
        }
        let others = SessionTokens(secret: ServerSecret(key: [2]), clock: ManualClock().wallClock)
        #expect(others.session(ofToken: String(token)) == nil)
        #expect(tokens.session(ofToken: "") == nil)
    }

    @Test
    func `a challenge is valid until it expires, and only unchanged`() {
        let clock = ManualClock()
        let challenges = Challenges(
            secret: ServerSecret(key: [1]),
            random: SeededRandomSource(seed: 3),
            clock: clock.wallClock
        )
        let challenge = challenges.make()
        #expect(challenges.isOwn(challenge))
        #expect(challenges.make() != challenge)
        let longer = Challenge(
            nonce: challenge.nonce,
            expirySeconds: challenge.expirySeconds + 1
        )
        #expect(!challenges.isOwn(longer))
        #expect(!challenges.isOwn(Challenge(nonce: [], expirySeconds: challenge.expirySeconds)))
        clock.advance(seconds: Limits.challengeSeconds)
        #expect(!challenges.isOwn(challenge))
    }
}
