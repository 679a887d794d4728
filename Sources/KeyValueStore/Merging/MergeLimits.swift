/// What an entry with a merge type may hold.
package struct MergeLimits: Sendable {
    package static let standard = MergeLimits()

    /// The elements of a set or a list, or the fields of a map.
    package var elementsMax = 4096
    /// The encoded state of a set, a map, a list or a counter, with all that merging needs.
    package var stateBytesMax = 256 << 10
    /// The position of a list's element.
    package var positionBytesMax = 64
    /// The actors that ever wrote one counter.
    package var counterActorsMax = 64

    package init() {}
}

/// Why an entry cannot be changed as asked; the entry stays as it was.
///
/// No case carries keys or values, so an error is always safe to log.
package enum MergeError: Error, Equatable {
    /// The set, map or list would have more elements than ``MergeLimits/elementsMax``.
    case tooManyElements(count: Int, max: Int)
    /// The entry would be larger than ``MergeLimits/stateBytesMax``.
    case tooLarge(bytes: Int, max: Int)
    /// More devices would have written the counter than ``MergeLimits/counterActorsMax`` allows.
    case tooManyActors(count: Int, max: Int)
    /// The sum of all increments, or of all decrements, would not fit in 64 bits.
    case counterExhausted
    /// The list has no room between two elements; give all elements new positions first.
    case positionTooLong(bytes: Int, max: Int)
    /// The list has no element with this index.
    case noSuchElement(index: Int, count: Int)
    /// The entry was declared with another type.
    case declaredAs(MergeType)
    /// The entry was declared with a type that only a newer program knows.
    case typeUnknown
}
