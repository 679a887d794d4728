package import KSCausality
internal import KSRecords
package import KSResolution

/// What the state of an entry's record shows.
package struct EntryReading: Equatable, Sendable {
    package let store: String
    package let key: String
    /// Nil for an entry of a newer program, which can be neither read nor changed: it has a type or
    /// a value that this program does not know.
    package let type: MergeType?
    package let value: PropertyValue?
    /// Whether a counter's sum is beyond what an `Int64` holds; the value is clamped to it.
    package let overflows: Bool
    package let isAlive: Bool
    /// The name of the device that wrote last; nil if that device had no account.
    package let device: String?

    /// - Returns: nil if the state is not an entry of a key-value store.
    package init?(_ state: ItemState) {
        guard let store = state.shown(.store), let key = state.shown(.key),
            let store = String(validating: store, as: UTF8.self),
            let key = String(validating: key, as: UTF8.self)
        else { return nil }
        self.store = store
        self.key = key
        isAlive = state.isAlive
        device = state.shown(.device).map { String(decoding: $0, as: UTF8.self) }
        guard case .known(let type)? = Declaration(state)?.shown else {
            (type, value, overflows) = (nil, nil, false)
            return
        }
        do throws(RecordsError) {
            value = try Self.value(type, in: state)
        } catch {
            (self.type, value, overflows) = (nil, nil, false)
            return
        }
        self.type = type
        overflows = type == .counter && Counter(state).isClamped
    }

    /// What programs see of a type; nil if it was declared without a value.
    ///
    /// - Throws: if a part of the value is a newer program's. Without that part a list would have
    ///   other places, and a set that is written back would lack it.
    private static func value(
        _ type: MergeType,
        in state: ItemState
    ) throws(RecordsError) -> PropertyValue? {
        switch type {
        case .register: return try Register(state).value.map(decoded)
        case .maximum, .minimum:
            // Only a program that can read all numbers knows which one is shown.
            for candidate in state.candidates(for: .secret) {
                _ = try candidate.value.map(decoded)
            }
            return try ExtremeRegister(state, type, by: Number.order(of: type)).value.map(decoded)
        case .counter: return .integer(Counter(state).value)
        case .set: return .array(try MergedSet(state).elements.map(decoded))
        case .map: return .dictionary(try PropertyDictionary(decoding: MergedMap(state)))
        case .list: return .array(try MergedList(state).values.map(decoded))
        }
    }

    private static func decoded(_ bytes: [UInt8]) throws(RecordsError) -> PropertyValue {
        try PropertyValue(decoding: bytes)
    }

    /// The stamps of declared types that are not shown: two devices declared different ones.
    ///
    /// Concurrent values of a register are not a conflict that users have to resolve: the last one
    /// is shown, as with Apple's store, and the others stay in its history.
    package static func conflictingStamps(of state: ItemState) -> [Stamp] {
        state.conflictingValues(of: Declaration.name).map(\.stamp)
    }

    /// The values that are not shown, newest first: of concurrent writes, and of the other types
    /// that devices declared at the same time.
    package static func conflictingValues(of state: ItemState) -> [PropertyValue] {
        guard let declaration = Declaration(state) else { return [] }
        var written: [[UInt8]] = []
        if ([declaration.shown] + declaration.others).contains(.known(.register)) {
            written = registerValues(of: state, besides: declaration.shown)
        }
        let declared = declaration.others.compactMap { other -> PropertyValue? in
            guard case .known(let type) = other, type != .register else { return nil }
            // A newer program's value is left out, and stays in the record.
            return try? value(type, in: state)
        }
        return written.compactMap(PropertyValue.init(shown:)) + declared
    }

    /// The different values of a register that are not shown, newest first.
    ///
    /// The newest one does not stand for all of them. A device that gave the key a type without a
    /// whole value left a removal in the register's place; it may be newer than what another device
    /// set at the same time, which it did not replace.
    private static func registerValues(
        of state: ItemState,
        besides shownType: Declaration.Declared
    ) -> [[UInt8]] {
        let shown: [UInt8]? =
            switch shownType {
            case .known(.register): Register(state).value
            case .known(let type) where type.isWhole:
                ExtremeRegister(state, type, by: Number.order(of: type)).value
            case .known, .unknown: nil
            }
        var contents: Set<[UInt8]?> = [shown]
        return state.candidates(for: .secret).reversed().compactMap(\.value)
            .filter { contents.insert($0).inserted }
    }
}

extension PropertyValue {
    /// Nil for a newer program's value, which is not shown and stays in the record.
    init?(shown bytes: [UInt8]) {
        // Why the bytes cannot be read makes no difference.
        guard let value = try? PropertyValue(decoding: bytes) else { return nil }
        self = value
    }

    /// Nil for a newer program's value of a field.
    init?(_ field: MergedMap.Plain) {
        switch field {
        case .value(let bytes): self.init(shown: bytes)
        case .number(let number): self = .integer(number)
        }
    }
}

extension PropertyDictionary {
    /// The fields of a map as programs read them.
    init(_ map: MergedMap) {
        self.init(
            map.plain.compactMap { name, plain in
                guard let key = String(validating: name, as: UTF8.self) else { return nil }
                return PropertyValue(plain).map { (key, $0) }
            }
        )
    }

    /// The same, but throws if a field is a newer program's.
    fileprivate init(decoding map: MergedMap) throws(RecordsError) {
        for case .value(let bytes) in map.plain.values { _ = try PropertyValue(decoding: bytes) }
        self.init(map)
    }
}
