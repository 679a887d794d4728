package import KSDigests
package import KSRecords

/// Issues nonces, and recognizes those that it issued.
///
/// A nonce is 16 random bytes and a MAC of them and of its expiry, so that unused nonces need no
/// memory. The store remembers the used ones until they expire.
package struct Challenges: Sendable {
    private static let randomByteCount = 16

    private let secret: ServerSecret
    private let random: any RandomSource
    private let clock: WallClock

    package init(secret: ServerSecret, random: any RandomSource, clock: WallClock) {
        self.secret = secret.derived(label: "challenges")
        self.random = random
        self.clock = clock
    }

    package func make() -> Challenge {
        let bytes = random.bytes(Self.randomByteCount)
        let expiry = clock.seconds() + Limits.challengeSeconds
        return Challenge(
            nonce: bytes + secret.authenticate(Self.statement(bytes, expiry)),
            expirySeconds: expiry
        )
    }

    /// Whether this server issued it and it has not expired.
    ///
    /// The store knows whether it was used.
    package func isOwn(_ challenge: Challenge) -> Bool {
        let now = clock.seconds()
        let bytes = Array(challenge.nonce.prefix(Self.randomByteCount))
        let code = Array(challenge.nonce.dropFirst(Self.randomByteCount))
        return secret.isAuthentic(Self.statement(bytes, challenge.expirySeconds), code: code)
            && challenge.expirySeconds > now
            && challenge.expirySeconds <= now + Limits.challengeSeconds
    }

    private static func statement(_ bytes: [UInt8], _ expirySeconds: UInt64) -> [UInt8] {
        var encoder = CanonicalEncoder(label: "challenge")
        encoder.bytes(bytes)
        encoder.integer(expirySeconds)
        return encoder.encoded
    }
}
