/// The concurrent writes of one record, none of which has seen another.
///
/// A write names exactly the dots it replaces, so a writer with an old view can never remove a
/// write that it did not know. The account's version vector, not this type, decides whether a dot
/// is new.
package struct Siblings<Value> {
    /// By dot.
    package private(set) var entries: [(dot: Dot, value: Value)] = []

    package init() {}

    /// - Parameter entries: in any order, each dot once.
    package init(_ entries: some Sequence<(dot: Dot, value: Value)>) {
        self.entries = entries.sorted { $0.dot < $1.dot }
    }

    package var dots: [Dot] { entries.map(\.dot) }

    package var isEmpty: Bool { entries.isEmpty }

    /// Drops the siblings that this write replaces and adds it.
    package mutating func write(_ value: Value, dot: Dot, replacing replaced: some Sequence<Dot>) {
        let replaced = Set(replaced)
        entries.removeAll { replaced.contains($0.dot) || $0.dot == dot }
        let index = entries.firstIndex { dot < $0.dot } ?? entries.endIndex
        entries.insert((dot, value), at: index)
    }
}

extension Siblings: Sendable where Value: Sendable {}
