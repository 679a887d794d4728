internal import KSCausality
package import KSRecords

/// A write that cannot be accepted, however often its batch is sent.
package struct RefusedWrite: Hashable, Sendable {
    package enum Reason: Sendable {
        /// It names itself, or a later write of its own actor, as replaced.
        case malformed
        /// Its box or its replaced dots exceed ``Limits``.
        case tooLarge
        /// Its record has the most siblings allowed.
        case siblingsFull
    }

    /// The counter of its dot; the actor is the batch's.
    package let counter: UInt64
    package let reason: Reason

    package init(counter: UInt64, reason: Reason) {
        self.counter = counter
        self.reason = reason
    }
}

extension Envelope {
    /// Why this write can never be accepted, whatever the account holds; nil if it can.
    package var refusal: RefusedWrite? {
        let isOwnLater = replaced.contains { $0.actor == dot.actor && $0.counter >= dot.counter }
        let isTooLarge = box.count > Limits.boxBytesMax || replaced.count > Limits.replacedMax
        if isTooLarge { return RefusedWrite(counter: dot.counter, reason: .tooLarge) }
        return isOwnLater ? RefusedWrite(counter: dot.counter, reason: .malformed) : nil
    }
}
