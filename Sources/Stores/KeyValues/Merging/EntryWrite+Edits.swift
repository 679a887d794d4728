internal import KSResolution

// The edit of a write on an entry that already has the write's type.

extension EntryWrite {
    func edit(
        as type: MergeType,
        over state: RecordState,
        _ limits: MergeLimits,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        switch self {
        case .set(let value, let base):
            return try Self.set(value, base, as: type, state, limits, using: &random)
        case .declare: return EntryEdit()
        case .increment(let change): return Counter.increment(by: change)
        case .reset(let value): return Counter.reset(to: value)
        case .insert(let elements): return MergedSet.add(elements.map(\.encoded))
        case .remove(let elements): return MergedSet.remove(elements.map(\.encoded))
        case .setField(let field, let value, let base):
            return try MergedMap(state).write(value, to: field, base)
        case .incrementField(let field, let change):
            return try MergedMap(state).count(field, by: change)
        case .removeField(let field, let base): return MergedMap(state).remove(field, base)
        case .insertAt(let place, let values):
            let new = values.map(\.encoded)
            return try MergedList(state).insert(new, at: place, limits: limits, using: &random)
        case .append(let values):
            let (list, new) = (MergedList(state), values.map(\.encoded))
            return try list.insert(new, at: list.elements.count, limits: limits, using: &random)
        case .setAt(let place, let value):
            let new = value.encoded
            return try MergedList(state).set(new, at: place, limits: limits, using: &random)
        case .removeAt(let place): return try MergedList(state).remove(at: place)
        case .move(let from, let to):
            return try MergedList(state).move(from: from, to: to, limits: limits, using: &random)
        }
    }

    /// Sets a whole value; of a merged type, only the difference from `base`, the value last read.
    private static func set(
        _ value: PropertyValue,
        _ base: PropertyValue?,
        as type: MergeType,
        _ state: RecordState,
        _ limits: MergeLimits,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        switch (type, value) {
        case (.register, _):
            let register = Register(state)
            let isSame = register.value == value.encoded && register.conflicts.isEmpty
            return isSame ? EntryEdit() : Register.set(value.encoded)
        case (.maximum, _) where Number(value) != nil, (.minimum, _) where Number(value) != nil:
            let order = Number.order(of: type)
            return ExtremeRegister(state, type, by: order)
                .extended(to: value.encoded, type, by: order)
        case (.counter, .integer(let wanted)):
            let counter = Counter(state)
            var seen = counter.exactValue
            // A program reads a counter beyond 64 bits as the nearest number that fits.
            if case .integer(let read)? = base, read != counter.value { seen = Int128(read) }
            return Counter.difference(from: seen, to: wanted)
        case (.set, .array(let wanted)):
            var seen = MergedSet(state).elements
            if case .array(let read)? = base { seen = read.map(\.encoded) }
            let (old, new) = (Set(seen), Set(wanted.map(\.encoded)))
            var edit = MergedSet.remove(old.subtracting(new))
            edit.add(MergedSet.add(new.subtracting(old)))
            return edit
        case (.map, .dictionary(let wanted)): return try MergedMap(state).set(wanted, base)
        case (.list, .array(let wanted)):
            let list = MergedList(state)
            var new = wanted.map(\.encoded)
            if case .array(let read)? = base {
                new = ListRebase(from: read.map(\.encoded), to: new).applied(to: list.values)
            }
            return try list.difference(to: new, limits: limits, using: &random)
        default: throw .wrongValue(type, typeName: value.typeName)
        }
    }
}

extension MergedMap {
    /// The value of a field as programs read it; nil if there is none.
    private func value(_ field: String) -> PropertyValue? {
        plain[Array(field.utf8)].flatMap(PropertyValue.init)
    }

    /// Sets a field; to a counter the difference from `base`, what was last read, is added.
    fileprivate func write(
        _ value: PropertyValue,
        to field: String,
        _ base: PropertyValue?
    ) throws(KeyValueError) -> EntryEdit {
        let name = Array(field.utf8)
        guard case .number(var old)? = plain[name] else { return set(name, to: value.encoded) }
        guard case .integer(let wanted) = value else {
            throw .wrongValue(.counter, typeName: value.typeName)
        }
        if case .integer(let read)? = base { old = read }
        return add(Int128(wanted) - Int128(old), to: name)
    }

    /// Removes a field, unless it holds another value than `base`, what was last read: a change
    /// that the program has not seen beats the removal.
    ///
    /// A counter is removed whole: its number does not show which increments the program has seen.
    fileprivate func remove(_ field: String, _ base: PropertyValue?) -> EntryEdit {
        let name = Array(field.utf8)
        if case .value(let bytes)? = plain[name], let base, bytes != base.encoded {
            return EntryEdit()
        }
        return remove(name)
    }

    /// Adds to a field; a plain field with a number becomes a counter that starts there.
    fileprivate func count(
        _ field: String,
        by change: Int64
    ) throws(KeyValueError) -> EntryEdit {
        let name = Array(field.utf8)
        guard case .value(let bytes)? = plain[name] else { return increment(name, by: change) }
        guard case .integer(let number)? = PropertyValue(shown: bytes) else {
            throw .typeMismatch(declared: .register, wanted: .counter)
        }
        return reset(name, to: number, adding: change)
    }

    /// Sets the fields that differ from `base`, and removes those that are gone.
    fileprivate func set(
        _ wanted: PropertyDictionary,
        _ base: PropertyValue?
    ) throws(KeyValueError) -> EntryEdit {
        var seen = PropertyDictionary(self)
        if case .dictionary(let read)? = base { seen = read }
        var edit = EntryEdit()
        for entry in seen.entries where wanted[entry.key] == nil {
            edit.add(remove(entry.key, entry.value))
        }
        for entry in wanted.entries where seen[entry.key] != entry.value {
            let old = seen[entry.key] ?? .integer(0)
            edit.add(try write(entry.value, to: entry.key, old))
        }
        return edit
    }
}

/// A program's changes of the list that it read, to be applied to the present list.
private struct ListRebase {
    /// Longer lists are compared by ``ListDifference``, which may find more changes.
    private static let shortestEditCountMax = 2048

    let read: [[UInt8]]
    let wanted: [[UInt8]]

    init(from read: [[UInt8]], to wanted: [[UInt8]]) {
        (self.read, self.wanted) = (read, wanted)
    }

    func applied(to current: [[UInt8]]) -> [[UInt8]] {
        guard current != read else { return wanted }
        // The place of each element that was read, in the present list and in the wanted one.
        let places = Self.matches(from: read, to: current)
        let kept = Self.matches(from: read, to: wanted)
        let removed = Set(zip(places, kept).compactMap { $1 == nil ? $0 : nil })
        let origins = Dictionary(
            uniqueKeysWithValues: kept.enumerated().compactMap { old, new in new.map { ($0, old) } }
        )
        var inserted: [Int: [[UInt8]]] = [:]
        var run: [[UInt8]] = []
        var place = 0
        for (index, value) in wanted.enumerated() {
            guard let origin = origins[index] else {
                run.append(value)
                continue
            }
            guard let now = places[origin] else { continue }
            inserted[now] = run
            (run, place) = ([], now + 1)
        }
        inserted[place, default: []] += run
        return (0...current.count).flatMap { index in
            let isKept = index < current.count && !removed.contains(index)
            return (inserted[index] ?? []) + (isKept ? [current[index]] : [])
        }
    }

    /// For each element of `old` its place in `new`, by the shortest edit between the two lists;
    /// nil for a removed element.
    private static func matches(from old: [[UInt8]], to new: [[UInt8]]) -> [Int?] {
        // Time and memory rise with the square of the number of changes.
        guard old.count + new.count <= shortestEditCountMax else {
            return ListDifference.matches(from: old, to: new)
        }
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var next = new.indices.lazy.filter { !inserted.contains($0) }.makeIterator()
        return old.indices.map { removed.contains($0) ? nil : next.next() }
    }
}
