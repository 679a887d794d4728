package import KSMerging
internal import KSWire
package import KSRecords

/// A sign-up.
package struct NewAccount: Sendable {
    package let id: AccountID
    /// A look-up handle, as its owner wrote it.
    package let name: String
    /// The circle's first entry, which the credentials have signed too.
    package let genesis: CircleChange

    package init(id: AccountID, name: String, genesis: CircleChange) {
        (self.id, self.name, self.genesis) = (id, name, genesis)
    }

    /// Whether this sign-up made the account that has its name: its first answer was lost.
    package func isRetry(of id: AccountID, genesis: SignedEntry?) -> Bool {
        id == self.id && genesis == self.genesis.entry
    }
}

extension IncomingEntry {
    /// The first entry of a new account's circle.
    package init(genesis account: NewAccount) throws(StoreError) {
        try self.init(account.genesis, of: account.id)
        guard entry.version == 1 else { throw .refused(.malformed) }
    }
}

/// The state of an account.
package struct AccountState: Hashable, Sendable {
    package let id: AccountID
    /// The name as its owner wrote it.
    package let name: String
    /// The cursor behind the newest accepted write.
    package let cursor: Cursor
    package let circleVersion: UInt64
    /// The generation of the circle's newest entry.
    package let generation: UInt64

    package init(
        id: AccountID,
        name: String,
        cursor: Cursor,
        circleVersion: UInt64,
        generation: UInt64
    ) {
        (self.id, self.name, self.cursor) = (id, name, cursor)
        (self.circleVersion, self.generation) = (circleVersion, generation)
    }

    package var epoch: StoreEpoch { cursor.epoch }
    /// The seq of the newest accepted write; 0 before the first.
    package var seq: UInt64 { cursor.seq }
}

/// A request for new records.
package struct ChangesRequest: Sendable {
    package let account: AccountID
    package let member: MemberID
    /// Where the page begins; nil for the start.
    package let after: Cursor?
    package let recordsMax: Int
    package let bytesMax: Int
    /// Whether the member itself pulls: then it has durably applied everything up to `after`.
    package let isOfMember: Bool
    /// Of a device that pulls everything again, the seq up to which it has missed no removal;
    /// otherwise nil.
    package let completeSeq: UInt64?
    /// Whether the device has a batch without an answer.
    ///
    /// What that batch changes was decided before the device applied what it pulls now, so what it
    /// pulls does not count as applied.
    package let hasBatch: Bool

    package init(
        account: AccountID,
        member: MemberID,
        after: Cursor?,
        recordsMax: Int = Limits.pageRecordsMax,
        bytesMax: Int = Limits.pageBytesMax,
        isOfMember: Bool = true,
        completeSeq: UInt64? = nil,
        hasBatch: Bool = false
    ) {
        (self.account, self.member, self.after) = (account, member, after)
        (self.recordsMax, self.bytesMax, self.isOfMember) = (recordsMax, bytesMax, isOfMember)
        (self.completeSeq, self.hasBatch) = (completeSeq, hasBatch)
    }

    /// The seq up to which the member has applied everything, as far as this request says.
    package var appliedSeq: UInt64 { hasBatch ? 0 : after?.seq ?? 0 }
}

/// The result of comparing a device's statement with the store's history.
package struct HistoryComparison: Hashable, Sendable {
    /// Whether the store knows this history; if so, nothing has changed.
    package let isKnown: Bool
    /// The account's epoch from now on.
    package let epoch: StoreEpoch

    package init(isKnown: Bool, epoch: StoreEpoch) {
        (self.isKnown, self.epoch) = (isKnown, epoch)
    }
}
