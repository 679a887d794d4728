/// Who last set a value, and when: (hybrid logical time, actor), inside the seal.
package struct Stamp: Hashable, Comparable, Sendable {
    package let time: HybridTime
    package let actor: ActorID

    package init(time: HybridTime, actor: ActorID) {
        self.time = time
        self.actor = actor
    }

    /// By time, then actor: which of two concurrent values is shown.
    package static func < (left: Stamp, right: Stamp) -> Bool {
        (left.time, left.actor) < (right.time, right.actor)
    }
}
