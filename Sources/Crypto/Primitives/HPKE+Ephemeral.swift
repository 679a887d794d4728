internal import Crypto
internal import Foundation

/// A recipient's key whose senders take their ephemeral key from ``HPKEEphemeralKey/bytes``.
///
/// swift-crypto makes ephemeral keys by `init()`, from the system's randomness. Simulated worlds
/// could then not be repeated, and sealing not be tested with published vectors. So this type names
/// an ephemeral key type of ours; the arithmetic stays swift-crypto's.
struct HPKEPublicKey: HPKEDiffieHellmanPublicKey {
    typealias EphemeralPrivateKey = HPKEEphemeralKey

    let key: Curve25519.KeyAgreement.PublicKey

    init(_ key: Curve25519.KeyAgreement.PublicKey) {
        self.key = key
    }

    init(rawRepresentation: [UInt8]) throws {
        key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: rawRepresentation)
    }

    init<Bytes: ContiguousBytes>(_ serialization: Bytes, kem: Crypto.HPKE.KEM) throws {
        key = try Curve25519.KeyAgreement.PublicKey(serialization, kem: kem)
    }

    func hpkeRepresentation(kem: Crypto.HPKE.KEM) throws -> Data {
        try key.hpkeRepresentation(kem: kem)
    }
}

/// The key that a sender uses once.
struct HPKEEphemeralKey: HPKEDiffieHellmanPrivateKeyGeneration {
    /// The ephemeral key's 32 bytes, for the sender that this task makes.
    @TaskLocal
    static var bytes: [UInt8]?

    private let key: Curve25519.KeyAgreement.PrivateKey

    init() {
        let key = Self.bytes.flatMap { bytes in
            // Nil is a programmer's error below: no other key may be made instead.
            try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        }
        guard let key else { preconditionFailure("no ephemeral key was handed in") }
        self.key = key
    }

    var publicKey: HPKEPublicKey { HPKEPublicKey(key.publicKey) }

    func sharedSecretFromKeyAgreement(
        with publicKeyShare: HPKEPublicKey
    ) throws -> Crypto.SharedSecret {
        try key.sharedSecretFromKeyAgreement(with: publicKeyShare.key)
    }
}
