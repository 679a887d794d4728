// DO NOT EDIT: scripts/generate-tables makes this from constants.table.
// swift-format-ignore-file

extension SecKeyAlgorithm {
    /// PKCS #1 v1.5 of bytes as they are.
    public static let rsaSignatureDigestPKCS1v15Raw = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PKCS1v15")
    /// PKCS #1 v1.5 of a SHA1 digest.
    public static let rsaSignatureDigestPKCS1v15SHA1 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PKCS1v15:SHA1")
    /// PKCS #1 v1.5 of a SHA224 digest.
    public static let rsaSignatureDigestPKCS1v15SHA224 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PKCS1v15:SHA224")
    /// PKCS #1 v1.5 of a SHA256 digest.
    public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PKCS1v15:SHA256")
    /// PKCS #1 v1.5 of a SHA384 digest.
    public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PKCS1v15:SHA384")
    /// PKCS #1 v1.5 of a SHA512 digest.
    public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PKCS1v15:SHA512")
    /// PKCS #1 v1.5 of a message, by SHA1.
    public static let rsaSignatureMessagePKCS1v15SHA1 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PKCS1v15:SHA1")
    /// PKCS #1 v1.5 of a message, by SHA224.
    public static let rsaSignatureMessagePKCS1v15SHA224 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PKCS1v15:SHA224")
    /// PKCS #1 v1.5 of a message, by SHA256.
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PKCS1v15:SHA256")
    /// PKCS #1 v1.5 of a message, by SHA384.
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PKCS1v15:SHA384")
    /// PKCS #1 v1.5 of a message, by SHA512.
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PKCS1v15:SHA512")
    /// PSS of a SHA1 digest.
    public static let rsaSignatureDigestPSSSHA1 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
    /// PSS of a SHA224 digest.
    public static let rsaSignatureDigestPSSSHA224 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PSS:SHA224:SHA224:24")
    /// PSS of a SHA256 digest.
    public static let rsaSignatureDigestPSSSHA256 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
    /// PSS of a SHA384 digest.
    public static let rsaSignatureDigestPSSSHA384 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
    /// PSS of a SHA512 digest.
    public static let rsaSignatureDigestPSSSHA512 = SecKeyAlgorithm(named: "algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
    /// PSS of a message, by SHA1.
    public static let rsaSignatureMessagePSSSHA1 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PSS:SHA1:SHA1:20")
    /// PSS of a message, by SHA224.
    public static let rsaSignatureMessagePSSSHA224 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PSS:SHA224:SHA224:24")
    /// PSS of a message, by SHA256.
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PSS:SHA256:SHA256:32")
    /// PSS of a message, by SHA384.
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PSS:SHA384:SHA384:48")
    /// PSS of a message, by SHA512.
    public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(named: "algid:sign:RSA:message-PSS:SHA512:SHA512:64")
    /// Two numbers in a row, of a digest of any kind.
    public static let ecdsaSignatureRFC4754 = SecKeyAlgorithm(named: "algid:sign:ECDSA:RFC4754")
    /// Two numbers in a row, of a digest of any kind.
    public static let ecdsaSignatureDigestRFC4754 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-RFC4754")
    /// DER, of a digest of any kind.
    public static let ecdsaSignatureDigestX962 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-X962")
    /// DER, of a SHA1 digest.
    public static let ecdsaSignatureDigestX962SHA1 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-X962:SHA1")
    /// DER, of a SHA224 digest.
    public static let ecdsaSignatureDigestX962SHA224 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-X962:SHA224")
    /// DER, of a SHA256 digest.
    public static let ecdsaSignatureDigestX962SHA256 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-X962:SHA256")
    /// DER, of a SHA384 digest.
    public static let ecdsaSignatureDigestX962SHA384 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-X962:SHA384")
    /// DER, of a SHA512 digest.
    public static let ecdsaSignatureDigestX962SHA512 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-X962:SHA512")
    /// DER, of a message, by SHA1.
    public static let ecdsaSignatureMessageX962SHA1 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-X962:SHA1")
    /// DER, of a message, by SHA224.
    public static let ecdsaSignatureMessageX962SHA224 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-X962:SHA224")
    /// DER, of a message, by SHA256.
    public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-X962:SHA256")
    /// DER, of a message, by SHA384.
    public static let ecdsaSignatureMessageX962SHA384 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-X962:SHA384")
    /// DER, of a message, by SHA512.
    public static let ecdsaSignatureMessageX962SHA512 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-X962:SHA512")
    /// Two numbers in a row, of a SHA1 digest.
    public static let ecdsaSignatureDigestRFC4754SHA1 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-RFC4754:SHA1")
    /// Two numbers in a row, of a SHA224 digest.
    public static let ecdsaSignatureDigestRFC4754SHA224 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-RFC4754:SHA224")
    /// Two numbers in a row, of a SHA256 digest.
    public static let ecdsaSignatureDigestRFC4754SHA256 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-RFC4754:SHA256")
    /// Two numbers in a row, of a SHA384 digest.
    public static let ecdsaSignatureDigestRFC4754SHA384 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-RFC4754:SHA384")
    /// Two numbers in a row, of a SHA512 digest.
    public static let ecdsaSignatureDigestRFC4754SHA512 = SecKeyAlgorithm(named: "algid:sign:ECDSA:digest-RFC4754:SHA512")
    /// Two numbers in a row, of a message, by SHA1.
    public static let ecdsaSignatureMessageRFC4754SHA1 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-RFC4754:SHA1")
    /// Two numbers in a row, of a message, by SHA224.
    public static let ecdsaSignatureMessageRFC4754SHA224 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-RFC4754:SHA224")
    /// Two numbers in a row, of a message, by SHA256.
    public static let ecdsaSignatureMessageRFC4754SHA256 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-RFC4754:SHA256")
    /// Two numbers in a row, of a message, by SHA384.
    public static let ecdsaSignatureMessageRFC4754SHA384 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-RFC4754:SHA384")
    /// Two numbers in a row, of a message, by SHA512.
    public static let ecdsaSignatureMessageRFC4754SHA512 = SecKeyAlgorithm(named: "algid:sign:ECDSA:message-RFC4754:SHA512")
    /// PKCS #1 v1.5.
    public static let rsaEncryptionPKCS1 = SecKeyAlgorithm(named: "algid:encrypt:RSA:PKCS1")
    /// OAEP, by SHA1.
    public static let rsaEncryptionOAEPSHA1 = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA1")
    /// OAEP, by SHA224.
    public static let rsaEncryptionOAEPSHA224 = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA224")
    /// OAEP, by SHA256.
    public static let rsaEncryptionOAEPSHA256 = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA256")
    /// OAEP, by SHA384.
    public static let rsaEncryptionOAEPSHA384 = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA384")
    /// OAEP, by SHA512.
    public static let rsaEncryptionOAEPSHA512 = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA512")
    /// The shared coordinate as it is.
    public static let ecdhKeyExchangeStandard = SecKeyAlgorithm(named: "algid:keyexchange:ECDH")
    /// With the key derivation of X9.63, by SHA1.
    public static let ecdhKeyExchangeStandardX963SHA1 = SecKeyAlgorithm(named: "algid:keyexchange:ECDH:KDFX963:SHA1")
    /// With the key derivation of X9.63, by SHA224.
    public static let ecdhKeyExchangeStandardX963SHA224 = SecKeyAlgorithm(named: "algid:keyexchange:ECDH:KDFX963:SHA224")
    /// With the key derivation of X9.63, by SHA256.
    public static let ecdhKeyExchangeStandardX963SHA256 = SecKeyAlgorithm(named: "algid:keyexchange:ECDH:KDFX963:SHA256")
    /// With the key derivation of X9.63, by SHA384.
    public static let ecdhKeyExchangeStandardX963SHA384 = SecKeyAlgorithm(named: "algid:keyexchange:ECDH:KDFX963:SHA384")
    /// With the key derivation of X9.63, by SHA512.
    public static let ecdhKeyExchangeStandardX963SHA512 = SecKeyAlgorithm(named: "algid:keyexchange:ECDH:KDFX963:SHA512")
    /// The shared coordinate as it is.
    public static let ecdhKeyExchangeCofactor = SecKeyAlgorithm(named: "algid:keyexchange:ECDHC")
    /// With the key derivation of X9.63, by SHA1.
    public static let ecdhKeyExchangeCofactorX963SHA1 = SecKeyAlgorithm(named: "algid:keyexchange:ECDHC:KDFX963:SHA1")
    /// With the key derivation of X9.63, by SHA224.
    public static let ecdhKeyExchangeCofactorX963SHA224 = SecKeyAlgorithm(named: "algid:keyexchange:ECDHC:KDFX963:SHA224")
    /// With the key derivation of X9.63, by SHA256.
    public static let ecdhKeyExchangeCofactorX963SHA256 = SecKeyAlgorithm(named: "algid:keyexchange:ECDHC:KDFX963:SHA256")
    /// With the key derivation of X9.63, by SHA384.
    public static let ecdhKeyExchangeCofactorX963SHA384 = SecKeyAlgorithm(named: "algid:keyexchange:ECDHC:KDFX963:SHA384")
    /// With the key derivation of X9.63, by SHA512.
    public static let ecdhKeyExchangeCofactorX963SHA512 = SecKeyAlgorithm(named: "algid:keyexchange:ECDHC:KDFX963:SHA512")
    /// RSA of bytes without padding.
    public static let rsaSignatureRaw = SecKeyAlgorithm(named: "algid:sign:RSA:raw")
    /// RSA of bytes without padding.
    public static let rsaEncryptionRaw = SecKeyAlgorithm(named: "algid:encrypt:RSA:raw")
    /// OAEP by SHA1 of a key for AES-GCM.
    public static let rsaEncryptionOAEPSHA1AESGCM = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA1:AESGCM")
    /// OAEP by SHA224 of a key for AES-GCM.
    public static let rsaEncryptionOAEPSHA224AESGCM = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA224:AESGCM")
    /// OAEP by SHA256 of a key for AES-GCM.
    public static let rsaEncryptionOAEPSHA256AESGCM = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA256:AESGCM")
    /// OAEP by SHA384 of a key for AES-GCM.
    public static let rsaEncryptionOAEPSHA384AESGCM = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA384:AESGCM")
    /// OAEP by SHA512 of a key for AES-GCM.
    public static let rsaEncryptionOAEPSHA512AESGCM = SecKeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA512:AESGCM")
    /// ECIES by SHA1.
    public static let eciesEncryptionStandardX963SHA1AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM")
    /// ECIES by SHA224.
    public static let eciesEncryptionStandardX963SHA224AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM")
    /// ECIES by SHA256.
    public static let eciesEncryptionStandardX963SHA256AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
    /// ECIES by SHA384.
    public static let eciesEncryptionStandardX963SHA384AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM")
    /// ECIES by SHA512.
    public static let eciesEncryptionStandardX963SHA512AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM")
    /// ECIES by SHA224, with a derived vector.
    public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV")
    /// ECIES by SHA256, with a derived vector.
    public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
    /// ECIES by SHA384, with a derived vector.
    public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV")
    /// ECIES by SHA512, with a derived vector.
    public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV")
    /// ECIES by SHA1.
    public static let eciesEncryptionCofactorX963SHA1AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM")
    /// ECIES by SHA224.
    public static let eciesEncryptionCofactorX963SHA224AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM")
    /// ECIES by SHA256.
    public static let eciesEncryptionCofactorX963SHA256AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM")
    /// ECIES by SHA384.
    public static let eciesEncryptionCofactorX963SHA384AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM")
    /// ECIES by SHA512.
    public static let eciesEncryptionCofactorX963SHA512AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM")
    /// ECIES by SHA224, with a derived vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV")
    /// ECIES by SHA256, with a derived vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV")
    /// ECIES by SHA384, with a derived vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV")
    /// ECIES by SHA512, with a derived vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = SecKeyAlgorithm(named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV")
}
