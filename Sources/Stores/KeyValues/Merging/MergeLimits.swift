package import KSCausality

/// What an entry with a merge type may hold.
package struct MergeLimits: Sendable {
    package static let standard = MergeLimits()

    /// For values that exist already: merging may have made them larger than one write may.
    package static let none: MergeLimits = {
        var limits = MergeLimits()
        (limits.elementsMax, limits.stateBytesMax, limits.counterActorsMax) = (.max, .max, .max)
        return limits
    }()

    /// The elements of a set or a list, or the fields of a map.
    package var elementsMax = 4096
    /// The encoded state of a set, a map, a list or a counter, with all that merging needs.
    package var stateBytesMax = 256 << 10
    /// The position of a list's element.
    package var positionBytesMax = 64
    /// The actors that ever wrote one counter: some 50 bytes each, and a counter keeps them all
    /// (decision 0056).
    package var counterActorsMax = 1024
    /// The actor as which this device changes counters; with nil its unsent changes count as one
    /// more actor.
    package var ownActor: ActorID?

    package init() {}
}
