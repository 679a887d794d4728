/// The name of one write of one record: the n-th write of an actor.
///
/// Counters of an actor start at 1 and have no gaps.
/// Source: Preguiça et al., "Dotted Version Vectors" (arXiv 1011.5808).
package struct Dot: Hashable, Comparable, Sendable {
    package let actor: ActorID
    package let counter: UInt64

    package init(actor: ActorID, counter: UInt64) {
        self.actor = actor
        self.counter = counter
    }

    /// By actor, then counter: an order for lists, not an order in time.
    package static func < (left: Dot, right: Dot) -> Bool {
        (left.actor, left.counter) < (right.actor, right.counter)
    }
}
