package import KSRecords

/// All that a store writes when it accepts a batch.
package struct PushChange: Sendable {
    /// Each record that the batch wrote, whole, by seq.
    package let records: [HeldRecord]
    /// How many of them are new.
    package let newRecordCount: Int
    /// The account's growth, for its quota.
    package let growthBytes: Int64
    /// The actor belongs to its member from now on, and has written up to the end of this batch.
    package let header: BatchHeader
    package let member: MemberID
    /// The seq up to which the member has durably applied.
    package let appliedSeq: UInt64
    /// The answer to the batch and to every retry.
    ///
    /// Its cursor has the account's new seq, and the tag of all seqs of the batch.
    package let answer: PushAnswer

    init(
        _ merge: RecordMerge,
        of batch: IncomingBatch,
        on account: AccountStanding,
        tag: CommitTag,
        usage: AccountUsage
    ) {
        records = merge.written
        newRecordCount = records.count { $0.storedSeq == nil }
        growthBytes = merge.growthBytes
        header = batch.header
        member = batch.request.member
        appliedSeq = batch.request.applied?.seq ?? 0
        let accepted = merge.accepted
        answer = PushAnswer(
            records: accepted,
            cursor: Cursor(epoch: account.epoch, seq: accepted.last?.seq ?? account.seq, tag: tag),
            circleVersion: account.circleVersion,
            usage: usage
        )
    }
}
