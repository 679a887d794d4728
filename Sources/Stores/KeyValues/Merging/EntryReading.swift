package import KSCausality
internal import KSRecords
package import KSResolution

/// An entry as the state of its record shows it.
package struct EntryReading: Equatable, Sendable {
    package let store: String
    package let key: String
    /// Nil for an entry of a newer program, which can be neither read nor changed: it has a type or
    /// a value that this program does not know.
    package let type: MergeType?
    /// What programs see, encoded: a device that only keeps or passes on a value needs no more.
    package let encodedValue: EncodedValue?
    /// Whether a counter's sum is beyond what an `Int64` holds; the value is clamped to it.
    package let overflows: Bool
    package let isAlive: Bool
    /// The name of the device that wrote last; nil while it has no account.
    package let device: String?

    /// - Returns: nil if the state is not an entry of a key-value store.
    package init?(_ state: RecordState) {
        guard let store = state.shown(.store), let key = state.shown(.key),
            let store = String(validating: store, as: UTF8.self),
            let key = String(validating: key, as: UTF8.self)
        else { return nil }
        self.store = store
        self.key = key
        isAlive = state.isAlive
        device = state.shown(.device).map { String(decoding: $0, as: UTF8.self) }
        guard case .known(let type)? = Declaration(state)?.shown else {
            (type, encodedValue, overflows) = (nil, nil, false)
            return
        }
        do throws(RecordsError) {
            encodedValue = try Self.value(type, in: state)
        } catch {
            (self.type, encodedValue, overflows) = (nil, nil, false)
            return
        }
        self.type = type
        overflows = type == .counter && Counter(state).isClamped
    }

    /// What programs see, decoded.
    package var value: PropertyValue? { encodedValue?.value }

    /// What programs see of a type; nil if it was declared without a value.
    ///
    /// - Throws: if a part of the value is a newer program's. Without that part a list would have
    ///   other places, and a set that is written back would lack it.
    private static func value(
        _ type: MergeType,
        in state: RecordState
    ) throws(RecordsError) -> EncodedValue? {
        switch type {
        case .register: return try Register(state).value.map(checked)
        case .maximum, .minimum:
            // Only a program that can read all numbers knows which one is shown.
            for candidate in state.candidates(for: .secret) {
                _ = try candidate.value.map(checked)
            }
            return ExtremeRegister(state, type, by: Number.order(of: type)).value
                .map(EncodedValue.init(checkedBefore:))
        case .counter: return EncodedValue(.integer(Counter(state).value))
        case .set: return EncodedValue(arrayOf: try MergedSet(state).elements.map(checked))
        case .map: return EncodedValue(dictionaryOf: try MergedMap(state).encodedFields())
        case .list: return EncodedValue(arrayOf: try MergedList(state).values.map(checked))
        }
    }

    private static func checked(_ bytes: [UInt8]) throws(RecordsError) -> EncodedValue {
        try EncodedValue(checking: bytes)
    }

    /// The stamps of values that users have to look at: of declared types that are not shown, since
    /// two devices declared different ones, and of values that were set without an account and
    /// yielded to the account's.
    ///
    /// Other concurrent values of a register are not a conflict that users have to resolve: the
    /// last one is shown, as with Apple's store, and the others stay in its history.
    package static func conflictingStamps(of state: RecordState) -> [Stamp] {
        state.names.flatMap { name in
            let values = state.conflictingValues(of: name)
            switch name {
            case Declaration.name: return values.map(\.stamp)
            case _ where name.isContent && !isExtreme(state):
                return values.map(\.stamp).filter(\.time.isWithoutAccount)
            default: return []
            }
        }
    }

    /// Whether the entry shows the highest or lowest of all values.
    private static func isExtreme(_ state: RecordState) -> Bool {
        [.known(.maximum), .known(.minimum)].contains(Declaration(state)?.shown)
    }

    /// The values that are not shown, newest first: of concurrent writes, and of the other types
    /// that devices declared at the same time.
    package static func conflictingValues(of state: RecordState) -> [PropertyValue] {
        encodedConflicts(of: state).map(\.value)
    }

    /// The same values, encoded: those of many devices may be large.
    package static func encodedConflicts(of state: RecordState) -> [EncodedValue] {
        guard let declaration = Declaration(state) else { return [] }
        var written: [[UInt8]] = []
        if ([declaration.shown] + declaration.others).contains(.known(.register)) {
            written = registerValues(of: state, besides: declaration.shown)
        }
        let declared = declaration.others.compactMap { other -> EncodedValue? in
            guard case .known(let type) = other, type != .register else { return nil }
            // A newer program's value is left out, and stays in the record.
            return try? value(type, in: state)
        }
        return written.compactMap(EncodedValue.init(shown:)) + declared
    }

    /// The different values of a register that are not shown, newest first.
    ///
    /// The newest one does not stand for all of them. A device that gave the key a type without a
    /// whole value left a removal in the register's place; it may be newer than what another device
    /// set at the same time, which it did not replace.
    private static func registerValues(
        of state: RecordState,
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

extension EncodedValue {
    /// Nil for a newer program's value, which is not shown and stays in the record.
    init?(shown bytes: [UInt8]) {
        // Why the bytes cannot be read makes no difference.
        guard let value = try? EncodedValue(checking: bytes) else { return nil }
        self = value
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

extension MergedMap {
    /// The fields as programs read them, encoded; one whose name is not text is not shown.
    ///
    /// - Throws: if a field is a newer program's.
    fileprivate func encodedFields() throws(RecordsError) -> [(key: [UInt8], value: EncodedValue)] {
        var fields: [(key: [UInt8], value: EncodedValue)] = []
        for (name, plain) in plain {
            let value =
                switch plain {
                case .value(let bytes): try EncodedValue(checking: bytes)
                case .number(let number): EncodedValue(.integer(number))
                }
            guard String(validating: name, as: UTF8.self) != nil else { continue }
            fields.append((name, value))
        }
        return fields
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
}
