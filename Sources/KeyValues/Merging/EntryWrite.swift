package import KSResolution

/// What a program does to one key.
package enum EntryWrite: Equatable, Sendable {
    /// Sets the whole value.
    ///
    /// On a merged type it becomes the edit by which the value differs from `base`, what the
    /// program had last read; so `set(get + 1)` loses no increment of another device.
    case set(PropertyValue, base: PropertyValue?)
    /// Sets the merge type; a value of another type that fits is taken over.
    case declare(MergeType)
    case increment(by: Int64)
    /// Sets a counter; increments that were made at the same time elsewhere still count.
    case reset(to: Int64)
    case insert([PropertyValue])
    case remove([PropertyValue])
    case setField(String, PropertyValue)
    case incrementField(String, by: Int64)
    case removeField(String)
    case insertAt(Int, [PropertyValue])
    case setAt(Int, PropertyValue)
    case removeAt(Int)
    case move(from: Int, to: Int)

    /// The type that the key must have, or gets if it is new; nil for any.
    var type: MergeType? {
        switch self {
        case .set: nil
        case .declare(let type): type
        case .increment, .reset: .counter
        case .insert, .remove: .set
        case .setField, .incrementField, .removeField: .map
        case .insertAt, .setAt, .removeAt, .move: .list
        }
    }
}

/// The limits of one merged value.
package enum MergeLimits {
    /// Elements of a set or list, and fields of a map.
    package static let elementsMax = 4096
    /// Bytes of the encoded state of a merged value.
    package static let stateBytesMax = 256 << 10
}

extension EntryWrite {
    /// The edit that does this to an entry.
    ///
    /// - Parameters:
    ///   - name: the store and the key.
    ///   - state: what the device shows of the record; nil if it knows none.
    ///   - random: gives so many random bytes.
    /// - Returns: the edit; empty if nothing changes.
    /// - Throws: why the write is refused.
    package func edit(
        of name: EntryName,
        over state: ItemState?,
        random: @escaping (Int) -> [UInt8]
    ) throws(KeyValueError) -> EntryEdit {
        guard let state, state.isAlive else {
            var writing = EntryWriting(state: ItemState(), random: random)
            let type = type ?? .register
            writing.create(name, type)
            if case .set(let value, _) = self { writing.edit.set(.secret, value.encoded) }
            if type != .register { try writing.take(self, declared: type) }
            return writing.edit
        }
        guard let declared = state.mergeType else { throw .newerType }
        var writing = EntryWriting(state: state, random: random)
        guard let wanted = type, wanted != declared else {
            try writing.take(self, declared: declared)
            return writing.edit
        }
        try writing.declare(wanted, instead: declared)
        var converted = LocalRecord(mirror: state)
        converted.write(writing.edit, atMilliseconds: 0)
        var further = EntryWriting(state: converted.view, random: random)
        try further.take(self, declared: wanted)
        return writing.edit.followed(by: further.edit)
    }
}

extension EntryWrite {
    /// The values that make an entry; of a merged type only what is no part.
    package static func values(
        of name: EntryName,
        _ type: MergeType?,
        _ value: PropertyValue?
    ) -> [ValueName: [UInt8]] {
        guard let type else { return [:] }
        var writing = EntryWriting(state: ItemState()) { [UInt8](repeating: 0, count: $0) }
        writing.create(name, type)
        if type.isWhole, let value { writing.edit.set(.secret, value.encoded) }
        return writing.edit.changes.compactMapValues { $0 }
    }
}

/// Builds the edit of one write.
struct EntryWriting {
    let state: ItemState
    let random: (Int) -> [UInt8]
    var edit = EntryEdit()

    init(state: ItemState, random: @escaping (Int) -> [UInt8]) {
        self.state = state
        self.random = random
    }

    mutating func create(_ name: EntryName, _ type: MergeType) {
        edit.set(PartName.store, Array(name.store.text.utf8))
        edit.set(PartName.key, Array(name.key.utf8))
        edit.set(PartName.type, [type.rawValue])
        if type == .counter { setCounter(CounterName.whole, to: 0) }
    }

    mutating func take(_ write: EntryWrite, declared: MergeType) throws(KeyValueError) {
        switch write {
        case .set(let value, let base): try set(value, base: base, declared)
        case .declare: break
        case .increment(let change): edit.add(change, to: CounterName.whole)
        case .reset(let value): setCounter(CounterName.whole, to: value)
        case .insert(let elements): try insert(elements)
        case .remove(let elements): remove(elements)
        case .setField(let field, let value): try setField(field, value)
        case .incrementField(let field, let change): try incrementField(field, by: change)
        case .removeField(let field): removeField(field)
        case .insertAt(let place, let values): try insert(values, at: place)
        case .setAt(let place, let value): List.set(try element(at: place), to: value, in: &edit)
        case .removeAt(let place): List.remove(try element(at: place).id, in: &edit)
        case .move(let from, let to): try move(from: from, to: to)
        }
        if declared == .list { for name in List.orphans(in: state) { edit.remove(name) } }
    }

    // MARK: Whole values

    private mutating func set(
        _ value: PropertyValue,
        base: PropertyValue?,
        _ type: MergeType
    ) throws(KeyValueError) {
        switch type {
        case .register:
            if state.shown(.secret) != value.encoded || !state.conflictingSecrets.isEmpty {
                edit.set(.secret, value.encoded)
            }
        case .maximum, .minimum: try setExtreme(value, type)
        case .counter: try setCounter(value, base: base)
        case .set: try setElements(value, base: base)
        case .map: try setFields(value, base: base)
        case .list: try setList(value, base: base)
        }
    }

    private mutating func setExtreme(
        _ value: PropertyValue,
        _ type: MergeType
    ) throws(KeyValueError) {
        guard let number = Number(value) else {
            throw .wrongValue(type, typeName: value.typeName)
        }
        let shown = EntryReading(state)?.value.flatMap { Number($0) }
        if let shown {
            guard type == .maximum ? shown < number : number < shown else { return }
        }
        edit.set(.secret, value.encoded)
    }

    // MARK: Types

    /// Changes the type of a key; a value that fits is taken over.
    ///
    /// What is made of the old value is the same on every device, so two that do it at the same
    /// time agree.
    mutating func declare(
        _ type: MergeType,
        instead declared: MergeType
    ) throws(KeyValueError) {
        let value = EntryReading(state)?.value
        guard declared.isWhole, let value else {
            // A counter that somebody counts with is not thrown away.
            throw .typeMismatch(declared: declared, wanted: type)
        }
        edit.set(PartName.type, [type.rawValue])
        switch (type, value) {
        case (.register, _): return
        case (.maximum, _), (.minimum, _):
            guard Number(value) != nil else { throw .wrongValue(type, typeName: value.typeName) }
            return
        case (.counter, .integer(let number)): setCounter(CounterName.whole, to: number)
        case (.set, .array(let elements)): try insert(elements)
        case (.map, .dictionary(let fields)):
            for field in fields.entries { try setField(field.key, field.value) }
        case (.list, .array(let elements)):
            List.convert(elements, into: &edit)
        default: throw .wrongValue(type, typeName: value.typeName)
        }
        edit.remove(.secret)
    }
}
