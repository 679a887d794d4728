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
        package init(_ secret: KSSecrets.SharedSecret, id: String) {
            self.init(secret, idBytes: Array(id.utf8))
        }

        package init(_ secret: KSSecrets.SharedSecret, idBytes: [UInt8]) {
            precondition(secret.count >= 32 && !idBytes.isEmpty)
            self.secret = secret
            id = idBytes
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

    /// Base mode: anyone who knows `publicKey` can make such a message.
    package static func sealBase(
        _ text: [UInt8],
        to publicKey: [UInt8],
        info: [UInt8],
        associatedData: [UInt8] = [],
        random: any RandomSource
    ) throws(PrimitivesError) -> [UInt8] {
        let ephemeral = random.bytes(32)
        return try seal(text, to: publicKey, associatedData: associatedData, ephemeral: ephemeral) {
            try Crypto.HPKE.Sender(recipientKey: $0, ciphersuite: suite, info: Data(info))
        }
    }

    package static func openBase(
        _ sealed: [UInt8],
        with key: X25519PrivateKey,
        info: [UInt8],
        associatedData: [UInt8] = []
    ) throws(PrimitivesError) -> [UInt8] {
        try open(sealed, with: key, associatedData: associatedData) {
            try Crypto.HPKE.Recipient(
                privateKey: $0,
                ciphersuite: suite,
                info: Data(info),
                encapsulatedKey: $1
            )
        }
    }

    /// PSK mode: only a holder of the pre-shared key can make such a message.
    package static func sealPSK(
        _ text: [UInt8],
        to publicKey: [UInt8],
        psk: PreSharedKey,
        info: [UInt8],
        associatedData: [UInt8] = [],
        ephemeralKey: EphemeralKey
    ) throws(PrimitivesError) -> [UInt8] {
        let ephemeral = ephemeralKey.bytes
        return try seal(text, to: publicKey, associatedData: associatedData, ephemeral: ephemeral) {
            try Crypto.HPKE.Sender(
                recipientKey: $0,
                ciphersuite: suite,
                info: Data(info),
                presharedKey: SymmetricKey(data: psk.secret.copyBytes()),
                presharedKeyIdentifier: Data(psk.id)
            )
        }
    }

    package static func openPSK(
        _ sealed: [UInt8],
        with key: X25519PrivateKey,
        psk: PreSharedKey,
        info: [UInt8],
        associatedData: [UInt8] = []
    ) throws(PrimitivesError) -> [UInt8] {
        try open(sealed, with: key, associatedData: associatedData) {
            try Crypto.HPKE.Recipient(
                privateKey: $0,
                ciphersuite: suite,
                info: Data(info),
                encapsulatedKey: $1,
                presharedKey: SymmetricKey(data: psk.secret.copyBytes()),
                presharedKeyIdentifier: Data(psk.id)
            )
        }
    }

    private static let suite = Crypto.HPKE.Ciphersuite(
        kem: .Curve25519_HKDF_SHA256,
        kdf: .HKDF_SHA256,
        aead: .AES_GCM_256
    )

    private static func seal(
        _ text: [UInt8],
        to publicKey: [UInt8],
        associatedData: [UInt8],
        ephemeral: [UInt8],
        makeSender: (HPKEPublicKey) throws -> Crypto.HPKE.Sender
    ) throws(PrimitivesError) -> [UInt8] {
        guard PublicKeyRules.isUsableForAgreement(publicKey) else { throw .publicKeyRefused }
        do {
            let recipient = try HPKEPublicKey(rawRepresentation: publicKey)
            var sender = try HPKEEphemeralKey.$bytes.withValue(ephemeral) {
                try makeSender(recipient)
            }
            let sealed = try sender.seal(text, authenticating: associatedData)
            return [UInt8](sender.encapsulatedKey) + [UInt8](sealed)
        } catch {
            // Lengths and points are checked above, so only the library can fail here.
            throw .library(code: 0)
        }
    }

    private static func open(
        _ sealed: [UInt8],
        with key: X25519PrivateKey,
        associatedData: [UInt8],
        makeRecipient: (Curve25519.KeyAgreement.PrivateKey, Data) throws -> Crypto.HPKE.Recipient
    ) throws(PrimitivesError) -> [UInt8] {
        let encapsulated = Array(sealed.prefix(encapsulatedKeyByteCount))
        guard PublicKeyRules.isUsableForAgreement(encapsulated) else { throw .publicKeyRefused }
        do {
            let key = try Curve25519.KeyAgreement.PrivateKey(
                rawRepresentation: key.bytes.copyBytes()
            )
            var recipient = try makeRecipient(key, Data(encapsulated))
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
