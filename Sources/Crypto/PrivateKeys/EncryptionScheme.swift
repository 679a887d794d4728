/// How bytes are encrypted for the owner of a key.
package enum EncryptionScheme: Equatable, Sendable {
    /// RSA of a few bytes.
    case rsa(EncryptionPadding)
    /// AES-GCM by a random key, which RSA encrypts with OAEP.
    case wrapped(DigestKind)
    /// AES-GCM by a key that is agreed on with a new key pair; `derivesVector`: whether the
    /// initialization vector is derived too, instead of zero.
    case ecies(DigestKind, derivesVector: Bool)

    package var isOfRSA: Bool {
        if case .ecies = self { false } else { true }
    }
}

/// How bytes are padded before RSA encrypts them.
package enum EncryptionPadding: Equatable, Sendable {
    /// Zeros before the bytes.
    case zeros
    /// RSAES-PKCS1-v1_5 (RFC 8017 §7.2).
    case pkcs1
    /// RSAES-OAEP (RFC 8017 §7.1), with an empty label.
    case oaep(DigestKind)
}
