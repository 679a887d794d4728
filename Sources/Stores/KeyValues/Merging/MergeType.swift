internal import KSCausality
package import KSResolution

/// How concurrent changes of one key become one value.
///
/// A number is never reused: it is in the records of all devices.
package enum MergeType: UInt8, CaseIterable, Sendable {
    /// The last writer wins; the other concurrent values are kept as conflicts.
    case register = 1
    /// A register that shows the largest number.
    case maximum = 2
    /// A register that shows the smallest number.
    case minimum = 3
    /// A number whose increments add up.
    case counter = 4
    /// Different elements; an addition beats a concurrent removal.
    case set = 5
    /// Fields, each a register or a counter.
    case map = 6
    /// Elements in an order; elements can move.
    case list = 7

    /// The type to which a value name belongs; `.register` for all three kinds of registers.
    init?(of name: ValueName) {
        switch name.kind {
        case ValueName.Kind.secret: self = .register
        case ValueName.Kind.element, ValueName.Kind.position, ValueName.Kind.counterBase,
            ValueName.Kind.counterEntry, ValueName.Kind.counterCut:
            guard let first = name.nameBytes.first, let type = MergeType(rawValue: first) else {
                return nil
            }
            self = type
        default: return nil
        }
    }

    /// The type that represents all types with the same value names.
    var family: MergeType {
        switch self {
        case .maximum, .minimum: .register
        default: self
        }
    }

    /// The type's name in commands and errors.
    package var name: String {
        switch self {
        case .register: "register"
        case .maximum: "max"
        case .minimum: "min"
        case .counter: "counter"
        case .set: "set"
        case .map: "map"
        case .list: "list"
        }
    }

    package init?(named name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// Whether the value is in one piece, under the name of a secret.
    package var isWhole: Bool { family == .register }

    func element(_ bytes: [UInt8]) -> ValueName {
        ValueName(kind: ValueName.Kind.element, nameBytes: [rawValue] + bytes)
    }

    func position(_ bytes: [UInt8]) -> ValueName {
        ValueName(kind: ValueName.Kind.position, nameBytes: [rawValue] + bytes)
    }

    func counter(_ bytes: [UInt8] = []) -> [UInt8] { [rawValue] + bytes }
}

/// The merge type that an entry was declared with.
package struct Declaration: Equatable, Sendable {
    package enum Declared: Hashable, Sendable {
        case known(MergeType)
        /// A newer program's type: the entry is kept and passed on unread.
        case unknown([UInt8])

        init(_ bytes: [UInt8]) {
            guard bytes.count == 1, let type = MergeType(rawValue: bytes[0]) else {
                self = .unknown(bytes)
                return
            }
            self = .known(type)
        }
    }

    static let name = ValueName.field("type")

    /// The declaration with the highest stamp, which decides what is shown.
    package let shown: Declared
    /// Concurrent declarations of other types, newest first.
    package let others: [Declared]
    /// Types whose values the entry holds but does not show.
    package let hidden: Set<MergeType>

    /// - Returns: nil if the entry does not exist, or declares nothing.
    package init?(_ state: RecordState) {
        guard state.isAlive, let bytes = state.shown(Self.name) else { return nil }
        shown = Declared(bytes)
        others = state.conflictingValues(of: Self.name).compactMap { $0.value.map(Declared.init) }
        var held: Set<MergeType> = []
        for (name, values) in state.values
        where values.contains(where: { !state.deleted.contains($0.stamp) }) {
            if let type = MergeType(of: name) { held.insert(type) }
        }
        if case .known(let type) = shown { held.remove(type.family) }
        hidden = held
    }
}
