/// What a device signs of the history that its server showed it: the evidence on which a server
/// that does not know it begins a new epoch.
///
/// Devices alone make it; a session's token, which others may come by, is not enough.
package struct HistoryStatement: Hashable, Sendable {
    package let account: AccountID
    package let member: MemberID
    /// As the server gave it.
    package let cursor: Cursor
    package let nonce: [UInt8]
    /// Seconds since 1970-01-01 00:00 UTC, from the challenge.
    package let expirySeconds: UInt64

    package init(
        account: AccountID,
        member: MemberID,
        cursor: Cursor,
        nonce: [UInt8],
        expirySeconds: UInt64
    ) {
        self.account = account
        self.member = member
        self.cursor = cursor
        self.nonce = nonce
        self.expirySeconds = expirySeconds
    }

    /// The bytes that are signed.
    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: "history")
        encoder.fixed(account)
        encoder.fixed(member)
        encoder.fixed(cursor.epoch)
        encoder.integer(cursor.seq)
        encoder.fixed(cursor.tag)
        encoder.bytes(nonce)
        encoder.integer(expirySeconds)
        return encoder.encoded
    }
}
