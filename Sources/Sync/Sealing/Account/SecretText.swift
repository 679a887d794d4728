internal import Foundation
package import KSPrimitives
package import KSSecrets

/// Text that a person types to prove who they are.
package enum SecretText {
    /// The same text in another Unicode form is the same secret: NFKD in UTF-8.
    private static func normalized(_ bytes: [UInt8]) throws(SealingError) -> SharedSecret {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .passwordNotText }
        return SharedSecret(bytes: Array(text.decomposedStringWithCompatibilityMapping.utf8))
    }

    /// 32 bytes derived from the typed text, at a cost that slows guessing down.
    ///
    /// - Throws: ``SealingError/passwordNotText``, ``SealingError/memoryMissing``.
    package static func derivedKey(
        _ bytes: [UInt8],
        salt: SharedSecret,
        cost: ScryptCost
    ) throws(SealingError) -> SharedSecret {
        let text = try normalized(bytes)
        do {
            return try Scrypt.derive(password: text, salt: salt, cost: cost)
        } catch {
            throw .memoryMissing
        }
    }
}
