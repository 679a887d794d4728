/// A nonce for a member to sign, and when it expires.
package struct Challenge: Hashable, Sendable {
    package let nonce: [UInt8]
    /// Seconds since 1970-01-01 00:00 UTC.
    package let expirySeconds: UInt64

    package init(nonce: [UInt8], expirySeconds: UInt64) {
        self.nonce = nonce
        self.expirySeconds = expirySeconds
    }
}

/// The statement that a member signs to open a session, or for a call that needs more than a token.
package struct SessionStatement: SignedStatement, Hashable, Sendable {
    /// The purpose, which is also the label, so that a signature serves only one purpose.
    package enum Purpose: String, Sendable, CaseIterable {
        case session
        case circle
        case circleReturn = "circle return"
        case vector
        case deleteAccount = "delete account"
    }

    package let purpose: Purpose
    /// The origin that the client was configured with, such as `https://sync.example.org:8443`.
    package let origin: String
    /// The account id's bytes, or at a login the account's name in UTF-8.
    package let account: [UInt8]
    package let member: MemberID
    package let challenge: Challenge
    /// SHA-256 of the request's body, which may be empty.
    package let bodyHash: Hash

    package init(
        purpose: Purpose,
        origin: String,
        account: [UInt8],
        member: MemberID,
        challenge: Challenge,
        bodyHash: Hash
    ) {
        self.purpose = purpose
        self.origin = origin
        self.account = account
        self.member = member
        self.challenge = challenge
        self.bodyHash = bodyHash
    }

    /// The bytes that are signed.
    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: purpose.rawValue)
        encoder.string(purpose.rawValue)
        encoder.string(origin)
        encoder.bytes(account)
        encoder.fixed(member)
        encoder.bytes(challenge.nonce)
        encoder.integer(challenge.expirySeconds)
        encoder.fixed(bodyHash)
        return encoder.encoded
    }
}
