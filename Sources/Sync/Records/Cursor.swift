/// Up to where a device has applied an account's writes.
package struct Cursor: Hashable, Sendable {
    package let epoch: StoreEpoch
    /// The server's gapless order of accepted writes; 0 is before the first.
    package let seq: UInt64
    package let tag: CommitTag

    package init(epoch: StoreEpoch, seq: UInt64, tag: CommitTag) {
        self.epoch = epoch
        self.seq = seq
        self.tag = tag
    }
}
