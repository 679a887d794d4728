// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
internal import KSPrivateKeys

/// An algorithm of keys: what is computed, and how.
///
/// The names stand for Apple's own strings, so that a stored string means the same here.
/// `SecKeyIsAlgorithmSupported` says which of them a key supports.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    // Safety: the string never changes.
    /// Apple's string.
    public let rawValue: CFString

    /// The algorithm of Apple's string.
    public init(rawValue: CFString) { self.rawValue = rawValue.copy() as? NSString ?? "" }

    /// The algorithm of Apple's string.
    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

    init(named name: String) { self.init(rawValue: name as NSString) }
}

// What the parts of an algorithm's string mean.
extension SecKeyAlgorithm {
    private var parts: [String] { (rawValue as String).split(separator: ":").map(String.init) }

    /// The signature scheme; nil if the algorithm is not a signature, or is not supported.
    var signature: SignatureScheme? {
        let parts = parts
        guard parts.count >= 4, parts[0] == "algid", parts[1] == "sign" else { return nil }
        let digest = parts.count > 4 ? DigestKind(rawValue: parts[4]) : nil
        guard parts.count == 4 || digest != nil else { return nil }
        switch (parts[2], parts[3], digest) {
        case ("RSA", "digest-PKCS1v15", _): return .init(.pkcs1, digest, takesDigest: true)
        case ("RSA", "message-PKCS1v15", .some): return .init(.pkcs1, digest, takesDigest: false)
        case ("RSA", "digest-PSS", .some): return .init(.pss, digest, takesDigest: true)
        case ("RSA", "message-PSS", .some): return .init(.pss, digest, takesDigest: false)
        case ("RSA", "raw", .none): return .init(.raw, nil, takesDigest: true)
        case ("ECDSA", "RFC4754", .none): return .init(.rfc4754, nil, takesDigest: true)
        case ("ECDSA", "digest-X962", _): return .init(.x962, digest, takesDigest: true)
        case ("ECDSA", "message-X962", .some): return .init(.x962, digest, takesDigest: false)
        case ("ECDSA", "digest-RFC4754", _): return .init(.rfc4754, digest, takesDigest: true)
        case ("ECDSA", "message-RFC4754", .some): return .init(.rfc4754, digest, takesDigest: false)
        default: return nil
        }
    }

    /// The encryption; nil if the algorithm is something else, or is not supported.
    ///
    /// ECDH with and without cofactor are the same here: all supported curves have the cofactor 1.
    var encryption: EncryptionScheme? {
        let parts = parts
        guard parts.starts(with: ["algid", "encrypt"]) else { return nil }
        let digest = parts.lazy.compactMap { DigestKind(rawValue: $0) }.first
        let form = parts.dropFirst(2).map { $0 == digest?.rawValue ? "*" : $0 }
        switch (form.joined(separator: ":"), digest) {
        case ("RSA:raw", .none): return .rsa(.zeros)
        case ("RSA:PKCS1", .none): return .rsa(.pkcs1)
        case ("RSA:OAEP:*", let digest?): return .rsa(.oaep(digest))
        case ("RSA:OAEP:*:AESGCM", let digest?): return .wrapped(digest)
        case ("ECIES:ECDH:KDFX963:*:AESGCM", let digest?),
            ("ECIES:ECDHC:KDFX963:*:AESGCM", let digest?):
            return .ecies(digest, derivesVector: false)
        case ("ECIES:ECDH:KDFX963:*:AESGCM-KDFIV", let digest?),
            ("ECIES:ECDHC:KDFX963:*:AESGCM-KDFIV", let digest?):
            return .ecies(digest, derivesVector: true)
        default: return nil
        }
    }

    /// The key agreement, with the digest of its key derivation if it has one; nil if the algorithm
    /// is something else.
    var exchange: (digest: DigestKind?, Void)? {
        let parts = parts
        guard parts.starts(with: ["algid", "keyexchange"]), parts.count >= 3,
            ["ECDH", "ECDHC"].contains(parts[2])
        else { return nil }
        if parts.count == 3 { return (nil, ()) }
        guard parts.count == 5, parts[3] == "KDFX963", let digest = DigestKind(rawValue: parts[4])
        else { return nil }
        return (digest, ())
    }
}
