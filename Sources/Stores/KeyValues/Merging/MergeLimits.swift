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
    /// The actors that ever wrote one counter: some 50 bytes each, and none of them ever goes
    /// (decision 0056).
    package var counterActorsMax = 1024
    /// As whom this device changes counters; nil counts what it has not sent as one more actor.
    package var ownActor: ActorID?

    package init() {}
}
