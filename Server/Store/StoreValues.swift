package import KSCausality
internal import KSMerging
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
        self.id = id
        self.name = name
        self.genesis = genesis
    }

    /// Whether this sign-up made the account that has its name: its first answer was lost.
    package func isRetry(of id: AccountID, genesis: SignedEntry?) -> Bool {
        id == self.id && genesis == self.genesis.entry
    }
}

extension IncomingEntry {
    /// The first entry of a new account's circle.
    init(genesis account: NewAccount) throws(StoreError) {
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

    package var epoch: StoreEpoch { cursor.epoch }
    /// The seq of the newest accepted write; 0 before the first.
    package var seq: UInt64 { cursor.seq }
}

/// The part of a circle that one of its members gets.
package struct CircleState: Hashable, Sendable {
    package let account: AccountID
    package let epoch: StoreEpoch
    /// The entries in order.
    package let entries: [SignedEntry]
    /// The member's own key envelope of the newest entry.
    package let envelope: KeyEnvelope?
    /// Only for the credentials.
    package let credentialsBox: [UInt8]?
}

/// An entry of a circle with key envelopes.
package struct ShownEntry: Hashable, Sendable {
    package let entry: SignedEntry
    package let envelopes: [KeyEnvelope]
    /// The account vector.
    package let vector: VersionVector

    package init(entry: SignedEntry, envelopes: [KeyEnvelope], vector: VersionVector) {
        self.entry = entry
        self.envelopes = envelopes
        self.vector = vector
    }
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

    package init(
        account: AccountID,
        member: MemberID,
        after: Cursor?,
        recordsMax: Int = Limits.pageRecordsMax,
        bytesMax: Int = Limits.pageBytesMax,
        isOfMember: Bool = true
    ) {
        self.account = account
        self.member = member
        self.after = after
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
        self.isOfMember = isOfMember
    }
}

/// The result of comparing a device's statement with the store's history.
package struct HistoryComparison: Hashable, Sendable {
    /// Whether the store knows this history; if so, nothing has changed.
    package let isKnown: Bool
    /// The account's epoch from now on.
    package let epoch: StoreEpoch
}
