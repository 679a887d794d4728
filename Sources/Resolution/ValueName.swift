package import KSCausality

/// The name of a value of an item: an attribute, the secret, or a newer program's value.
///
/// Names are equal if their bytes are: `String` equates different spellings of a letter, and equal
/// states would then have different bytes.
package struct ValueName: Hashable, Comparable, Sendable {
    /// The kinds; a number is never reused.
    package enum Kind {
        package static let field: UInt64 = 1
        package static let secret: UInt64 = 2
        package static let movedFrom: UInt64 = 3
        /// A part of a value that is merged part by part, such as an element of a set.
        package static let element: UInt64 = 4
        /// The total that one actor has added to a counter.
        package static let counterEntry: UInt64 = 5
        /// What a counter counts from.
        package static let counterBase: UInt64 = 6
    }

    /// A number of ``Kind``, or a newer program's, whose values are kept and joined unread.
    package let kind: UInt64
    /// UTF-8 for a field; any bytes for the kinds above 3.
    package let nameBytes: [UInt8]

    package init(kind: UInt64, nameBytes: [UInt8]) {
        self.kind = kind
        self.nameBytes = nameBytes
    }

    package static let secret = ValueName(kind: Kind.secret, nameBytes: [])
    /// The id of the record that this item had before it was renamed.
    package static let movedFrom = ValueName(kind: Kind.movedFrom, nameBytes: [])

    package static func element(_ nameBytes: [UInt8]) -> ValueName {
        ValueName(kind: Kind.element, nameBytes: nameBytes)
    }

    /// The total that an actor has added to a counter of the record.
    package static func counterEntry(_ counter: [UInt8], of actor: ActorID) -> ValueName {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: actor.rawValue >> (56 - 8 * $0)) }
        return ValueName(kind: Kind.counterEntry, nameBytes: counter + bytes)
    }

    /// What a counter of the record counts from; setting it replaces what was added before.
    package static func counterBase(_ counter: [UInt8]) -> ValueName {
        ValueName(kind: Kind.counterBase, nameBytes: counter)
    }

    /// The name of the counter to which this entry or base belongs; nil for other values.
    package var counter: [UInt8]? {
        switch kind {
        case Kind.counterEntry where nameBytes.count >= 8: nameBytes.dropLast(8)
        case Kind.counterBase: nameBytes
        default: nil
        }
    }

    package static func field(_ name: String) -> ValueName {
        ValueName(kind: Kind.field, nameBytes: Array(name.utf8))
    }

    package var name: String { String(decoding: nameBytes, as: UTF8.self) }

    package var isField: Bool { kind == Kind.field }

    /// Whether a value of this name keeps the item alive, as visible values do.
    package var keepsAlive: Bool { kind != Kind.movedFrom && kind <= Kind.counterBase }

    /// Whether a removed value leaves the stamp of its removal behind, as attributes do.
    ///
    /// Parts of a merged value leave nothing: a set would grow with everything that was ever in it.
    /// The join needs no such mark, because the context covers what was removed.
    package var keepsRemovals: Bool { kind < Kind.element || kind > Kind.counterBase }

    package static func < (left: ValueName, right: ValueName) -> Bool {
        left.kind == right.kind
            ? left.nameBytes.lexicographicallyPrecedes(right.nameBytes) : left.kind < right.kind
    }
}
