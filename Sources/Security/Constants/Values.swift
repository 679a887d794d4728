// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation

// Values that attributes and queries take.

/// The access group of tokens.
@safe
public nonisolated(unsafe) let kSecAttrAccessGroupToken: CFString =
    "com.apple.token" as NSString
/// Readable once the device was unlocked after it started.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck" as NSString
/// Readable once the device was unlocked after it started; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString =
    "cku" as NSString
/// Always readable.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlways: CFString = "dk" as NSString
/// Always readable.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlwaysPrivate: CFString = "dk" as NSString
/// Always readable; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString =
    "dku" as NSString
/// Always readable; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate: CFString =
    "dku" as NSString
/// Readable until the device starts anew; only for access controls.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleUntilReboot: CFString = "f" as NSString
/// Readable while unlocked, gone with the passcode; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString =
    "akpu" as NSString
/// Readable while the device is unlocked.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlocked: CFString = "ak" as NSString
/// Readable while the device is unlocked; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString =
    "aku" as NSString
/// Distributed password authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeDPA: CFString = "dpaa" as NSString
/// The default kind of authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeDefault: CFString =
    "dflt" as NSString
/// A form in a page.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTMLForm: CFString =
    "form" as NSString
/// HTTP basic authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPBasic: CFString =
    "http" as NSString
/// HTTP digest authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPDigest: CFString =
    "httd" as NSString
/// MSN authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeMSN: CFString = "msna" as NSString
/// Windows NT LAN Manager authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm" as NSString
/// Remote password authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeRPA: CFString = "rpaa" as NSString
/// A private key.
@safe
public nonisolated(unsafe) let kSecAttrKeyClassPrivate: CFString = "1" as NSString
/// A public key.
@safe
public nonisolated(unsafe) let kSecAttrKeyClassPublic: CFString = "0" as NSString
/// A symmetric key.
@safe
public nonisolated(unsafe) let kSecAttrKeyClassSymmetric: CFString = "2" as NSString
/// Triple DES.
@safe
public nonisolated(unsafe) let kSecAttrKeyType3DES: CFString = "17" as NSString
/// AES.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeAES: CFString = "2147483649" as NSString
/// CAST.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeCAST: CFString = "27" as NSString
/// DES.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeDES: CFString = "14" as NSString
/// DSA.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeDSA: CFString = "43" as NSString
/// An elliptic curve.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeEC: CFString = "73" as NSString
/// An elliptic curve, by its older name.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeECDSA: CFString = "73" as NSString
/// An elliptic curve over a prime field: P-256, P-384 or P-521.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73" as NSString
/// Ed25519.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeEd25519: CFString = "105" as NSString
/// ML-DSA.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeMLDSA: CFString = "111" as NSString
/// ML-KEM.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeMLKEM: CFString = "110" as NSString
/// RC2.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeRC2: CFString = "23" as NSString
/// RC4.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeRC4: CFString = "25" as NSString
/// RSA.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeRSA: CFString = "42" as NSString
/// X25519.
@safe
public nonisolated(unsafe) let kSecAttrKeyTypeX25519: CFString = "106" as NSString
/// HMAC with SHA-1.
@safe
public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA1: CFString = "hsha1" as NSString
/// HMAC with SHA-224.
@safe
public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA224: CFString = "hsha224" as NSString
/// HMAC with SHA-256.
@safe
public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA256: CFString = "hsha256" as NSString
/// HMAC with SHA-384.
@safe
public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA384: CFString = "hsha384" as NSString
/// HMAC with SHA-512.
@safe
public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA512: CFString = "hsha512" as NSString
/// Both synchronized and local items.
@safe
public nonisolated(unsafe) let kSecAttrSynchronizableAny: CFString = "syna" as NSString
/// The Secure Enclave, which no Linux machine has.
@safe
public nonisolated(unsafe) let kSecAttrTokenIDSecureEnclave: CFString =
    "com.apple.setoken" as NSString
/// Who may use what is imported.
@safe
public nonisolated(unsafe) let kSecImportExportAccess: CFString = "access" as NSString
/// The keychain file to import into.
@safe
public nonisolated(unsafe) let kSecImportExportKeychain: CFString = "keychain" as NSString
/// The passphrase of a PKCS #12 file.
@safe
public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = "passphrase" as NSString
/// The certificates of an imported identity.
@safe
public nonisolated(unsafe) let kSecImportItemCertChain: CFString = "chain" as NSString
/// An imported identity.
@safe
public nonisolated(unsafe) let kSecImportItemIdentity: CFString = "identity" as NSString
/// The identifier of an imported key.
@safe
public nonisolated(unsafe) let kSecImportItemKeyID: CFString = "keyid" as NSString
/// The label of an imported item.
@safe
public nonisolated(unsafe) let kSecImportItemLabel: CFString = "label" as NSString
/// The trust in an imported certificate.
@safe
public nonisolated(unsafe) let kSecImportItemTrust: CFString = "trust" as NSString
/// The password of a shared web credential.
@safe
public nonisolated(unsafe) let kSecSharedPassword: CFString = "spwd" as NSString
/// A policy for code.
@safe
public nonisolated(unsafe) let kSecPolicyAppleCodeSigning: CFString =
    "1.2.840.113635.100.1.16" as NSString
/// A policy for mail.
@safe
public nonisolated(unsafe) let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8" as NSString
/// A policy for TLS.
@safe
public nonisolated(unsafe) let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3" as NSString
/// A policy for time stamps.
@safe
public nonisolated(unsafe) let kSecPolicyAppleTimeStamping: CFString =
    "1.2.840.113635.100.1.20" as NSString
/// A policy for any certificate.
@safe
public nonisolated(unsafe) let kSecPolicyAppleX509Basic: CFString =
    "1.2.840.113635.100.1.2" as NSString
/// Whether a policy is for clients.
@safe
public nonisolated(unsafe) let kSecPolicyClient: CFString = "SecPolicyClient" as NSString
/// The host or the address that a policy names.
@safe
public nonisolated(unsafe) let kSecPolicyName: CFString = "SecPolicyName" as NSString
/// The identifier of a policy.
@safe
public nonisolated(unsafe) let kSecPolicyOid: CFString = "SecPolicyOid" as NSString
