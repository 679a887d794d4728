/// A record of a refused batch that cannot be taken, as the error answer's `refused` names it.
package struct RefusedRecord: Hashable, Sendable {
    /// Of the write's dot: the actor is the batch's.
    package let counter: UInt64
    /// Why: ``ErrorCode/siblingsFull``, ``ErrorCode/tooLarge`` or ``ErrorCode/malformed``.
    package let code: ErrorCode

    package init(counter: UInt64, code: ErrorCode) {
        self.counter = counter
        self.code = code
    }
}
