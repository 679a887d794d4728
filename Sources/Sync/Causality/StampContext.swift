/// Which stamps of one item a state has seen: each actor's highest, and single ones named exactly.
///
/// "Actor → highest" is correct while an actor is one serial writer. The stamps of a refused batch
/// are named one by one instead, because a copy of its actor may have written others below.
package struct StampContext: Hashable, Sendable {
    private var times: [ActorID: HybridTime] = [:]
    private var exact: Set<Stamp> = []

    package init() {}

    package init(highest: some Sequence<Stamp>, exact: some Sequence<Stamp> = EmptyCollection()) {
        self.init()
        for stamp in highest { raise(to: stamp) }
        for stamp in exact { insertExactly(stamp) }
    }

    /// How many stamps it names.
    package var count: Int { times.count + exact.count }

    /// Each actor's highest stamp, by actor.
    package var highestStamps: [Stamp] {
        times.map { Stamp(time: $0.value, actor: $0.key) }.sorted { $0.actor < $1.actor }
    }

    /// The stamps named one by one, which no actor's highest covers, in order.
    package var exactStamps: [Stamp] { exact.sorted() }

    package var isEmpty: Bool { times.isEmpty && exact.isEmpty }

    /// The highest time of all stamps; zero without any.
    package var latestTime: HybridTime {
        max(times.values.max() ?? .zero, exact.map(\.time).max() ?? .zero)
    }

    package func contains(_ stamp: Stamp) -> Bool {
        isBelowHighest(stamp) || exact.contains(stamp)
    }

    /// Marks all stamps of this actor up to this one as seen.
    package mutating func raise(to stamp: Stamp) {
        if let time = times[stamp.actor], stamp.time <= time { return }
        times[stamp.actor] = stamp.time
        guard !exact.isEmpty else { return }
        exact = exact.filter { $0.actor != stamp.actor || stamp.time < $0.time }
    }

    /// Marks only this stamp as seen.
    package mutating func insertExactly(_ stamp: Stamp) {
        if !contains(stamp) { exact.insert(stamp) }
    }

    /// Marks all that the other context has seen as seen.
    ///
    /// It looks at each stamp once, however many the author of the other context has named.
    package mutating func merge(_ other: StampContext) {
        if !other.times.isEmpty { times.merge(other.times) { max($0, $1) } }
        guard !exact.isEmpty || !other.exact.isEmpty else { return }
        exact = exact.union(other.exact).filter { !isBelowHighest($0) }
    }

    /// Whether a higher stamp of the same actor, or this one, is its actor's highest.
    private func isBelowHighest(_ stamp: Stamp) -> Bool {
        times[stamp.actor].map { stamp.time <= $0 } ?? false
    }

    package func merged(with other: StampContext) -> StampContext {
        var result = self
        result.merge(other)
        return result
    }
}
