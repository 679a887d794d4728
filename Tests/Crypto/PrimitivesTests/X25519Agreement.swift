import Crypto
import KSDigests
import KSPrimitives
import KSSecrets

extension X25519PrivateKey {
    /// The shared point, by the library and after the check that ``HPKE`` uses.
    func sharedSecret(with publicKey: [UInt8]) throws -> KSSecrets.SharedSecret {
        guard PublicKeyRules.isUsableForAgreement(publicKey) else {
            throw PrimitivesError.publicKeyRefused
        }
        let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes.copyBytes())
        let other = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey)
        let point = try key.sharedSecretFromKeyAgreement(with: other)
        return KSSecrets.SharedSecret(bytes: unsafe point.withUnsafeBytes { unsafe Array($0) })
    }
}
