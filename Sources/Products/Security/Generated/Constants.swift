// DO NOT EDIT: scripts/generate-tables makes this from attributes.table and constants.table.
// swift-format-ignore-file

public import Foundation

/// When the item was added; set by the keychain.
@safe
public nonisolated(unsafe) let kSecAttrCreationDate: CFString = "cdat" as NSString

/// When the item was changed last; set by the keychain.
@safe
public nonisolated(unsafe) let kSecAttrModificationDate: CFString = "mdat" as NSString

/// The name of the item, for people.
@safe
public nonisolated(unsafe) let kSecAttrLabel: CFString = "labl" as NSString

/// The access group that the item belongs to.
@safe
public nonisolated(unsafe) let kSecAttrAccessGroup: CFString = "agrp" as NSString

/// When the item can be read: one of the `kSecAttrAccessible…` values.
@safe
public nonisolated(unsafe) let kSecAttrAccessible: CFString = "pdmn" as NSString

/// A `SecAccessControl` that says when the item may be used.
@safe
public nonisolated(unsafe) let kSecAttrAccessControl: CFString = "accc" as NSString

/// Whether the item appears on all devices of the account.
@safe
public nonisolated(unsafe) let kSecAttrSynchronizable: CFString = "sync" as NSString

/// Whether this is what a deleted item leaves behind.
@safe
public nonisolated(unsafe) let kSecAttrTombstone: CFString = "tomb" as NSString

/// Internal: a digest of the item.
@safe
public nonisolated(unsafe) let kSecAttrSHA1: CFString = "sha1" as NSString

/// Which part of a synchronized keychain the item belongs to.
@safe
public nonisolated(unsafe) let kSecAttrSyncViewHint: CFString = "vwht" as NSString

/// The token on which a key lives.
@safe
public nonisolated(unsafe) let kSecAttrTokenID: CFString = "tkid" as NSString

/// Internal: the user of a device of several users.
@safe
public nonisolated(unsafe) let kSecAttrMultiUser: CFString = "musr" as NSString

/// Internal: the group with which a password is shared.
@safe
public nonisolated(unsafe) let kSecAttrSharingGroup: CFString = "ggrp" as NSString

/// Internal: whether the item is bound to the system.
@safe
public nonisolated(unsafe) let kSecAttrSysBound: CFString = "sysb" as NSString

/// Internal: a service of Protected Cloud Storage.
@safe
public nonisolated(unsafe) let kSecAttrPCSPlaintextServiceIdentifier: CFString = "pcss" as NSString

/// Internal: a public key of Protected Cloud Storage.
@safe
public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicKey: CFString = "pcsk" as NSString

/// Internal: a public identity of Protected Cloud Storage.
@safe
public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicIdentity: CFString = "pcsi" as NSString

/// What kind of item it is, for people.
@safe
public nonisolated(unsafe) let kSecAttrDescription: CFString = "desc" as NSString

/// A comment that the user may edit.
@safe
public nonisolated(unsafe) let kSecAttrComment: CFString = "icmt" as NSString

/// A four-character code of the program that made the item.
@safe
public nonisolated(unsafe) let kSecAttrCreator: CFString = "crtr" as NSString

/// A four-character code of the item's type.
@safe
public nonisolated(unsafe) let kSecAttrType: CFString = "type" as NSString

/// The script of an item's texts, as a number.
@safe
public nonisolated(unsafe) let kSecAttrScriptCode: CFString = "scrp" as NSString

/// Another name of the item.
@safe
public nonisolated(unsafe) let kSecAttrAlias: CFString = "alis" as NSString

/// Whether the item is hidden from people.
@safe
public nonisolated(unsafe) let kSecAttrIsInvisible: CFString = "invi" as NSString

/// Whether there is deliberately no password.
@safe
public nonisolated(unsafe) let kSecAttrIsNegative: CFString = "nega" as NSString

/// Whether the item has an icon of its own.
@safe
public nonisolated(unsafe) let kSecAttrHasCustomIcon: CFString = "cusi" as NSString

/// Internal: data that belongs to the item.
@safe
public nonisolated(unsafe) let kSecAttrProtected: CFString = "prot" as NSString

/// Whose password it is.
@safe
public nonisolated(unsafe) let kSecAttrAccount: CFString = "acct" as NSString

/// What the password is for.
@safe
public nonisolated(unsafe) let kSecAttrService: CFString = "svce" as NSString

/// Data of the app, for generic passwords.
@safe
public nonisolated(unsafe) let kSecAttrGeneric: CFString = "gena" as NSString

/// The security domain or realm of a server.
@safe
public nonisolated(unsafe) let kSecAttrSecurityDomain: CFString = "sdmn" as NSString

/// The host name or address of a server.
@safe
public nonisolated(unsafe) let kSecAttrServer: CFString = "srvr" as NSString

/// The server's protocol: one of the `kSecAttrProtocol…` values.
@safe
public nonisolated(unsafe) let kSecAttrProtocol: CFString = "ptcl" as NSString

/// How the server authenticates: one of the `kSecAttrAuthenticationType…` values.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationType: CFString = "atyp" as NSString

/// The server's port, as a number.
@safe
public nonisolated(unsafe) let kSecAttrPort: CFString = "port" as NSString

/// The path on the server.
@safe
public nonisolated(unsafe) let kSecAttrPath: CFString = "path" as NSString

/// Internal: notes beside an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraNotes: CFString = "binn" as NSString

/// Internal: the history of an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraHistory: CFString = "bini" as NSString

/// Internal: data of the app beside an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraClientDefined0: CFString = "bin0" as NSString

/// Internal: data of the app beside an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraClientDefined1: CFString = "bin1" as NSString

/// Internal: data of the app beside an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraClientDefined2: CFString = "bin2" as NSString

/// Internal: data of the app beside an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraClientDefined3: CFString = "bin3" as NSString

/// The type of a certificate, as a number.
@safe
public nonisolated(unsafe) let kSecAttrCertificateType: CFString = "ctyp" as NSString

/// The encoding of a certificate, as a number.
@safe
public nonisolated(unsafe) let kSecAttrCertificateEncoding: CFString = "cenc" as NSString

/// The subject of a certificate, as DER.
@safe
public nonisolated(unsafe) let kSecAttrSubject: CFString = "subj" as NSString

/// The issuer of a certificate, as DER.
@safe
public nonisolated(unsafe) let kSecAttrIssuer: CFString = "issr" as NSString

/// The serial number of a certificate.
@safe
public nonisolated(unsafe) let kSecAttrSerialNumber: CFString = "slnr" as NSString

/// The subject key identifier of a certificate.
@safe
public nonisolated(unsafe) let kSecAttrSubjectKeyID: CFString = "skid" as NSString

/// The hash of a certificate's public key.
@safe
public nonisolated(unsafe) let kSecAttrPublicKeyHash: CFString = "pkhh" as NSString

/// Public, private or symmetric: one of the `kSecAttrKeyClass…` values.
@safe
public nonisolated(unsafe) let kSecAttrKeyClass: CFString = "kcls" as NSString

/// Whether the key is kept in the keychain.
@safe
public nonisolated(unsafe) let kSecAttrIsPermanent: CFString = "perm" as NSString

/// Whether the key is private.
@safe
public nonisolated(unsafe) let kSecAttrIsPrivate: CFString = "priv" as NSString

/// Whether the key can be changed.
@safe
public nonisolated(unsafe) let kSecAttrIsModifiable: CFString = "modi" as NSString

/// The hash of the public key, by which a key and its certificate are matched.
@safe
public nonisolated(unsafe) let kSecAttrApplicationLabel: CFString = "klbl" as NSString

/// A tag of a key that belongs to the app.
@safe
public nonisolated(unsafe) let kSecAttrApplicationTag: CFString = "atag" as NSString

/// The algorithm of a key: one of the `kSecAttrKeyType…` values.
@safe
public nonisolated(unsafe) let kSecAttrKeyType: CFString = "type" as NSString

/// How many bits a key has.
@safe
public nonisolated(unsafe) let kSecAttrKeySizeInBits: CFString = "bsiz" as NSString

/// How many bits of a key count.
@safe
public nonisolated(unsafe) let kSecAttrEffectiveKeySize: CFString = "esiz" as NSString

/// The day before which a key is not to be used.
@safe
public nonisolated(unsafe) let kSecAttrStartDate: CFString = "sdat" as NSString

/// The day after which a key is not to be used.
@safe
public nonisolated(unsafe) let kSecAttrEndDate: CFString = "edat" as NSString

/// Whether the key may leave the keychain only wrapped.
@safe
public nonisolated(unsafe) let kSecAttrIsSensitive: CFString = "sens" as NSString

/// Whether the key has been sensitive since it was made.
@safe
public nonisolated(unsafe) let kSecAttrWasAlwaysSensitive: CFString = "asen" as NSString

/// Whether the key can be taken out of the keychain.
@safe
public nonisolated(unsafe) let kSecAttrIsExtractable: CFString = "extr" as NSString

/// Whether the key could never be taken out of the keychain.
@safe
public nonisolated(unsafe) let kSecAttrWasNeverExtractable: CFString = "next" as NSString

/// Whether the key can encrypt.
@safe
public nonisolated(unsafe) let kSecAttrCanEncrypt: CFString = "encr" as NSString

/// Whether the key can decrypt.
@safe
public nonisolated(unsafe) let kSecAttrCanDecrypt: CFString = "decr" as NSString

/// Whether other keys can be derived from the key.
@safe
public nonisolated(unsafe) let kSecAttrCanDerive: CFString = "drve" as NSString

/// Whether the key can sign.
@safe
public nonisolated(unsafe) let kSecAttrCanSign: CFString = "sign" as NSString

/// Whether the key can verify signatures.
@safe
public nonisolated(unsafe) let kSecAttrCanVerify: CFString = "vrfy" as NSString

/// Whether the key can sign so that the message can be recovered.
@safe
public nonisolated(unsafe) let kSecAttrCanSignRecover: CFString = "snrc" as NSString

/// Whether the key can recover a message from its signature.
@safe
public nonisolated(unsafe) let kSecAttrCanVerifyRecover: CFString = "vyrc" as NSString

/// Whether the key can wrap other keys.
@safe
public nonisolated(unsafe) let kSecAttrCanWrap: CFString = "wrap" as NSString

/// Whether the key can unwrap other keys.
@safe
public nonisolated(unsafe) let kSecAttrCanUnwrap: CFString = "unwp" as NSString

/// Who made the key, as a number.
@safe
public nonisolated(unsafe) let kSecAttrKeyCreator: CFString = "crtr" as NSString

/// The key of an item's class.
@safe
public nonisolated(unsafe) let kSecClass: CFString = "class" as NSString

/// A password of an app or a service.
@safe
public nonisolated(unsafe) let kSecClassGenericPassword: CFString = "genp" as NSString

/// A password of a server.
@safe
public nonisolated(unsafe) let kSecClassInternetPassword: CFString = "inet" as NSString

/// A password of an AppleShare server; refused, as Apple's own keychain refuses it.
@safe
public nonisolated(unsafe) let kSecClassAppleSharePassword: CFString = "apls" as NSString

/// A certificate.
@safe
public nonisolated(unsafe) let kSecClassCertificate: CFString = "cert" as NSString

/// A cryptographic key.
@safe
public nonisolated(unsafe) let kSecClassKey: CFString = "keys" as NSString

/// A certificate together with its private key.
@safe
public nonisolated(unsafe) let kSecClassIdentity: CFString = "idnt" as NSString

/// Who may use an item of a keychain file.
@safe
public nonisolated(unsafe) let kSecAttrAccess: CFString = "acls" as NSString

/// Internal: set by the keychain only.
@safe
public nonisolated(unsafe) let kSecAttrAppClipItem: CFString = "clip" as NSString

/// Internal: the item's identifier is derived from its key.
@safe
public nonisolated(unsafe) let kSecAttrDeriveSyncIDFromItemAttributes: CFString = "dspk" as NSString

/// An older name of `kSecUseDataProtectionKeychain`.
@safe
public nonisolated(unsafe) let kSecAttrNoLegacy: CFString = "nleg" as NSString

/// ``kSecAttrPersistentReference`` by the other name that Apple gives it.
@safe
public nonisolated(unsafe) let kSecAttrPersistantReference: CFString = "persistref" as NSString

/// Internal: the random part of a persistent reference.
@safe
public nonisolated(unsafe) let kSecAttrPersistentReference: CFString = "persistref" as NSString

/// A pseudorandom function, one of the `kSecAttrPRF…` values.
@safe
public nonisolated(unsafe) let kSecAttrPRF: CFString = "prf" as NSString

/// How many rounds a key derivation takes.
@safe
public nonisolated(unsafe) let kSecAttrRounds: CFString = "rounds" as NSString

/// The salt of a key derivation.
@safe
public nonisolated(unsafe) let kSecAttrSalt: CFString = "salt" as NSString

/// The object on a token.
@safe
public nonisolated(unsafe) let kSecAttrTokenOID: CFString = "toid" as NSString

/// Internal: the item's identifier in sync.
@safe
public nonisolated(unsafe) let kSecAttrUUID: CFString = "UUID" as NSString

/// The attributes of the private half of a key pair.
@safe
public nonisolated(unsafe) let kSecPrivateKeyAttrs: CFString = "private" as NSString

/// The attributes of the public half of a key pair.
@safe
public nonisolated(unsafe) let kSecPublicKeyAttrs: CFString = "public" as NSString

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive" as NSString

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive" as NSString

/// Only certificates with this e-mail address.
@safe
public nonisolated(unsafe) let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent" as NSString

/// Only internet passwords of this host or of one below it.
@safe
public nonisolated(unsafe) let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost" as NSString

/// Only certificates that one of these issuers stands behind.
@safe
public nonisolated(unsafe) let kSecMatchIssuers: CFString = "m_Issuers" as NSString

/// Only these items; for keychain files.
@safe
public nonisolated(unsafe) let kSecMatchItemList: CFString = "m_ItemList" as NSString

/// How many items are wanted: a number, `kSecMatchLimitOne` or `kSecMatchLimitAll`.
@safe
public nonisolated(unsafe) let kSecMatchLimit: CFString = "m_Limit" as NSString

/// All items that match.
@safe
public nonisolated(unsafe) let kSecMatchLimitAll: CFString = "m_LimitAll" as NSString

/// The first item that matches.
@safe
public nonisolated(unsafe) let kSecMatchLimitOne: CFString = "m_LimitOne" as NSString

/// Only certificates that satisfy this policy.
@safe
public nonisolated(unsafe) let kSecMatchPolicy: CFString = "m_Policy" as NSString

/// Only these keychain files.
@safe
public nonisolated(unsafe) let kSecMatchSearchList: CFString = "m_SearchList" as NSString

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchSubjectContains: CFString = "m_SubjectContains" as NSString

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith" as NSString

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith" as NSString

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString" as NSString

/// Only certificates that are trusted.
@safe
public nonisolated(unsafe) let kSecMatchTrustedOnly: CFString = "m_TrustedOnly" as NSString

/// Only certificates that are valid on this date.
@safe
public nonisolated(unsafe) let kSecMatchValidOnDate: CFString = "m_ValidOnDate" as NSString

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive" as NSString

/// Whether the result holds the attributes.
@safe
public nonisolated(unsafe) let kSecReturnAttributes: CFString = "r_Attributes" as NSString

/// Whether the result holds the secret or the encoded key or certificate.
@safe
public nonisolated(unsafe) let kSecReturnData: CFString = "r_Data" as NSString

/// Whether the result holds a persistent reference.
@safe
public nonisolated(unsafe) let kSecReturnPersistentRef: CFString = "r_PersistentRef" as NSString

/// Whether the result holds a reference: a key, a certificate or an identity.
@safe
public nonisolated(unsafe) let kSecReturnRef: CFString = "r_Ref" as NSString

/// A context of user authentication; there is none on Linux.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationContext: CFString = "u_AuthCtx" as NSString

/// Whether the user may be asked: one of the `kSecUseAuthenticationUI…` values.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUI: CFString = "u_AuthUI" as NSString

/// The user may be asked.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA" as NSString

/// Where the user had to be asked, the call fails.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF" as NSString

/// Items for which the user had to be asked are left out.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS" as NSString

/// Internal: further certificates for `kSecMatchIssuers`.
@safe
public nonisolated(unsafe) let kSecUseCertificatesWithMatchIssuers: CFString = "u_CertsWithMatchIssuers" as NSString

/// Internal: a credential of an earlier authentication.
@safe
public nonisolated(unsafe) let kSecUseCredentialReference: CFString = "u_CredRef" as NSString

/// Accepted and without effect: there is no other keychain.
@safe
public nonisolated(unsafe) let kSecUseDataProtectionKeychain: CFString = "nleg" as NSString

/// Only these items; refused, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecUseItemList: CFString = "u_ItemList" as NSString

/// The keychain file to work on.
@safe
public nonisolated(unsafe) let kSecUseKeychain: CFString = "u_Keychain" as NSString

/// An older form of `kSecUseAuthenticationUIFail`.
@safe
public nonisolated(unsafe) let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI" as NSString

/// What to tell the user who has to be asked.
@safe
public nonisolated(unsafe) let kSecUseOperationPrompt: CFString = "u_OpPrompt" as NSString

/// Internal: a keychain of another user.
@safe
public nonisolated(unsafe) let kSecUseSyncBubbleKeychain: CFString = "u_SyncBubbleKeychain" as NSString

/// Internal: the keychain of the system.
@safe
public nonisolated(unsafe) let kSecUseSystemKeychain: CFString = "u_SystemKeychain" as NSString

/// Internal: the keychain of the system.
@safe
public nonisolated(unsafe) let kSecUseSystemKeychainAlways: CFString = "u_SystemKeychainAlways" as NSString

/// Internal: items of a token as they are.
@safe
public nonisolated(unsafe) let kSecUseTokenRawItems: CFString = "u_TokenRawItems" as NSString

/// Whether a deleted item leaves a tombstone behind.
@safe
public nonisolated(unsafe) let kSecUseTombstones: CFString = "u_Tomb" as NSString

/// The keychain of all users of a device.
@safe
public nonisolated(unsafe) let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain" as NSString

/// The secret, or the encoded key or certificate.
@safe
public nonisolated(unsafe) let kSecValueData: CFString = "v_Data" as NSString

/// A persistent reference to an item.
@safe
public nonisolated(unsafe) let kSecValuePersistentRef: CFString = "v_PersistentRef" as NSString

/// A reference to an item: a key, a certificate or an identity.
@safe
public nonisolated(unsafe) let kSecValueRef: CFString = "v_Ref" as NSString

/// The access group of tokens.
@safe
public nonisolated(unsafe) let kSecAttrAccessGroupToken: CFString = "com.apple.token" as NSString

/// Readable once the device was unlocked after it started.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck" as NSString

/// Readable once the device was unlocked after it started; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku" as NSString

/// Always readable.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlways: CFString = "dk" as NSString

/// Always readable.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlwaysPrivate: CFString = "dk" as NSString

/// Always readable; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku" as NSString

/// Always readable; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate: CFString = "dku" as NSString

/// Readable until the device restarts; only for access controls.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleUntilReboot: CFString = "f" as NSString

/// Readable while unlocked, gone with the passcode; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu" as NSString

/// Readable while the device is unlocked.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlocked: CFString = "ak" as NSString

/// Readable while the device is unlocked; never leaves the device.
@safe
public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku" as NSString

/// Distributed password authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeDPA: CFString = "dpaa" as NSString

/// The default kind of authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeDefault: CFString = "dflt" as NSString

/// A form in a page.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTMLForm: CFString = "form" as NSString

/// HTTP basic authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http" as NSString

/// HTTP digest authentication.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd" as NSString

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
public nonisolated(unsafe) let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken" as NSString

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

/// A policy for code.
@safe
public nonisolated(unsafe) let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16" as NSString

/// A policy for mail.
@safe
public nonisolated(unsafe) let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8" as NSString

/// A policy for TLS.
@safe
public nonisolated(unsafe) let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3" as NSString

/// A policy for time stamps.
@safe
public nonisolated(unsafe) let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20" as NSString

/// A policy for any certificate.
@safe
public nonisolated(unsafe) let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2" as NSString

/// Whether a policy is for clients.
@safe
public nonisolated(unsafe) let kSecPolicyClient: CFString = "SecPolicyClient" as NSString

/// The host or the address that a policy names.
@safe
public nonisolated(unsafe) let kSecPolicyName: CFString = "SecPolicyName" as NSString

/// The identifier of a policy.
@safe
public nonisolated(unsafe) let kSecPolicyOid: CFString = "SecPolicyOid" as NSString

/// The password of a shared web credential.
@safe
public nonisolated(unsafe) let kSecSharedPassword: CFString = "spwd" as NSString

/// FTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTP: CFString = "ftp " as NSString

/// An FTP account.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTPAccount: CFString = "ftpa" as NSString

/// HTTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTP: CFString = "http" as NSString

/// IRC.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIRC: CFString = "irc " as NSString

/// NNTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolNNTP: CFString = "nntp" as NSString

/// POP3.
@safe
public nonisolated(unsafe) let kSecAttrProtocolPOP3: CFString = "pop3" as NSString

/// SMTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSMTP: CFString = "smtp" as NSString

/// SOCKS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSOCKS: CFString = "sox " as NSString

/// IMAP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIMAP: CFString = "imap" as NSString

/// LDAP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolLDAP: CFString = "ldap" as NSString

/// AppleTalk.
@safe
public nonisolated(unsafe) let kSecAttrProtocolAppleTalk: CFString = "atlk" as NSString

/// AFP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolAFP: CFString = "afp " as NSString

/// Telnet.
@safe
public nonisolated(unsafe) let kSecAttrProtocolTelnet: CFString = "teln" as NSString

/// SSH.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSSH: CFString = "ssh " as NSString

/// FTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTPS: CFString = "ftps" as NSString

/// HTTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTPS: CFString = "htps" as NSString

/// A proxy for HTTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTPProxy: CFString = "htpx" as NSString

/// A proxy for HTTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTPSProxy: CFString = "htsx" as NSString

/// A proxy for FTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTPProxy: CFString = "ftpx" as NSString

/// SMB.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSMB: CFString = "smb " as NSString

/// RTSP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolRTSP: CFString = "rtsp" as NSString

/// A proxy for RTSP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolRTSPProxy: CFString = "rtsx" as NSString

/// DAAP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolDAAP: CFString = "daap" as NSString

/// Remote Apple events.
@safe
public nonisolated(unsafe) let kSecAttrProtocolEPPC: CFString = "eppc" as NSString

/// IPP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIPP: CFString = "ipp " as NSString

/// NNTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolNNTPS: CFString = "ntps" as NSString

/// LDAP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolLDAPS: CFString = "ldps" as NSString

/// Telnet over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolTelnetS: CFString = "tels" as NSString

/// IMAP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIMAPS: CFString = "imps" as NSString

/// IRC over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIRCS: CFString = "ircs" as NSString

/// POP3 over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolPOP3S: CFString = "pops" as NSString
