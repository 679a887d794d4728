/// A device's signed statement of the history that its server gave it.
///
/// A server that does not know this history begins a new epoch. Only devices can make it: a session
/// token, which may be stolen, is not enough.
package struct HistoryStatement: SignedStatement, Hashable, Sendable {
    package let account: AccountID
    package let member: MemberID
    /// The cursor that the server gave.
    package let cursor: Cursor
    package let challenge: Challenge

    package init(account: AccountID, member: MemberID, cursor: Cursor, challenge: Challenge) {
        self.account = account
        self.member = member
        self.cursor = cursor
        self.challenge = challenge
    }

    /// The bytes that are signed.
    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: "history")
        encoder.fixed(account)
        encoder.fixed(member)
        encoder.fixed(cursor.epoch)
        encoder.integer(cursor.seq)
        encoder.fixed(cursor.tag)
        encoder.bytes(challenge.nonce)
        encoder.integer(challenge.expirySeconds)
        return encoder.encoded
    }
}
