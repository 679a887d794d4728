public import Foundation
internal import KeyValueStore

extension NSNotification.Name {
    /// Posted when the device joins an account or leaves one.
    public static let NSUbiquityIdentityDidChange = NSNotification.Name(
        "NSUbiquityIdentityDidChangeNotification"
    )
}

extension FileManager {
    /// Stands for the account that the device belongs to; nil if it belongs to none.
    ///
    /// Two tokens are equal if they stand for the same account.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
        // It posts the notification about a change of what is read here.
        _ = NSUbiquitousKeyValueStore.shared
        // A daemon that cannot be asked shows no account.
        return (try? KeyValueStore.default.status())?.accountToken.map { $0 as NSData }
    }
}
