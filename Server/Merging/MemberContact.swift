/// A member's last contact.
package struct MemberContact: Sendable {
    /// How long an unchanged contact is not stored again.
    private static let silenceSeconds: UInt64 = 3600

    /// The seq up to which it has durably applied.
    package let appliedSeq: UInt64
    /// In seconds of the store's own time.
    package let seconds: UInt64
    /// Whether it was silent for so long that it no longer delays removals.
    package let isDormant: Bool

    package init(appliedSeq: UInt64, seconds: UInt64, isDormant: Bool) {
        self.appliedSeq = appliedSeq
        self.seconds = seconds
        self.isDormant = isDormant
    }

    /// Whether a contact is worth storing.
    package func isNews(appliedSeq: UInt64, nowSeconds: UInt64) -> Bool {
        appliedSeq > self.appliedSeq || isDormant || nowSeconds >= seconds + Self.silenceSeconds
    }
}
