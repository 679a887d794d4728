package import KSCausality

/// A page of changes, in seq order, each record once.
package struct PageAnswer: Hashable, Sendable {
    /// A record at its latest seq.
    package struct Record: Hashable, Sendable {
        package let id: RecordID
        package let seq: UInt64
        /// By dot.
        package let siblings: [Envelope]

        package init(id: RecordID, seq: UInt64, siblings: [Envelope]) {
            self.id = id
            self.seq = seq
            self.siblings = siblings
        }
    }

    package let records: [Record]
    /// Where the next page begins.
    package let cursor: Cursor
    package let hasMore: Bool
    /// The account vector, valid only with the last page.
    package let vector: VersionVector
    package let circleVersion: UInt64
    /// Nil where the sender does not say.
    package let usage: AccountUsage?
    /// The seq of the account's newest write, which later pages may show.
    package let accountSeq: UInt64
    /// Of all deleted records, those up to this seq were removed.
    package let removalHorizon: UInt64

    package init(
        records: [Record],
        cursor: Cursor,
        hasMore: Bool,
        vector: VersionVector,
        circleVersion: UInt64,
        usage: AccountUsage? = nil,
        accountSeq: UInt64 = 0,
        removalHorizon: UInt64 = 0
    ) {
        self.records = records
        self.cursor = cursor
        self.hasMore = hasMore
        self.vector = vector
        self.circleVersion = circleVersion
        self.usage = usage
        self.accountSeq = accountSeq
        self.removalHorizon = removalHorizon
    }
}

/// How full an account is.
package struct AccountUsage: Hashable, Sendable {
    /// What its records and its circle take.
    package let bytes: UInt64
    /// The quota; nil for none.
    package let bytesMax: UInt64?

    package init(bytes: UInt64, bytesMax: UInt64?) {
        self.bytes = bytes
        self.bytesMax = bytesMax
    }
}
