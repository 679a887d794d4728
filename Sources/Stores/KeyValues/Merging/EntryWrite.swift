internal import KSDigests
package import KSResolution

/// A program's write to one key.
package enum EntryWrite: Equatable, Sendable {
    /// Sets the whole value.
    ///
    /// A merged type gets only the difference from `base`, the value that the program last read,
    /// so that `set(get + 1)` loses no increment of another device.
    case set(PropertyValue, base: PropertyValue?)
    /// Sets the merge type; a register's value is converted if it fits.
    case declare(MergeType)
    case increment(by: Int64)
    /// Sets a counter; increments that were made at the same time elsewhere still count.
    case reset(to: Int64)
    case insert([PropertyValue])
    case remove([PropertyValue])
    /// Sets a field; to a counter the difference from `base`, what the program last read, is added.
    case setField(String, PropertyValue, base: PropertyValue? = nil)
    case incrementField(String, by: Int64)
    /// Removes a field, unless it holds a newer value than `base`, what the program last read.
    case removeField(String, base: PropertyValue? = nil)
    case insertAt(ListPlace, [PropertyValue])
    case append([PropertyValue])
    case setAt(ListPlace, PropertyValue)
    case removeAt(ListPlace)
    /// `to` is a place of the list without the element.
    case move(from: ListPlace, to: ListPlace)

    /// The type that the key must have, or gets if it is new; nil for any.
    package var type: MergeType? {
        switch self {
        case .set: nil
        case .declare(let type): type
        case .increment, .reset: .counter
        case .insert, .remove: .set
        case .setField, .incrementField, .removeField: .map
        case .insertAt, .append, .setAt, .removeAt, .move: .list
        }
    }

    /// Whether it changes nothing if the entry that the program saw was deleted.
    private var isVoidWithoutEntry: Bool {
        switch self {
        case .removeAt(.seen), .move(.seen, _): true
        default: false
        }
    }
}

extension EntryWrite {
    /// Applies the write to the record of an entry, and creates the entry if it does not exist.
    ///
    /// - Parameters:
    ///   - record: all that the device has of the record; unchanged if the write is refused.
    ///   - name: the store and the key.
    ///   - limits: what a merged value may hold.
    ///   - random: gives so many random bytes.
    ///   - clock: the device's clock, milliseconds since 1970.
    /// - Throws: why the write is refused.
    package func apply(
        to record: inout LocalRecord,
        of name: EntryName,
        limits: MergeLimits = .standard,
        random: @escaping (Int) -> [UInt8],
        atMilliseconds clock: UInt64
    ) throws(KeyValueError) {
        let view = record.view
        var declared = type ?? .register
        if view.isAlive {
            guard let type = EntryReading(view)?.type else { throw .newerType }
            declared = type
        } else if isVoidWithoutEntry {
            return
        }
        let wanted = type ?? declared
        var writing = EntryWriting(
            record: record,
            name: name,
            limits: limits,
            random: ByteGenerator(bytes: random),
            clock: clock
        )
        if wanted != declared { try writing.convert(from: declared, to: wanted) }
        try writing.carryOut(self, as: wanted)
        record = writing.record
    }
}

extension EntryName {
    /// The fields of a record that name its entry.
    var identity: [ValueName: [UInt8]] {
        [.store: Array(store.text.utf8), .key: Array(key.utf8)]
    }

    /// The values that make an entry, without the parts of a merged value.
    package func values(
        _ type: MergeType?,
        _ value: EncodedValue?
    ) -> [ValueName: [UInt8]] {
        guard let type else { return [:] }
        var values = identity
        values[Declaration.name] = [type.rawValue]
        if type.isWhole, let value { values[.secret] = value.bytes }
        return values
    }
}

extension ValueName {
    static let store = ValueName.field("store")
    static let key = ValueName.field("key")
}

/// Random numbers made of random bytes.
private struct ByteGenerator: RandomNumberGenerator {
    let bytes: (Int) -> [UInt8]

    mutating func next() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

/// Random numbers from a seed of values: two devices that make a list of the same array at the same
/// time make the same list.
private struct ValueGenerator: RandomNumberGenerator {
    private var state: [UInt8]

    init(_ values: [[UInt8]]) {
        state = SHA256.hash(values.flatMap { SHA256.hash($0) })
    }

    mutating func next() -> UInt64 {
        state = SHA256.hash(state)
        return state.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// One write on its way into a record.
private struct EntryWriting {
    var record: LocalRecord
    let name: EntryName
    let limits: MergeLimits
    var random: ByteGenerator
    let clock: UInt64

    /// Gives a register a merge type; its value becomes one of that type.
    ///
    /// The conversion gives the same result on every device, so two that do it at the same time
    /// agree.
    mutating func convert(
        from declared: MergeType,
        to type: MergeType
    ) throws(KeyValueError) {
        guard declared == .register, let value = EntryReading(record.view)?.value else {
            // Only a register is converted: a counter in use is not discarded.
            throw .typeMismatch(declared: declared, wanted: type)
        }
        var edit = EntryEdit()
        switch (type, value) {
        case (.register, _): break
        case (.maximum, _), (.minimum, _):
            guard Number(value) != nil else { throw .wrongValue(type, typeName: value.typeName) }
        case (.counter, .integer(let number)): edit = Counter.reset(to: number)
        case (.set, .array(let elements)): edit = MergedSet.add(elements.map(\.encoded))
        case (.map, .dictionary(let fields)):
            for field in fields.entries {
                let name = MergeType.map.element(Array(field.key.utf8))
                edit.values[name] = field.value.encoded
            }
        case (.list, .array(let elements)):
            let values = elements.map(\.encoded)
            var random = ValueGenerator(values)
            edit = try MergedList(RecordState()).insert(values, at: 0, using: &random)
        default: throw .wrongValue(type, typeName: value.typeName)
        }
        if !type.isWhole { edit.remove(.secret) }
        edit.values.merge(name.identity.mapValues { $0 }) { $1 }
        edit.values[Declaration.name] = [type.rawValue]
        let before = record.view
        record.set(edit.values, counters: edit.counters, atMilliseconds: clock)
        let after = record.view
        try after.checkWriters(after: before)
        try limits.check(after, after: RecordState(), type)
    }

    mutating func carryOut(_ write: EntryWrite, as type: MergeType) throws(KeyValueError) {
        do throws(KeyValueError) {
            try apply(write.edit(as: type, over: record.view, limits, using: &random), type)
        } catch .limitExceeded(.positionBytes, _, _) {
            // This happens once in hundreds of insertions at one place.
            try apply(MergedList(record.view).rebalance(using: &random), type)
            try apply(write.edit(as: type, over: record.view, limits, using: &random), type)
        }
    }

    private mutating func apply(_ edit: EntryEdit, _ type: MergeType) throws(KeyValueError) {
        try record.apply(
            edit,
            as: type,
            identity: name.identity,
            limits: limits,
            atMilliseconds: clock
        )
    }
}
