package import KSSecrets

/// HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// HKDF-Extract: makes a uniform key from non-uniform input; the salt is public.
    package static func extract(salt: [UInt8], inputKey: SharedSecret) -> SharedSecret {
        let key = HMACKey(publicKey: salt)
        return SharedSecret(count: HMACKey.byteCount) {
            (target: inout MutableRawSpan) throws(Never) in
            inputKey.withBytes { key.authenticate($0, into: &target) }
        }
    }

    /// HKDF-Expand; to expand one key often, use ``HMACKey/expand(info:count:)``.
    package static func expand(key: SharedSecret, info: [UInt8], count: Int) -> SharedSecret {
        HMACKey(key).expand(info: info, count: count)
    }
}

/// K(key, label): the one way a key is derived from another (Cryptography.md, "Deriving keys").
package enum KeyDerivation {
    /// The beginning of every label; callers leave it out.
    package static let labelPrefix = "keychain-sync/1 "

    /// HKDF-Expand(key, L("keychain-sync/1 key") ‖ L("keychain-sync/1 " ‖ label ‖ context), 32).
    ///
    /// The key has 32 uniform bytes, so that HKDF-Extract is not needed (RFC 5869 §3.3).
    package static func key(
        _ key: SharedSecret,
        _ label: String,
        context: [UInt8] = []
    ) -> SharedSecret {
        precondition(key.count == 32, "keys are derived from uniform 32 bytes only")
        return HKDF.expand(key: key, info: info(label: label, context: context), count: 32)
    }

    /// L(x) is the length of x as 8 bytes big-endian, then x.
    package static func info(label: String, context: [UInt8] = []) -> [UInt8] {
        let label = Array((labelPrefix + label).utf8) + context
        return [Array((labelPrefix + "key").utf8), label].flatMap { bytes in
            let length = stride(from: 56, through: 0, by: -8)
                .map { UInt8(truncatingIfNeeded: bytes.count >> $0) }
            return length + bytes
        }
    }
}
