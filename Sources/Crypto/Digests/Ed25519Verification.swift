internal import KSCOpenSSL

/// Checks Ed25519 signatures (RFC 8032 §5.1.7).
///
/// The rules are OpenSSL's: S must be below the group's order, R is compared as bytes (so only its
/// canonical form passes) and the equation is the one without the cofactor. Signatures that pass
/// here therefore pass under every other rule set too. To those we add that the public key is
/// canonical and not of small order, which OpenSSL does not ask for.
package enum Ed25519Verification {
    package static let signatureByteCount = 64

    package static func isValid(
        signature: [UInt8],
        of message: [UInt8],
        publicKey: [UInt8]
    ) -> Bool {
        guard signature.count == signatureByteCount,
            PublicKeyRules.isUsableForSigning(publicKey),
            let key = unsafe EVP_PKEY_new_raw_public_key(
                EVP_PKEY_ED25519,
                nil,
                publicKey,
                publicKey.count
            )
        else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
        let status = unsafe EVP_DigestVerify(
            context,
            signature,
            signature.count,
            message,
            message.count
        )
        return status == 1
    }
}
