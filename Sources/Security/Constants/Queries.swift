// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation

// What a query is made of besides attributes.

/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchCaseInsensitive: CFString =
    "m_CaseInsensitive" as NSString
/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchDiacriticInsensitive: CFString =
    "m_DiacriticInsensitive" as NSString
/// Only certificates with this e-mail address.
@safe
public nonisolated(unsafe) let kSecMatchEmailAddressIfPresent: CFString =
    "m_EmailAddressIfPresent" as NSString
/// Only internet passwords of this host or of one below it.
@safe
public nonisolated(unsafe) let kSecMatchHostOrSubdomainOfHost: CFString =
    "m_HostOrSubdomainOfHost" as NSString
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
public nonisolated(unsafe) let kSecMatchSubjectContains: CFString =
    "m_SubjectContains" as NSString
/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchSubjectEndsWith: CFString =
    "m_SubjectEndsWith" as NSString
/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchSubjectStartsWith: CFString =
    "m_SubjectStartsWith" as NSString
/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchSubjectWholeString: CFString =
    "m_SubjectWholeString" as NSString
/// Only certificates that are trusted.
@safe
public nonisolated(unsafe) let kSecMatchTrustedOnly: CFString = "m_TrustedOnly" as NSString
/// Only certificates that are valid on this date.
@safe
public nonisolated(unsafe) let kSecMatchValidOnDate: CFString = "m_ValidOnDate" as NSString
/// Recorded and without effect, as in Apple's data protection keychain.
@safe
public nonisolated(unsafe) let kSecMatchWidthInsensitive: CFString =
    "m_WidthInsensitive" as NSString
/// Whether the result holds the attributes.
@safe
public nonisolated(unsafe) let kSecReturnAttributes: CFString = "r_Attributes" as NSString
/// Whether the result holds the secret or the encoded key or certificate.
@safe
public nonisolated(unsafe) let kSecReturnData: CFString = "r_Data" as NSString
/// Whether the result holds a persistent reference.
@safe
public nonisolated(unsafe) let kSecReturnPersistentRef: CFString =
    "r_PersistentRef" as NSString
/// Whether the result holds a reference: a key, a certificate or an identity.
@safe
public nonisolated(unsafe) let kSecReturnRef: CFString = "r_Ref" as NSString
/// A context of user authentication; there is none on Linux.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationContext: CFString =
    "u_AuthCtx" as NSString
/// Whether the user may be asked: one of the `kSecUseAuthenticationUI…` values.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUI: CFString = "u_AuthUI" as NSString
/// The user may be asked.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUIAllow: CFString =
    "u_AuthUIA" as NSString
/// Where the user had to be asked, the call fails.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF" as NSString
/// Items for which the user had to be asked are left out.
@safe
public nonisolated(unsafe) let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS" as NSString
/// Internal: further certificates for `kSecMatchIssuers`.
@safe
public nonisolated(unsafe) let kSecUseCertificatesWithMatchIssuers: CFString =
    "u_CertsWithMatchIssuers" as NSString
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
public nonisolated(unsafe) let kSecUseSyncBubbleKeychain: CFString =
    "u_SyncBubbleKeychain" as NSString
/// Internal: the keychain of the system.
@safe
public nonisolated(unsafe) let kSecUseSystemKeychain: CFString =
    "u_SystemKeychain" as NSString
/// Internal: the keychain of the system.
@safe
public nonisolated(unsafe) let kSecUseSystemKeychainAlways: CFString =
    "u_SystemKeychainAlways" as NSString
/// Internal: items of a token as they are.
@safe
public nonisolated(unsafe) let kSecUseTokenRawItems: CFString = "u_TokenRawItems" as NSString
/// The keychain of all users of a device.
@safe
public nonisolated(unsafe) let kSecUseUserIndependentKeychain: CFString =
    "u_UserIndependentKeychain" as NSString
/// Whether a deleted item leaves a tombstone behind.
@safe
public nonisolated(unsafe) let kSecUseTombstones: CFString = "u_Tomb" as NSString
/// The secret, or the encoded key or certificate.
@safe
public nonisolated(unsafe) let kSecValueData: CFString = "v_Data" as NSString
/// A persistent reference to an item.
@safe
public nonisolated(unsafe) let kSecValuePersistentRef: CFString =
    "v_PersistentRef" as NSString
/// A reference to an item: a key, a certificate or an identity.
@safe
public nonisolated(unsafe) let kSecValueRef: CFString = "v_Ref" as NSString
