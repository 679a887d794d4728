/// What is noted of a member's last contact.
package struct MemberContact: Sendable {
    /// A contact is noted again only after so long when it says nothing else that is new.
    private static let silenceSeconds: UInt64 = 3600

    /// Up to which seq it has durably applied.
    package let appliedSeq: UInt64
    package let seconds: UInt64
    /// Silent for so long that it holds no removal back.
    package let isDormant: Bool

    package init(appliedSeq: UInt64, seconds: UInt64, isDormant: Bool) {
        self.appliedSeq = appliedSeq
        self.seconds = seconds
        self.isDormant = isDormant
    }

    /// Whether a contact is worth a write.
    package func isNews(appliedSeq: UInt64, nowSeconds: UInt64) -> Bool {
        appliedSeq > self.appliedSeq || isDormant || nowSeconds >= seconds + Self.silenceSeconds
    }
}
