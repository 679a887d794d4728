package import KSRecords
package import KSWire

/// The state of an account, from which every decision about it starts.
package struct AccountStanding: Hashable, Sendable {
    package let epoch: StoreEpoch
    /// The seq of the newest accepted write; 0 before the first.
    package let seq: UInt64
    /// Of all deleted records, those up to this seq were removed, and the tags before it.
    package let removalHorizon: UInt64
    /// The version of the circle's newest entry; `generation` is that entry's, too.
    package let circleVersion: UInt64
    package let generation: UInt64
    /// The size of all siblings, which counts against the quota.
    package let recordBytes: Int64
    /// The size of all entries of the circle, which counts against the quota too.
    package let circleBytes: Int64

    package init(
        epoch: StoreEpoch,
        seq: UInt64,
        removalHorizon: UInt64,
        circleVersion: UInt64,
        generation: UInt64,
        recordBytes: Int64,
        circleBytes: Int64
    ) {
        self.epoch = epoch
        self.seq = seq
        self.removalHorizon = removalHorizon
        self.circleVersion = circleVersion
        self.generation = generation
        self.recordBytes = recordBytes
        self.circleBytes = circleBytes
    }

    /// Why a cursor is refused; nil for a valid one.
    ///
    /// - Parameters:
    ///   - cursor: where a device continues.
    ///   - tag: the tag of the cursor's seq in this history; nil if the account has not reached it.
    ///     Below ``removalHorizon`` no tags are kept.
    ///   - completeSeq: of a device that pulls everything again, the seq up to which it has missed
    ///     no removal; otherwise nil, and the cursor says it.
    /// - Returns: the code of the refusal.
    package func refusal(
        of cursor: Cursor,
        tag: CommitTag?,
        completeSeq: UInt64? = nil
    ) -> ErrorCode? {
        guard cursor.epoch == epoch else { return .storeRestored }
        guard cursor.seq <= seq else { return .unknownCursor }
        if cursor.seq >= removalHorizon, cursor.tag != tag { return .unknownCursor }
        return completeSeq ?? cursor.seq < removalHorizon ? .resyncRequired : nil
    }

    /// Why a device that begins to pull everything again is refused; nil for one that has missed no
    /// removal, and for a new one.
    package func refusal(ofWholePullAfter completeSeq: UInt64?) -> ErrorCode? {
        completeSeq ?? .max < removalHorizon ? .resyncRequired : nil
    }

    /// Whether a cursor from this store proves that the store went back; then a new epoch begins.
    ///
    /// A cursor of another epoch proves nothing: an epoch has begun since.
    package func hasLost(_ cursor: Cursor, tag: CommitTag?) -> Bool {
        refusal(of: cursor, tag: tag) == .unknownCursor
    }
}
