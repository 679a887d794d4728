internal import KSSecurityNames

/// The sentences that scripts and people know for an OSStatus.
enum StatusMessages {
    /// Locked, denied, given up by the user.
    static let secretRefused = [
        SecStatus.errSecInteractionNotAllowed, SecStatus.errSecAuthFailed,
        SecStatus.errSecUserCanceled,
    ]

    static func text(for status: Int32) -> String {
        status == SecStatus.errSecReadOnly
            ? readOnlyText : SecStatus.message(of: status) ?? "error \(status)"
    }

    /// What `security` prints; Apple's newer sentence is another one.
    private static let readOnlyText = "Read only error."
}
