// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
internal import PrivateKeys

/// What is computed with a key, and how.
///
/// The names stand for Apple's own strings, so that what is kept of them means the same here. Which
/// of them a key can do, `SecKeyIsAlgorithmSupported` says.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    // Safety: the string never changes.
    public let rawValue: CFString

    /// The algorithm of Apple's string.
    public init(rawValue: CFString) { self.rawValue = rawValue.copy() as? NSString ?? "" }

    /// The algorithm of Apple's string.
    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

    fileprivate init(named name: String) { self.init(rawValue: name as NSString) }
}

// RSA signatures.
extension SecKeyAlgorithm {
    /// PKCS #1 v1.5 of bytes as they are.
    public static let rsaSignatureDigestPKCS1v15Raw = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PKCS1v15"
    )
    /// PKCS #1 v1.5 of a SHA1 digest.
    public static let rsaSignatureDigestPKCS1v15SHA1 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PKCS1v15:SHA1"
    )
    /// PKCS #1 v1.5 of a SHA224 digest.
    public static let rsaSignatureDigestPKCS1v15SHA224 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PKCS1v15:SHA224"
    )
    /// PKCS #1 v1.5 of a SHA256 digest.
    public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PKCS1v15:SHA256"
    )
    /// PKCS #1 v1.5 of a SHA384 digest.
    public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PKCS1v15:SHA384"
    )
    /// PKCS #1 v1.5 of a SHA512 digest.
    public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PKCS1v15:SHA512"
    )
    /// PKCS #1 v1.5 of a message, by SHA1.
    public static let rsaSignatureMessagePKCS1v15SHA1 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PKCS1v15:SHA1"
    )
    /// PKCS #1 v1.5 of a message, by SHA224.
    public static let rsaSignatureMessagePKCS1v15SHA224 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PKCS1v15:SHA224"
    )
    /// PKCS #1 v1.5 of a message, by SHA256.
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PKCS1v15:SHA256"
    )
    /// PKCS #1 v1.5 of a message, by SHA384.
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PKCS1v15:SHA384"
    )
    /// PKCS #1 v1.5 of a message, by SHA512.
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PKCS1v15:SHA512"
    )
    /// PSS of a SHA1 digest.
    public static let rsaSignatureDigestPSSSHA1 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PSS:SHA1:SHA1:20"
    )
    /// PSS of a SHA224 digest.
    public static let rsaSignatureDigestPSSSHA224 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PSS:SHA224:SHA224:24"
    )
    /// PSS of a SHA256 digest.
    public static let rsaSignatureDigestPSSSHA256 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PSS:SHA256:SHA256:32"
    )
    /// PSS of a SHA384 digest.
    public static let rsaSignatureDigestPSSSHA384 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PSS:SHA384:SHA384:48"
    )
    /// PSS of a SHA512 digest.
    public static let rsaSignatureDigestPSSSHA512 = SecKeyAlgorithm(
        named: "algid:sign:RSA:digest-PSS:SHA512:SHA512:64"
    )
    /// PSS of a message, by SHA1.
    public static let rsaSignatureMessagePSSSHA1 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PSS:SHA1:SHA1:20"
    )
    /// PSS of a message, by SHA224.
    public static let rsaSignatureMessagePSSSHA224 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PSS:SHA224:SHA224:24"
    )
    /// PSS of a message, by SHA256.
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PSS:SHA256:SHA256:32"
    )
    /// PSS of a message, by SHA384.
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PSS:SHA384:SHA384:48"
    )
    /// PSS of a message, by SHA512.
    public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(
        named: "algid:sign:RSA:message-PSS:SHA512:SHA512:64"
    )
}

// ECDSA signatures.
extension SecKeyAlgorithm {
    /// Two numbers in a row, of a digest of any kind.
    public static let ecdsaSignatureRFC4754 = SecKeyAlgorithm(named: "algid:sign:ECDSA:RFC4754")
    /// DER, of a digest of any kind.
    public static let ecdsaSignatureDigestX962 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-X962"
    )
    /// DER, of a SHA1 digest.
    public static let ecdsaSignatureDigestX962SHA1 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-X962:SHA1"
    )
    /// DER, of a SHA224 digest.
    public static let ecdsaSignatureDigestX962SHA224 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-X962:SHA224"
    )
    /// DER, of a SHA256 digest.
    public static let ecdsaSignatureDigestX962SHA256 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-X962:SHA256"
    )
    /// DER, of a SHA384 digest.
    public static let ecdsaSignatureDigestX962SHA384 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-X962:SHA384"
    )
    /// DER, of a SHA512 digest.
    public static let ecdsaSignatureDigestX962SHA512 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-X962:SHA512"
    )
    /// DER, of a message, by SHA1.
    public static let ecdsaSignatureMessageX962SHA1 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-X962:SHA1"
    )
    /// DER, of a message, by SHA224.
    public static let ecdsaSignatureMessageX962SHA224 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-X962:SHA224"
    )
    /// DER, of a message, by SHA256.
    public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-X962:SHA256"
    )
    /// DER, of a message, by SHA384.
    public static let ecdsaSignatureMessageX962SHA384 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-X962:SHA384"
    )
    /// DER, of a message, by SHA512.
    public static let ecdsaSignatureMessageX962SHA512 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-X962:SHA512"
    )
    /// Two numbers in a row, of a SHA1 digest.
    public static let ecdsaSignatureDigestRFC4754SHA1 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA1"
    )
    /// Two numbers in a row, of a SHA224 digest.
    public static let ecdsaSignatureDigestRFC4754SHA224 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA224"
    )
    /// Two numbers in a row, of a SHA256 digest.
    public static let ecdsaSignatureDigestRFC4754SHA256 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA256"
    )
    /// Two numbers in a row, of a SHA384 digest.
    public static let ecdsaSignatureDigestRFC4754SHA384 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA384"
    )
    /// Two numbers in a row, of a SHA512 digest.
    public static let ecdsaSignatureDigestRFC4754SHA512 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA512"
    )
    /// Two numbers in a row, of a message, by SHA1.
    public static let ecdsaSignatureMessageRFC4754SHA1 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-RFC4754:SHA1"
    )
    /// Two numbers in a row, of a message, by SHA224.
    public static let ecdsaSignatureMessageRFC4754SHA224 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-RFC4754:SHA224"
    )
    /// Two numbers in a row, of a message, by SHA256.
    public static let ecdsaSignatureMessageRFC4754SHA256 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-RFC4754:SHA256"
    )
    /// Two numbers in a row, of a message, by SHA384.
    public static let ecdsaSignatureMessageRFC4754SHA384 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-RFC4754:SHA384"
    )
    /// Two numbers in a row, of a message, by SHA512.
    public static let ecdsaSignatureMessageRFC4754SHA512 = SecKeyAlgorithm(
        named: "algid:sign:ECDSA:message-RFC4754:SHA512"
    )
}

// Encryption and agreement.
extension SecKeyAlgorithm {
    /// PKCS #1 v1.5.
    public static let rsaEncryptionPKCS1 = SecKeyAlgorithm(named: "algid:encrypt:RSA:PKCS1")
    /// OAEP, by SHA1.
    public static let rsaEncryptionOAEPSHA1 = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA1")
    /// OAEP, by SHA224.
    public static let rsaEncryptionOAEPSHA224 = SecKeyAlgorithm(
        named: "algid:encrypt:RSA:OAEP:SHA224"
    )
    /// OAEP, by SHA256.
    public static let rsaEncryptionOAEPSHA256 = SecKeyAlgorithm(
        named: "algid:encrypt:RSA:OAEP:SHA256"
    )
    /// OAEP, by SHA384.
    public static let rsaEncryptionOAEPSHA384 = SecKeyAlgorithm(
        named: "algid:encrypt:RSA:OAEP:SHA384"
    )
    /// OAEP, by SHA512.
    public static let rsaEncryptionOAEPSHA512 = SecKeyAlgorithm(
        named: "algid:encrypt:RSA:OAEP:SHA512"
    )
    /// The shared coordinate as it is.
    public static let ecdhKeyExchangeStandard = SecKeyAlgorithm(named: "algid:keyexchange:ECDH")
    /// Stretched by X9.63's function, by SHA1.
    public static let ecdhKeyExchangeStandardX963SHA1 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDH:KDFX963:SHA1"
    )
    /// Stretched by X9.63's function, by SHA224.
    public static let ecdhKeyExchangeStandardX963SHA224 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDH:KDFX963:SHA224"
    )
    /// Stretched by X9.63's function, by SHA256.
    public static let ecdhKeyExchangeStandardX963SHA256 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDH:KDFX963:SHA256"
    )
    /// Stretched by X9.63's function, by SHA384.
    public static let ecdhKeyExchangeStandardX963SHA384 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDH:KDFX963:SHA384"
    )
    /// Stretched by X9.63's function, by SHA512.
    public static let ecdhKeyExchangeStandardX963SHA512 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDH:KDFX963:SHA512"
    )
    /// The shared coordinate as it is.
    public static let ecdhKeyExchangeCofactor = SecKeyAlgorithm(named: "algid:keyexchange:ECDHC")
    /// Stretched by X9.63's function, by SHA1.
    public static let ecdhKeyExchangeCofactorX963SHA1 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA1"
    )
    /// Stretched by X9.63's function, by SHA224.
    public static let ecdhKeyExchangeCofactorX963SHA224 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA224"
    )
    /// Stretched by X9.63's function, by SHA256.
    public static let ecdhKeyExchangeCofactorX963SHA256 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA256"
    )
    /// Stretched by X9.63's function, by SHA384.
    public static let ecdhKeyExchangeCofactorX963SHA384 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA384"
    )
    /// Stretched by X9.63's function, by SHA512.
    public static let ecdhKeyExchangeCofactorX963SHA512 = SecKeyAlgorithm(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA512"
    )
}

// What an algorithm's string says.
extension SecKeyAlgorithm {
    private var parts: [String] { (rawValue as String).split(separator: ":").map(String.init) }

    /// Nil for what is no signature that is made here.
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
        case ("ECDSA", "RFC4754", .none): return .init(.rfc4754, nil, takesDigest: true)
        case ("ECDSA", "digest-X962", _): return .init(.x962, digest, takesDigest: true)
        case ("ECDSA", "message-X962", .some): return .init(.x962, digest, takesDigest: false)
        case ("ECDSA", "digest-RFC4754", .some): return .init(.rfc4754, digest, takesDigest: true)
        case ("ECDSA", "message-RFC4754", .some):
            return .init(.rfc4754, digest, takesDigest: false)
        default: return nil
        }
    }

    /// Nil for what is no encryption that is done here.
    var encryption: EncryptionPadding? {
        let parts = parts
        guard parts.starts(with: ["algid", "encrypt", "RSA"]) else { return nil }
        switch parts.dropFirst(3) {
        case ["PKCS1"]: return .pkcs1
        case let rest where rest.count == 2 && rest.first == "OAEP":
            return DigestKind(rawValue: parts[4]).map { .oaep($0) }
        default: return nil
        }
    }

    /// Whether two keys agree by it, and the digest by which the result is stretched.
    ///
    /// All curves here have the cofactor 1, so that there is no difference between the two kinds.
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
