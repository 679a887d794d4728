internal import KSDigests

/// The statement that an added member signs: it holds its keys, and joins this circle at this
/// entry.
package enum Possession {
    package static func statement(
        account: AccountID,
        previousHash: Hash,
        signingKey: [UInt8],
        agreementKey: [UInt8]
    ) -> [UInt8] {
        var encoder = CanonicalEncoder(label: "possession")
        encoder.fixed(account)
        encoder.fixed(previousHash)
        encoder.bytes(signingKey)
        encoder.bytes(agreementKey)
        return encoder.encoded
    }

    static func isShown(by member: Member, in entry: CircleEntry, signature: [UInt8]) -> Bool {
        let statement = statement(
            account: entry.account,
            previousHash: entry.previousHash,
            signingKey: member.signingKey,
            agreementKey: member.agreementKey
        )
        return Ed25519Verification.isValid(
            signature: signature,
            of: statement,
            publicKey: member.signingKey
        )
    }
}
