internal import KSSecurityNames

/// Why a call to the keychain failed, as one of Apple's status numbers.
///
/// New errors may be added: always have a `catch` for the rest.
///
/// ```swift
/// do {
///     try await keychain.add(GenericPassword(service: "mail", account: "ada", password: "secret"))
/// } catch .duplicateItem {
///     // It is there already.
/// }
/// ```
public struct KeychainError: Error, Hashable, Sendable {
    /// The status that the SecItem functions would have returned.
    public let status: Int32

    /// The error of a status.
    public init(status: Int32) {
        self.status = status
    }

    /// No item matches.
    public static let itemNotFound = KeychainError(status: SecStatus.errSecItemNotFound)
    /// There is an item with this key already.
    public static let duplicateItem = KeychainError(status: SecStatus.errSecDuplicateItem)
    /// The item's protection class is locked.
    public static let interactionNotAllowed = Self(status: SecStatus.errSecInteractionNotAllowed)
    /// The program may not use this access group.
    public static let missingEntitlement = KeychainError(status: SecStatus.errSecMissingEntitlement)
    /// A value has the wrong form.
    public static let parameter = KeychainError(status: SecStatus.errSecParam)
    /// There is no daemon, and none could be started.
    public static let notAvailable = KeychainError(status: SecStatus.errSecNotAvailable)
    /// Data from the daemon could not be read.
    public static let decode = KeychainError(status: SecStatus.errSecDecode)
    /// Items of this class need a passcode, and the device has none.
    public static let authenticationFailed = KeychainError(status: SecStatus.errSecAuthFailed)

    /// A file cannot be read or written.
    public static let inputOutput = KeychainError(status: SecStatus.errSecIO)

    /// Apple's English message for the status.
    public var message: String {
        SecStatus.message(of: status) ?? "OSStatus \(status)"
    }
}

extension KeychainError: CustomStringConvertible {
    /// The sentence and the status.
    public var description: String { "\(message) (\(status))" }
}
