internal import KSDigests
internal import KSRecords
internal import KSSecrets

/// A note for the account's next login, sealed under the wrap key: H, the newest circle entry that
/// the credentials have seen, so that an older circle does not pass for the newest, and a check of
/// the index key, which no entry states.
struct CredentialsBox {
    let hedgeSecret: SharedSecret
    let circleVersion: UInt64
    let entryHash: Hash
    /// ``KeyRing/indexCheck``.
    let indexCheck: [UInt8]

    func seal(
        for credentials: AccountCredentials,
        account: AccountID,
        random: any RandomSource
    ) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.bytes(hedgeSecret.copyBytes())
        encoder.integer(circleVersion)
        encoder.fixed(entryHash)
        encoder.bytes(indexCheck)
        return BoxKey(credentials.wrapKey).seal(
            encoder.encoded,
            purpose: .credentials,
            context: Self.context(account: account, credentials: credentials),
            random: random
        )
    }

    static func open(
        _ box: [UInt8],
        with credentials: AccountCredentials,
        account: AccountID
    ) throws(SealingError) -> CredentialsBox {
        let text = try BoxKey(credentials.wrapKey).open(
            box,
            purpose: .credentials,
            context: context(account: account, credentials: credentials)
        )
        do {
            var decoder = CanonicalDecoder(text)
            let hedgeSecret = SharedSecret(bytes: try decoder.bytes(count: 32))
            let version = try decoder.integer()
            let hash: Hash = try decoder.fixed()
            let check = try decoder.bytes(count: 32)
            try decoder.end()
            return CredentialsBox(
                hedgeSecret: hedgeSecret,
                circleVersion: version,
                entryHash: hash,
                indexCheck: check
            )
        } catch {
            throw .malformed
        }
    }

    private static func context(account: AccountID, credentials: AccountCredentials) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.fixed(account)
        encoder.bytes(credentials.signingPublicKey)
        return encoder.encoded
    }
}
