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
        /// A member of a collection; a removal leaves nothing behind.
        package static let element: UInt64 = 4
        /// An actor's totals of a counter; only this actor writes them.
        package static let counterEntry: UInt64 = 5
        /// The number that a counter was last set to.
        package static let counterBase: UInt64 = 6
        /// The totals that no longer count for a counter's value.
        package static let counterCut: UInt64 = 7
        /// The position of a moved list element, or of an extra.
        package static let position: UInt64 = 8
        /// An extra of an item beside its attributes: a field, a tag, an address.
        package static let extra: UInt64 = 9

        /// The kinds whose names are bytes of any form, and whose values always exist.
        static let withoutPlaceholder = element...extra
    }

    /// A number of ``Kind``, or a newer program's, whose values are kept and joined unread.
    package let kind: UInt64
    /// UTF-8; any bytes for ``Kind/element`` and the kinds after it.
    package let nameBytes: [UInt8]

    package init(kind: UInt64, nameBytes: [UInt8]) {
        self.kind = kind
        self.nameBytes = nameBytes
    }

    package static let secret = ValueName(kind: Kind.secret, nameBytes: [])
    /// The id of the record that this item had before it was renamed.
    package static let movedFrom = ValueName(kind: Kind.movedFrom, nameBytes: [])

    /// The field with the name of the device that wrote last, which every write of some kinds sets.
    package static let device = field("device")

    /// The note of an item: Apple's attribute for a comment.
    package static let note = field("icmt")

    /// The title of an item: Apple's attribute for a label.
    package static let title = field("labl")

    /// The field with the name of the device that wrote an item last; those of other actors stay in
    /// the history.
    package static let writer = field("writer")

    /// The field that says of the values of a renamed item who had set them, and when.
    package static let origins = field("origins")

    /// The mark of an item with the time of the file that it came from, and a digest of what that
    /// gave: nothing that a person reads, so no history has it.
    package static let source = ValueName(kind: Kind.extra, nameBytes: Array("msource".utf8))

    package static func field(_ name: String) -> ValueName {
        ValueName(kind: Kind.field, nameBytes: Array(name.utf8))
    }

    package var name: String { String(decoding: nameBytes, as: UTF8.self) }

    package var isField: Bool { kind == Kind.field }

    /// Whether a value of this name keeps the item alive, as visible values do.
    ///
    /// Elements and counters do not: an operation that adds to them sets a field too. Nor does the
    /// name of the device: who removes an element revives no entry that another has deleted.
    package var keepsAlive: Bool {
        (kind == Kind.field || kind == Kind.secret) && self != .device && !isAboutWrites
    }

    /// Whether it says who wrote other values, and when.
    package var isAboutWrites: Bool { self == .writer || self == .origins }

    /// Whether its values are the contents of a record, which may be large.
    package var isContent: Bool {
        kind == Kind.secret || kind == Kind.element || kind == Kind.position || kind == Kind.extra
    }

    /// Whether it names an extra of an item, or the position of one.
    package var isItemExtra: Bool { kind == Kind.extra || kind == Kind.position }

    /// Whether its superseded values stay in the history of the record.
    package var keepsHistory: Bool {
        switch self {
        case .secret, .note, .title, .writer: true
        default: kind == Kind.extra && self != .source
        }
    }

    /// Whether a removal leaves an empty value behind, which replaces what others set before it.
    package var hasPlaceholder: Bool { !Kind.withoutPlaceholder.contains(kind) }

    package static func < (left: ValueName, right: ValueName) -> Bool {
        left.kind == right.kind
            ? left.nameBytes.lexicographicallyPrecedes(right.nameBytes) : left.kind < right.kind
    }
}
