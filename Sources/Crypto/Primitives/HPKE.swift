internal import Crypto
package import KSDigests
internal import Foundation
package import KSSecrets

/// Sealing to a public key, once (RFC 9180 §6.1, single shot).
///
/// The suite is X25519 / HKDF-SHA-256 / AES-256-GCM (ids 0x0020, 0x0001, 0x0002); a message is the
/// encapsulated key (32 bytes), then ciphertext and tag.
package enum HPKE {
    package static let encapsulatedKeyByteCount = 32

    /// A key that both sides share, and its public id.
    package struct PreSharedKey: Sendable {
        let secret: KSSecrets.SharedSecret
        let id: [UInt8]

        /// Takes a secret of at least 32 bytes (RFC 9180 §9.5).
        package init(_ secret: KSSecrets.SharedSecret, id: [UInt8]) {
            precondition(secret.count >= 32 && !id.isEmpty)
            self.secret = secret
            self.id = id
        }
    }

    /// The private key that a sender uses for one message.
    package struct EphemeralKey: Sendable {
        fileprivate let bytes: [UInt8]

        package init(random: any RandomSource) {
            bytes = random.bytes(32)
        }

        /// DeriveKeyPair (RFC 9180 §7.1.3, X25519): the seed determines the message.
        ///
        /// The seed has 32 uniform bytes.
        package init(seed: KSSecrets.SharedSecret) {
            precondition(seed.count == 32)
            let suiteID = Array("KEM".utf8) + [0x00, 0x20]
            let labelled = Array("HPKE-v1".utf8) + suiteID
            let key = HKDF.extract(
                salt: [],
                inputKey: .joining([
                    KSSecrets.SharedSecret(bytes: labelled + Array("dkp_prk".utf8)), seed,
                ])
            )
            // LabeledExpand: the length comes first, in 2 bytes.
            let info = [0, 32] + labelled + Array("sk".utf8)
            bytes = HKDF.expand(key: key, info: info, count: 32).copyBytes()
        }
    }

    private static let suite = Crypto.HPKE.Ciphersuite(
        kem: .Curve25519_HKDF_SHA256,
        kdf: .HKDF_SHA256,
        aead: .AES_GCM_256
    )

    /// Seals a text to a public key.
    ///
    /// With a pre-shared key, only who knows that too can have made the result (PSK mode); without
    /// one, anybody can (base mode).
    package static func seal(
        _ text: [UInt8],
        to publicKey: [UInt8],
        psk: PreSharedKey?,
        info: [UInt8],
        associatedData: [UInt8] = [],
        ephemeralKey: EphemeralKey
    ) throws(PrimitivesError) -> [UInt8] {
        guard PublicKeyRules.isUsableForAgreement(publicKey) else { throw .publicKeyRefused }
        let info = Data(info)
        do {
            let key = try HPKEPublicKey(rawRepresentation: publicKey)
            var sender = try HPKEEphemeralKey.$bytes.withValue(ephemeralKey.bytes) {
                guard let psk else {
                    return try Crypto.HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
                }
                return try Crypto.HPKE.Sender(
                    recipientKey: key,
                    ciphersuite: suite,
                    info: info,
                    presharedKey: SymmetricKey(data: psk.secret.copyBytes()),
                    presharedKeyIdentifier: Data(psk.id)
                )
            }
            let sealed = try sender.seal(text, authenticating: associatedData)
            return [UInt8](sender.encapsulatedKey) + [UInt8](sealed)
        } catch {
            // Lengths and points are checked above, so only the library can fail here.
            throw .library(code: 0)
        }
    }

    /// Opens what was sealed with the same pre-shared key, or without any.
    package static func open(
        _ sealed: [UInt8],
        with key: X25519PrivateKey,
        psk: PreSharedKey?,
        info: [UInt8],
        associatedData: [UInt8] = []
    ) throws(PrimitivesError) -> [UInt8] {
        let encapsulated = Array(sealed.prefix(encapsulatedKeyByteCount))
        guard PublicKeyRules.isUsableForAgreement(encapsulated) else { throw .publicKeyRefused }
        let (info, encapsulatedKey) = (Data(info), Data(encapsulated))
        do {
            let key = try Curve25519.KeyAgreement.PrivateKey(
                rawRepresentation: key.bytes.copyBytes()
            )
            var recipient =
                if let psk {
                    try Crypto.HPKE.Recipient(
                        privateKey: key,
                        ciphersuite: suite,
                        info: info,
                        encapsulatedKey: encapsulatedKey,
                        presharedKey: SymmetricKey(data: psk.secret.copyBytes()),
                        presharedKeyIdentifier: Data(psk.id)
                    )
                } else {
                    try Crypto.HPKE.Recipient(
                        privateKey: key,
                        ciphersuite: suite,
                        info: info,
                        encapsulatedKey: encapsulatedKey
                    )
                }
            let text = try recipient.open(
                sealed.dropFirst(encapsulatedKeyByteCount),
                authenticating: associatedData
            )
            return [UInt8](text)
        } catch {
            throw .notAuthentic
        }
    }
}
