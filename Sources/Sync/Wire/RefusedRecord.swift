/// A record that makes a batch be refused, from the error answer's field `refused`.
package struct RefusedRecord: Hashable, Sendable {
    /// The counter of the write's dot; the actor is the batch's.
    package let counter: UInt64
    /// Why: ``ErrorCode/siblingsFull``, ``ErrorCode/tooLarge`` or ``ErrorCode/malformed``.
    package let code: ErrorCode

    package init(counter: UInt64, code: ErrorCode) {
        self.counter = counter
        self.code = code
    }
}
