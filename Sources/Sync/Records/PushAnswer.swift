package import KSCausality

/// The answer to an accepted batch; every retry gets the same, with the account's present usage.
package struct PushAnswer: Hashable, Sendable {
    /// A record after one write of the batch.
    package struct Accepted: Hashable, Sendable {
        package let seq: UInt64
        /// The record's siblings after the write, in order.
        package let dots: [Dot]

        package init(seq: UInt64, dots: [Dot]) {
            self.seq = seq
            self.dots = dots
        }
    }

    /// One for each envelope, in the batch's order.
    package let records: [Accepted]
    /// The cursor at the seq of the last record.
    package let cursor: Cursor
    package let circleVersion: UInt64
    /// How full the account is with it; nil if the server does not say.
    package var usage: AccountUsage?

    package init(
        records: [Accepted],
        cursor: Cursor,
        circleVersion: UInt64,
        usage: AccountUsage? = nil
    ) {
        self.records = records
        self.cursor = cursor
        self.circleVersion = circleVersion
        self.usage = usage
    }
}
