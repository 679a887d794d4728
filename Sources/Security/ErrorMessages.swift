// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
internal import KSSecurityNames

/// The sentence about a status, in English.
///
/// It is never nil: a status that is not known is named by its number, as Apple does.
///
/// - Parameters:
///   - status: what a call returned.
///   - reserved: nil.
/// - Returns: the sentence.
public func SecCopyErrorMessageString(
    _ status: OSStatus,
    _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
    (SecStatus.message(of: status) ?? "OSStatus \(status)") as NSString
}

extension NSError {
    /// What the functions with an error parameter hand out.
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
    /// Hands an error to the caller, who owns it then.
    func give(_ status: OSStatus) {
        unsafe self?.pointee = Unmanaged.passRetained(NSError.status(status))
    }
}
