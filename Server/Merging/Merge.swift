package import KSCausality

/// What one write does to one record.
package enum Merge {
    /// Drops the siblings that a write replaces and adds it, unless the write has been accepted
    /// before.
    ///
    /// A dot at or below the account vector changes nothing, so neither a retry nor a straggler can
    /// bring back what was replaced since. A tombstone is a sibling like any other.
    /// - Parameters:
    ///   - value: what is kept of the write.
    ///   - dot: the write's name.
    ///   - replaced: the siblings its author's mirror held.
    ///   - siblings: the record's.
    ///   - vector: the account's, which rises to the dot.
    /// - Returns: whether the write was new.
    package static func apply<Value>(
        _ value: Value,
        dot: Dot,
        replacing replaced: [Dot],
        to siblings: inout Siblings<Value>,
        vector: inout VersionVector
    ) -> Bool {
        guard !vector.contains(dot) else { return false }
        vector.raise(dot.actor, to: dot.counter)
        siblings.write(value, dot: dot, replacing: replaced)
        return true
    }
}
