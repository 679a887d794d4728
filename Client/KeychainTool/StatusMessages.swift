internal import KSSecurityNames

/// The sentences that scripts and people know for an OSStatus.
enum StatusMessages {
    /// The keychain is locked, access is denied, or the user cancelled.
    static let secretRefused = [
        SecStatus.errSecInteractionNotAllowed, SecStatus.errSecAuthFailed,
        SecStatus.errSecUserCanceled,
    ]

    static func text(for status: Int32) -> String {
        status == SecStatus.errSecReadOnly
            ? readOnlyText : SecStatus.message(of: status) ?? "error \(status)"
    }

    /// The sentence that `security` prints; Apple's newer one differs.
    private static let readOnlyText = "Read only error."
}
