// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
internal import KSSecurityNames

/// The message of a status, in English.
///
/// It is never nil: the message of an unknown status is its number, as on Apple systems.
///
/// - Parameters:
///   - status: the status that a call returned.
///   - reserved: nil.
/// - Returns: the message.
public func SecCopyErrorMessageString(
    _ status: OSStatus,
    _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
    (SecStatus.message(of: status) ?? "OSStatus \(status)") as NSString
}

extension NSError {
    /// The error that functions with an error parameter return for a status.
    static func status(_ status: OSStatus) -> NSError {
        let text = SecStatus.message(of: status) ?? "OSStatus \(status)"
        return NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(status),
            userInfo: [NSLocalizedDescriptionKey: text]
        )
    }
}

extension Optional where Wrapped == UnsafeMutablePointer<Unmanaged<CFError>?> {
    /// Gives an error to the caller, who owns it from then on.
    func give(_ status: OSStatus) {
        unsafe self?.pointee = Unmanaged.passRetained(NSError.status(status))
    }
}
