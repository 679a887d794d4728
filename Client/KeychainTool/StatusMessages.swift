internal import KSSecurityNames

/// The sentences that scripts and people know for an OSStatus.
enum StatusMessages {
    /// The keychain is locked, access is denied, or the user cancelled.
    static let secretRefused = [
        SecStatus.errSecInteractionNotAllowed, SecStatus.errSecAuthFailed,
        SecStatus.errSecUserCanceled,
    ]

    static func text(for status: Int32) -> String {
        // The sentence that `security` prints; Apple's newer one differs.
        if status == SecStatus.errSecReadOnly { return "Read only error." }
        return SecStatus.message(of: status) ?? "error \(status)"
    }
}
