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

    /// The highest time of this actor's stamps; zero without any.
    package func latestTime(of actor: ActorID) -> HybridTime {
        let named = exact.lazy.filter { $0.actor == actor }.map(\.time)
        return max(times[actor] ?? .zero, named.max() ?? .zero)
    }

    /// Whether this is the highest of its actor's stamps, and not only named one by one.
    ///
    /// An actor's writes have rising stamps, so somebody holds the write with this stamp, and its
    /// actor made no later one.
    package func isHighest(_ stamp: Stamp) -> Bool { times[stamp.actor] == stamp.time }

    /// The highest time of all stamps except this actor's; zero without any.
    package func latestTime(except actor: ActorID) -> HybridTime {
        let highest = times.lazy.filter { $0.key != actor }.map(\.value)
        let named = exact.lazy.filter { $0.actor != actor }.map(\.time)
        return max(highest.max() ?? .zero, named.max() ?? .zero)
    }

    package func contains(_ stamp: Stamp) -> Bool {
        if let time = times[stamp.actor], stamp.time <= time { return true }
        return exact.contains(stamp)
    }

    /// Marks all stamps of this actor up to this one as seen.
    package mutating func raise(to stamp: Stamp) {
        if let time = times[stamp.actor], stamp.time <= time { return }
        times[stamp.actor] = stamp.time
        exact = exact.filter { $0.actor != stamp.actor || stamp.time < $0.time }
    }

    /// Marks only this stamp as seen.
    package mutating func insertExactly(_ stamp: Stamp) {
        if !contains(stamp) { exact.insert(stamp) }
    }

    package mutating func merge(_ other: StampContext) {
        for stamp in other.highestStamps { raise(to: stamp) }
        for stamp in other.exact { insertExactly(stamp) }
    }

    package func merged(with other: StampContext) -> StampContext {
        var result = self
        result.merge(other)
        return result
    }
}
