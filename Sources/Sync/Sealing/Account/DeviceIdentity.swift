package import KSDigests
internal import KSPrimitives
package import KSRecords
internal import KSSecrets

/// A device's own keys, made on it and never sent, which make it a member of the circle.
package struct DeviceIdentity: Sendable {
    package let memberID: MemberID
    let signingKey: Ed25519PrivateKey
    let agreementKey: X25519PrivateKey

    private init(seed: SharedSecret, agreement: SharedSecret) {
        signingKey = Ed25519PrivateKey(seed: seed)
        agreementKey = X25519PrivateKey(agreement)
        memberID = MemberID(signingKey: signingKey.publicKey)
    }

    package static func random(from random: any RandomSource) -> DeviceIdentity {
        DeviceIdentity(seed: .random(from: random), agreement: .random(from: random))
    }

    package var signingPublicKey: [UInt8] { signingKey.publicKey }
    package var agreementPublicKey: [UInt8] { agreementKey.publicKey }

    /// The private keys as bytes, to be sealed at once.
    package func encode() -> [UInt8] {
        var encoder = CanonicalEncoder(label: "device keys")
        encoder.bytes(signingKey.seed.copyBytes())
        encoder.bytes(agreementKey.bytes.copyBytes())
        return encoder.encoded
    }

    /// - Throws: ``SealingError/malformed``.
    package init(decoding encoded: [UInt8]) throws(SealingError) {
        do {
            var decoder = try CanonicalDecoder(encoded, label: "device keys")
            let seed = try decoder.bytes(count: 32)
            let agreement = try decoder.bytes(count: 32)
            try decoder.end()
            self.init(
                seed: SharedSecret(bytes: seed),
                agreement: SharedSecret(bytes: agreement)
            )
        } catch {
            throw .malformed
        }
    }
}
