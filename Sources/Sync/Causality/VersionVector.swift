/// Actor → highest counter accepted.
///
/// A missing actor has counter 0; an entry of 0 equals a missing one.
package struct VersionVector: Hashable, Sendable {
    private var counters: [ActorID: UInt64] = [:]

    package init() {}

    /// The vector of these entries; of an actor's entries the highest counts.
    package init(_ entries: some Sequence<(actor: ActorID, counter: UInt64)>) {
        for entry in entries { raise(entry.actor, to: entry.counter) }
    }

    /// The entries above 0, by actor.
    package var entries: [(actor: ActorID, counter: UInt64)] {
        counters.map { (actor: $0.key, counter: $0.value) }.sorted { $0.actor < $1.actor }
    }

    package var isEmpty: Bool { counters.isEmpty }

    package subscript(actor: ActorID) -> UInt64 {
        counters[actor] ?? 0
    }

    /// Whether the write with this name is among those accepted.
    package func contains(_ dot: Dot) -> Bool {
        dot.counter <= self[dot.actor]
    }

    /// Whether everything in `other` is in this one too.
    package func covers(_ other: VersionVector) -> Bool {
        other.counters.allSatisfy { $0.value <= self[$0.key] }
    }

    /// Sets an actor's counter, unless it is higher already.
    package mutating func raise(_ actor: ActorID, to counter: UInt64) {
        if counter > self[actor] { counters[actor] = counter }
    }

    /// Raises every counter that is higher in `other`.
    package mutating func raise(to other: VersionVector) {
        counters.merge(other.counters) { max($0, $1) }
    }

    /// The same without these writes, and without those that their actors made after them.
    package func without(_ dots: some Sequence<Dot>) -> VersionVector {
        var result = self
        for dot in dots where result.contains(dot) {
            result.counters[dot.actor] = dot.counter > 1 ? dot.counter - 1 : nil
        }
        return result
    }
}
