public import Foundation
internal import KeyValueStore

extension NSNotification.Name {
    /// Posted when the device joins an account or leaves one.
    public static let NSUbiquityIdentityDidChange = NSNotification.Name(
        "NSUbiquityIdentityDidChangeNotification"
    )
}

extension FileManager {
    /// Identifies the account that the device belongs to; nil if it belongs to none.
    ///
    /// Two tokens are equal if they identify the same account.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
        // Creates the object that posts a notification when this token changes.
        _ = NSUbiquitousKeyValueStore.shared
        // A daemon that cannot be asked shows no account.
        return (try? KeyValueStore.default.accountToken()).map { $0 as NSData }
    }
}
