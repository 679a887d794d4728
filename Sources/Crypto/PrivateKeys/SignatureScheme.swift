/// How a message is signed.
package struct SignatureScheme: Equatable, Sendable {
    package enum Form: Sendable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
        case pkcs1
        /// RSASSA-PSS (RFC 8017 §8.1): the mask by the same digest, a salt as long as the digest.
        case pss
        /// RSA of the bytes, with zeros before them.
        case raw
        /// ECDSA, the two numbers in DER (X9.62).
        case x962
        /// ECDSA, the two numbers one after the other (RFC 4754).
        case rfc4754

        package var isOfRSA: Bool { [.pkcs1, .pss, .raw].contains(self) }
    }

    package var form: Form
    /// Nil if the signed bytes are not a known digest.
    package var digest: DigestKind?
    /// Whether the caller gives the digest instead of the message.
    package var takesDigest: Bool

    package init(_ form: Form, _ digest: DigestKind?, takesDigest: Bool) {
        self.form = form
        self.digest = digest
        self.takesDigest = takesDigest
    }
}

/// The digests of signatures and key derivations, by OpenSSL's names.
package enum DigestKind: String, CaseIterable, Sendable {
    case sha1 = "SHA1"
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"
}
