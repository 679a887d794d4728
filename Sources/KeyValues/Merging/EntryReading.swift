package import KSCausality
internal import KSRecords
package import KSResolution

/// What the state of an entry's record shows.
package struct EntryReading: Equatable, Sendable {
    package let store: String
    package let key: String
    /// Nil for a type that a newer program declared: the value can be neither read nor changed.
    package let type: MergeType?
    package let value: PropertyValue?
    /// Whether a counter's sum is beyond what an `Int64` holds; the value is clamped to it.
    package let overflows: Bool
    package let isAlive: Bool

    /// - Returns: nil if the state is not an entry of a key-value store.
    package init?(_ state: ItemState) {
        guard let store = state.shown(PartName.store), let key = state.shown(PartName.key),
            let store = String(validating: store, as: UTF8.self),
            let key = String(validating: key, as: UTF8.self)
        else { return nil }
        self.store = store
        self.key = key
        type = state.mergeType
        isAlive = state.isAlive
        if type == .counter {
            let reading = Counter.read(CounterName.whole, in: state)
            value = .integer(reading?.value ?? 0)
            overflows = reading?.overflows ?? false
        } else {
            value = type.flatMap { Self.value($0, in: state) }
            overflows = false
        }
    }

    private static func value(_ type: MergeType, in state: ItemState) -> PropertyValue? {
        switch type {
        case .register: whole(state.shown(.secret))
        case .maximum: extreme(in: state) { $0 > $1 }
        case .minimum: extreme(in: state) { $0 < $1 }
        case .counter: nil
        case .set: .array(elements(in: state))
        case .map: .dictionary(fields(in: state))
        case .list: .array(List.read(state).map(\.value))
        }
    }

    static func whole(_ bytes: [UInt8]?) -> PropertyValue? {
        // A newer program's value is not shown, and stays in the record.
        bytes.flatMap { try? PropertyValue(decoding: $0) }
    }

    /// The highest or lowest of all current numbers.
    private static func extreme(
        in state: ItemState,
        isBetter: (Number, Number) -> Bool
    ) -> PropertyValue? {
        state.candidates(for: .secret).compactMap { whole($0.value) }
            .reduce(nil) { best, value in
                guard let best else { return value }
                guard let number = Number(value) else { return best }
                return Number(best).map { isBetter(number, $0) } ?? true ? value : best
            }
    }

    /// The elements of a set, in the order of their encodings.
    static func elements(in state: ItemState) -> [PropertyValue] {
        state.names.compactMap { name in
            guard case .setElement(let bytes)? = PartName.part(name),
                state.livePart(name) != nil
            else { return nil }
            return whole(bytes)
        }
    }

    /// The fields of a map; a name that is both a counter and a plain field is the counter.
    static func fields(in state: ItemState) -> PropertyDictionary {
        var fields: [(key: String, value: PropertyValue)] = []
        for name in state.names {
            guard case .mapField(let bytes)? = PartName.part(name),
                let key = String(validating: bytes, as: UTF8.self),
                let value = whole(state.livePart(name))
            else { continue }
            fields.append((key, value))
        }
        for counter in Counter.names(in: state) {
            guard let bytes = CounterName.field(of: counter),
                let key = String(validating: bytes, as: UTF8.self),
                let reading = Counter.read(counter, in: state)
            else { continue }
            fields.append((key, .integer(reading.value)))
        }
        return PropertyDictionary(fields)
    }

    /// The stamps of declared types that are not shown: two devices declared different ones.
    ///
    /// Concurrent values of a register are no conflict that people have to settle: the last one is
    /// shown, as with Apple's store, and the others stay in its history.
    package static func conflictingStamps(of state: ItemState) -> [Stamp] {
        state.conflictingValues(of: PartName.type).map(\.stamp)
    }

    /// The values of concurrent writes that are not shown, newest first.
    package static func conflictingValues(of state: ItemState) -> [PropertyValue] {
        guard state.mergeType == .register else { return [] }
        return state.conflictingSecrets.compactMap { whole($0.value) }
    }
}

/// A number of any type, for comparing.
struct Number: Comparable {
    private let value: PropertyValue

    init?(_ value: PropertyValue) {
        switch value {
        case .integer, .unsigned: break
        case .real(let real): if real.isNaN { return nil }
        default: return nil
        }
        self.value = value
    }

    static func < (left: Number, right: Number) -> Bool {
        switch (left.value, right.value) {
        case (.real(let left), .real(let right)): left < right
        case (.real(let left), _): right.integer.map { left < Double($0) } ?? false
        case (_, .real(let right)): left.integer.map { Double($0) < right } ?? false
        default: (left.integer ?? 0) < (right.integer ?? 0)
        }
    }

    static func == (left: Number, right: Number) -> Bool { !(left < right) && !(right < left) }

    private var integer: Int128? {
        switch value {
        case .integer(let integer): Int128(integer)
        case .unsigned(let integer): Int128(integer)
        default: nil
        }
    }
}
