// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation

// The attributes of items, and what asks for further ones.

/// Who may use an item of a keychain file.
@safe
public nonisolated(unsafe) let kSecAttrAccess: CFString = "acls" as NSString
/// A `SecAccessControl` that says when the item may be used.
@safe
public nonisolated(unsafe) let kSecAttrAccessControl: CFString = "accc" as NSString
/// The access group that the item belongs to.
@safe
public nonisolated(unsafe) let kSecAttrAccessGroup: CFString = "agrp" as NSString
/// When the item can be read: one of the `kSecAttrAccessible…` values.
@safe
public nonisolated(unsafe) let kSecAttrAccessible: CFString = "pdmn" as NSString
/// Whose password it is.
@safe
public nonisolated(unsafe) let kSecAttrAccount: CFString = "acct" as NSString
/// Another name of the item.
@safe
public nonisolated(unsafe) let kSecAttrAlias: CFString = "alis" as NSString
/// Internal: set by the keychain only.
@safe
public nonisolated(unsafe) let kSecAttrAppClipItem: CFString = "clip" as NSString
/// The hash of the public key, by which a key and its certificate are matched.
@safe
public nonisolated(unsafe) let kSecAttrApplicationLabel: CFString = "klbl" as NSString
/// A tag of a key that belongs to the app.
@safe
public nonisolated(unsafe) let kSecAttrApplicationTag: CFString = "atag" as NSString
/// How the server authenticates: one of the `kSecAttrAuthenticationType…` values.
@safe
public nonisolated(unsafe) let kSecAttrAuthenticationType: CFString = "atyp" as NSString
/// Whether the key can decrypt.
@safe
public nonisolated(unsafe) let kSecAttrCanDecrypt: CFString = "decr" as NSString
/// Whether other keys can be derived from the key.
@safe
public nonisolated(unsafe) let kSecAttrCanDerive: CFString = "drve" as NSString
/// Whether the key can encrypt.
@safe
public nonisolated(unsafe) let kSecAttrCanEncrypt: CFString = "encr" as NSString
/// Whether the key can sign.
@safe
public nonisolated(unsafe) let kSecAttrCanSign: CFString = "sign" as NSString
/// Whether the key can sign so that the message can be recovered.
@safe
public nonisolated(unsafe) let kSecAttrCanSignRecover: CFString = "snrc" as NSString
/// Whether the key can unwrap other keys.
@safe
public nonisolated(unsafe) let kSecAttrCanUnwrap: CFString = "unwp" as NSString
/// Whether the key can verify signatures.
@safe
public nonisolated(unsafe) let kSecAttrCanVerify: CFString = "vrfy" as NSString
/// Whether the key can recover a message from its signature.
@safe
public nonisolated(unsafe) let kSecAttrCanVerifyRecover: CFString = "vyrc" as NSString
/// Whether the key can wrap other keys.
@safe
public nonisolated(unsafe) let kSecAttrCanWrap: CFString = "wrap" as NSString
/// The encoding of a certificate, as a number.
@safe
public nonisolated(unsafe) let kSecAttrCertificateEncoding: CFString = "cenc" as NSString
/// The type of a certificate, as a number.
@safe
public nonisolated(unsafe) let kSecAttrCertificateType: CFString = "ctyp" as NSString
/// A comment that the user may edit.
@safe
public nonisolated(unsafe) let kSecAttrComment: CFString = "icmt" as NSString
/// When the item was added; set by the keychain.
@safe
public nonisolated(unsafe) let kSecAttrCreationDate: CFString = "cdat" as NSString
/// A four-character code of the program that made the item.
@safe
public nonisolated(unsafe) let kSecAttrCreator: CFString = "crtr" as NSString
/// Internal: the item's identifier is derived from its key.
@safe
public nonisolated(unsafe) let kSecAttrDeriveSyncIDFromItemAttributes: CFString =
    "dspk" as NSString
/// What kind of item it is, for people.
@safe
public nonisolated(unsafe) let kSecAttrDescription: CFString = "desc" as NSString
/// How many bits of a key count.
@safe
public nonisolated(unsafe) let kSecAttrEffectiveKeySize: CFString = "esiz" as NSString
/// The day after which a key is not to be used.
@safe
public nonisolated(unsafe) let kSecAttrEndDate: CFString = "edat" as NSString
/// Data of the app, for generic passwords.
@safe
public nonisolated(unsafe) let kSecAttrGeneric: CFString = "gena" as NSString
/// Whether the item has an icon of its own.
@safe
public nonisolated(unsafe) let kSecAttrHasCustomIcon: CFString = "cusi" as NSString
/// Whether the key can be taken out of the keychain.
@safe
public nonisolated(unsafe) let kSecAttrIsExtractable: CFString = "extr" as NSString
/// Whether the item is hidden from people.
@safe
public nonisolated(unsafe) let kSecAttrIsInvisible: CFString = "invi" as NSString
/// Whether the key can be changed.
@safe
public nonisolated(unsafe) let kSecAttrIsModifiable: CFString = "modi" as NSString
/// Whether there is deliberately no password.
@safe
public nonisolated(unsafe) let kSecAttrIsNegative: CFString = "nega" as NSString
/// Whether the key is kept in the keychain.
@safe
public nonisolated(unsafe) let kSecAttrIsPermanent: CFString = "perm" as NSString
/// Whether the key is private.
@safe
public nonisolated(unsafe) let kSecAttrIsPrivate: CFString = "priv" as NSString
/// Whether the key may leave the keychain only wrapped.
@safe
public nonisolated(unsafe) let kSecAttrIsSensitive: CFString = "sens" as NSString
/// The issuer of a certificate, as DER.
@safe
public nonisolated(unsafe) let kSecAttrIssuer: CFString = "issr" as NSString
/// Public, private or symmetric: one of the `kSecAttrKeyClass…` values.
@safe
public nonisolated(unsafe) let kSecAttrKeyClass: CFString = "kcls" as NSString
/// Who made the key, as a number.
@safe
public nonisolated(unsafe) let kSecAttrKeyCreator: CFString = "crtr" as NSString
/// How many bits a key has.
@safe
public nonisolated(unsafe) let kSecAttrKeySizeInBits: CFString = "bsiz" as NSString
/// The algorithm of a key: one of the `kSecAttrKeyType…` values.
@safe
public nonisolated(unsafe) let kSecAttrKeyType: CFString = "type" as NSString
/// The name of the item, for people.
@safe
public nonisolated(unsafe) let kSecAttrLabel: CFString = "labl" as NSString
/// When the item was changed last; set by the keychain.
@safe
public nonisolated(unsafe) let kSecAttrModificationDate: CFString = "mdat" as NSString
/// Internal: the user of a device of several users.
@safe
public nonisolated(unsafe) let kSecAttrMultiUser: CFString = "musr" as NSString
/// An older name of `kSecUseDataProtectionKeychain`.
@safe
public nonisolated(unsafe) let kSecAttrNoLegacy: CFString = "nleg" as NSString
/// The path on the server.
@safe
public nonisolated(unsafe) let kSecAttrPath: CFString = "path" as NSString
/// Internal: a public identity of Protected Cloud Storage.
@safe
public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicIdentity: CFString =
    "pcsi" as NSString
/// Internal: a public key of Protected Cloud Storage.
@safe
public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicKey: CFString = "pcsk" as NSString
/// Internal: a service of Protected Cloud Storage.
@safe
public nonisolated(unsafe) let kSecAttrPCSPlaintextServiceIdentifier: CFString =
    "pcss" as NSString
/// Internal: the random part of a persistent reference.
@safe
public nonisolated(unsafe) let kSecAttrPersistentReference: CFString =
    "persistref" as NSString
/// ``kSecAttrPersistentReference`` by the other name that Apple gives it.
@safe
public nonisolated(unsafe) let kSecAttrPersistantReference: CFString =
    "persistref" as NSString
/// The server's port, as a number.
@safe
public nonisolated(unsafe) let kSecAttrPort: CFString = "port" as NSString
/// A pseudorandom function, one of the `kSecAttrPRF…` values.
@safe
public nonisolated(unsafe) let kSecAttrPRF: CFString = "prf" as NSString
/// Internal: data that belongs to the item.
@safe
public nonisolated(unsafe) let kSecAttrProtected: CFString = "prot" as NSString
/// The server's protocol: one of the `kSecAttrProtocol…` values.
@safe
public nonisolated(unsafe) let kSecAttrProtocol: CFString = "ptcl" as NSString
/// The hash of a certificate's public key.
@safe
public nonisolated(unsafe) let kSecAttrPublicKeyHash: CFString = "pkhh" as NSString
/// How many rounds a key derivation takes.
@safe
public nonisolated(unsafe) let kSecAttrRounds: CFString = "rounds" as NSString
/// The salt of a key derivation.
@safe
public nonisolated(unsafe) let kSecAttrSalt: CFString = "salt" as NSString
/// The script of an item's texts, as a number.
@safe
public nonisolated(unsafe) let kSecAttrScriptCode: CFString = "scrp" as NSString
/// The security domain or realm of a server.
@safe
public nonisolated(unsafe) let kSecAttrSecurityDomain: CFString = "sdmn" as NSString
/// The serial number of a certificate.
@safe
public nonisolated(unsafe) let kSecAttrSerialNumber: CFString = "slnr" as NSString
/// The host name or address of a server.
@safe
public nonisolated(unsafe) let kSecAttrServer: CFString = "srvr" as NSString
/// What the password is for.
@safe
public nonisolated(unsafe) let kSecAttrService: CFString = "svce" as NSString
/// Internal: a digest of the item.
@safe
public nonisolated(unsafe) let kSecAttrSHA1: CFString = "sha1" as NSString
/// Internal: the group with which a password is shared.
@safe
public nonisolated(unsafe) let kSecAttrSharingGroup: CFString = "ggrp" as NSString
/// The day before which a key is not to be used.
@safe
public nonisolated(unsafe) let kSecAttrStartDate: CFString = "sdat" as NSString
/// The subject of a certificate, as DER.
@safe
public nonisolated(unsafe) let kSecAttrSubject: CFString = "subj" as NSString
/// The subject key identifier of a certificate.
@safe
public nonisolated(unsafe) let kSecAttrSubjectKeyID: CFString = "skid" as NSString
/// Whether the item appears on all devices of the account.
@safe
public nonisolated(unsafe) let kSecAttrSynchronizable: CFString = "sync" as NSString
/// Which part of a synchronized keychain the item belongs to.
@safe
public nonisolated(unsafe) let kSecAttrSyncViewHint: CFString = "vwht" as NSString
/// Internal: whether the item is bound to the system.
@safe
public nonisolated(unsafe) let kSecAttrSysBound: CFString = "sysb" as NSString
/// The token on which a key lives.
@safe
public nonisolated(unsafe) let kSecAttrTokenID: CFString = "tkid" as NSString
/// The object on a token.
@safe
public nonisolated(unsafe) let kSecAttrTokenOID: CFString = "toid" as NSString
/// Whether this is what a deleted item leaves behind.
@safe
public nonisolated(unsafe) let kSecAttrTombstone: CFString = "tomb" as NSString
/// A four-character code of the item's type.
@safe
public nonisolated(unsafe) let kSecAttrType: CFString = "type" as NSString
/// Internal: the item's identifier in sync.
@safe
public nonisolated(unsafe) let kSecAttrUUID: CFString = "UUID" as NSString
/// Whether the key has been sensitive since it was made.
@safe
public nonisolated(unsafe) let kSecAttrWasAlwaysSensitive: CFString = "asen" as NSString
/// Whether the key could never be taken out of the keychain.
@safe
public nonisolated(unsafe) let kSecAttrWasNeverExtractable: CFString = "next" as NSString
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
/// Internal: the history of an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraHistory: CFString = "bini" as NSString
/// Internal: notes beside an internet password.
@safe
public nonisolated(unsafe) let kSecDataInetExtraNotes: CFString = "binn" as NSString
/// The attributes of the private half of a key pair.
@safe
public nonisolated(unsafe) let kSecPrivateKeyAttrs: CFString = "private" as NSString
/// The attributes of the public half of a key pair.
@safe
public nonisolated(unsafe) let kSecPublicKeyAttrs: CFString = "public" as NSString
