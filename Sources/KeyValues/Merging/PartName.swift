internal import KSCausality
package import KSResolution

/// The parts of which a merged value is made, and the names of their values in a record's state.
///
/// The first byte tells the parts apart; a number is never reused.
enum PartName {
    private static let setElement: UInt8 = 1
    private static let mapField: UInt8 = 2
    private static let listElement: UInt8 = 3
    private static let listPosition: UInt8 = 4

    static let type = ValueName.field("type")
    static let store = ValueName.field("store")
    static let key = ValueName.field("key")

    /// An element of a set, by its encoding.
    static func element(_ bytes: [UInt8]) -> ValueName { .element([setElement] + bytes) }

    static func field(_ name: [UInt8]) -> ValueName { .element([mapField] + name) }

    static func listElement(_ id: [UInt8]) -> ValueName { .element([listElement] + id) }

    static func listPosition(_ id: [UInt8]) -> ValueName { .element([listPosition] + id) }

    enum Part: Equatable {
        case setElement([UInt8])
        case mapField([UInt8])
        case listElement([UInt8])
        case listPosition([UInt8])
    }

    /// The part that a name stands for; nil for another name, or a newer program's part.
    static func part(_ name: ValueName) -> Part? {
        guard name.kind == ValueName.Kind.element, let first = name.nameBytes.first else {
            return nil
        }
        let rest = Array(name.nameBytes.dropFirst())
        return switch first {
        case setElement: .setElement(rest)
        case mapField: .mapField(rest)
        case listElement: .listElement(rest)
        case listPosition: .listPosition(rest)
        default: nil
        }
    }
}

/// The names of counters in a record.
enum CounterName {
    /// The counter that a whole key is.
    static let whole: [UInt8] = [0]

    /// A counter that is a field of a map.
    static func field(_ name: [UInt8]) -> [UInt8] { [1] + name }

    /// The map's field that a counter is; nil for another counter.
    static func field(of counter: [UInt8]) -> [UInt8]? {
        counter.first == 1 ? Array(counter.dropFirst()) : nil
    }
}

extension ItemState {
    /// The current values of a part that no delete covers, in order of their stamps.
    ///
    /// Other than a whole value, a part that was deleted is not shown for want of another.
    func live(_ name: ValueName) -> [StampedValue] {
        (values[name] ?? []).filter { $0.value != nil && !deleted.contains($0.stamp) }
    }

    /// The value of a part that is shown: that of the highest stamp.
    func livePart(_ name: ValueName) -> [UInt8]? { live(name).last?.value }

    /// The merge type that is shown; nil if a newer program declared it.
    package var mergeType: MergeType? {
        guard let byte = shown(PartName.type), byte.count == 1 else { return nil }
        return MergeType(rawValue: byte[0])
    }
}
