internal import KSResolution

// Edits of counters, sets, maps and lists.
extension EntryWriting {
    // MARK: Counters

    mutating func setCounter(_ counter: [UInt8], to value: Int64, isRemoved: Bool = false) {
        let base = Counter.base(value, isRemoved: isRemoved, of: counter, in: state)
        edit.increments[counter] = nil
        edit.set(.counterBase(counter), base)
    }

    mutating func setCounter(
        _ value: PropertyValue,
        base: PropertyValue?
    ) throws(KeyValueError) {
        guard case .integer(let wanted) = value else {
            throw .wrongValue(.counter, typeName: value.typeName)
        }
        var seen = Counter.read(CounterName.whole, in: state)?.value ?? 0
        if case .integer(let read)? = base { seen = read }
        let (change, overflows) = wanted.subtractingReportingOverflow(seen)
        if overflows {
            setCounter(CounterName.whole, to: wanted)
        } else {
            edit.add(change, to: CounterName.whole)
        }
    }

    // MARK: Sets

    mutating func insert(_ elements: [PropertyValue]) throws(KeyValueError) {
        var count = EntryReading.elements(in: state).count
        for element in elements {
            let name = PartName.element(element.encoded)
            if state.livePart(name) == nil { count += 1 }
            edit.set(name, [])
        }
        try check(count)
    }

    mutating func remove(_ elements: [PropertyValue]) {
        for element in elements {
            let name = PartName.element(element.encoded)
            if state.values[name] != nil { edit.remove(name) }
        }
    }

    mutating func setElements(
        _ value: PropertyValue,
        base: PropertyValue?
    ) throws(KeyValueError) {
        guard case .array(let wanted) = value else {
            throw .wrongValue(.set, typeName: value.typeName)
        }
        var seen = EntryReading.elements(in: state)
        if case .array(let read)? = base { seen = read }
        let (old, new) = (Set(seen), Set(wanted))
        remove(seen.filter { !new.contains($0) })
        try insert(wanted.filter { !old.contains($0) })
    }

    // MARK: Maps

    mutating func setField(_ field: String, _ value: PropertyValue) throws(KeyValueError) {
        let name = Array(field.utf8)
        if let counter = Counter.read(CounterName.field(name), in: state) {
            // The field is a counter: the difference is added.
            guard case .integer(let wanted) = value else {
                throw .wrongValue(.counter, typeName: value.typeName)
            }
            let (change, overflows) = wanted.subtractingReportingOverflow(counter.value)
            if overflows { setCounter(CounterName.field(name), to: wanted) }
            if !overflows { edit.add(change, to: CounterName.field(name)) }
            return
        }
        try checkRoom(for: field)
        edit.set(PartName.field(name), value.encoded)
    }

    mutating func incrementField(_ field: String, by change: Int64) throws(KeyValueError) {
        let name = Array(field.utf8)
        let counter = CounterName.field(name)
        if let plain = state.livePart(PartName.field(name)) {
            guard case .integer(let value)? = EntryReading.whole(plain) else {
                throw .typeMismatch(declared: .register, wanted: .counter)
            }
            // The same on every device, so two that do it at the same time agree.
            edit.remove(PartName.field(name))
            setCounter(counter, to: value)
        } else if Counter.read(counter, in: state) == nil {
            try checkRoom(for: field)
        }
        edit.add(change, to: counter)
    }

    mutating func removeField(_ field: String) {
        let name = Array(field.utf8)
        if state.values[PartName.field(name)] != nil { edit.remove(PartName.field(name)) }
        let counter = CounterName.field(name)
        if Counter.read(counter, in: state) != nil {
            setCounter(counter, to: 0, isRemoved: true)
        }
    }

    mutating func setFields(_ value: PropertyValue, base: PropertyValue?) throws(KeyValueError) {
        guard case .dictionary(let wanted) = value else {
            throw .wrongValue(.map, typeName: value.typeName)
        }
        var seen = EntryReading.fields(in: state)
        if case .dictionary(let read)? = base { seen = read }
        for entry in seen.entries where wanted[entry.key] == nil { removeField(entry.key) }
        for entry in wanted.entries {
            let before = seen[entry.key]
            if before == entry.value { continue }
            let counter = CounterName.field(Array(entry.key.utf8))
            if Counter.read(counter, in: state) != nil, case .integer(let old)? = before,
                case .integer(let new) = entry.value
            {
                edit.add(new &- old, to: counter)
            } else {
                try setField(entry.key, entry.value)
            }
        }
    }

    private func checkRoom(for field: String) throws(KeyValueError) {
        let fields = EntryReading.fields(in: state)
        let isNew = fields[field] == nil
        let new = edit.changes.keys.count { name in
            if case .mapField? = PartName.part(name) { state.livePart(name) == nil } else { false }
        }
        try check(fields.count + new + (isNew ? 1 : 0))
    }

    // MARK: Lists

    func element(at place: Int) throws(KeyValueError) -> List.Element {
        let elements = List.read(state)
        guard elements.indices.contains(place) else {
            throw .noSuchPlace(place, count: elements.count)
        }
        return elements[place]
    }

    mutating func insert(_ values: [PropertyValue], at place: Int) throws(KeyValueError) {
        let elements = List.read(state)
        guard (0...elements.count).contains(place) else {
            throw .noSuchPlace(place, count: elements.count)
        }
        try check(elements.count + values.count)
        List.insert(values, at: place, of: elements, random: random, into: &edit)
    }

    /// `to`: the place that the element has afterwards.
    mutating func move(from: Int, to: Int) throws(KeyValueError) {
        let moved = try element(at: from)
        var others = List.read(state)
        guard others.indices.contains(to) else { throw .noSuchPlace(to, count: others.count) }
        guard from != to else { return }
        others.remove(at: from)
        List.move(
            moved,
            after: to > 0 ? others[to - 1].position : [],
            before: to < others.count ? others[to].position : nil,
            random: random,
            in: &edit
        )
    }

    /// Turns what the program had read into what it wants by as few changes as possible, and makes
    /// these where the same elements are now.
    mutating func setList(_ value: PropertyValue, base: PropertyValue?) throws(KeyValueError) {
        guard case .array(let wanted) = value else {
            throw .wrongValue(.list, typeName: value.typeName)
        }
        let elements = List.read(state)
        let current = elements.map(\.value)
        var read = current
        if case .array(let seen)? = base { read = seen }
        // The element that each one that was read is now; nil if it is gone.
        let places = Self.matches(from: read, to: current)
        let kept = Self.matches(from: read, to: wanted)
        for (place, match) in zip(places, kept) where match == nil {
            if let place { List.remove(elements[place].id, in: &edit) }
        }
        try check(elements.count + wanted.count)
        let origins = Dictionary(
            uniqueKeysWithValues: kept.enumerated().compactMap { old, new in new.map { ($0, old) } }
        )
        var run: [PropertyValue] = []
        var place = 0
        for (index, element) in wanted.enumerated() {
            guard let origin = origins[index] else {
                run.append(element)
                continue
            }
            guard let current = places[origin] else { continue }
            List.insert(run, at: current, of: elements, random: random, into: &edit)
            (run, place) = ([], current + 1)
        }
        List.insert(run, at: place, of: elements, random: random, into: &edit)
    }

    /// For each element of a list the place of the same element in another one, by the shortest
    /// edit between them; nil for one that is not there.
    private static func matches(from old: [PropertyValue], to new: [PropertyValue]) -> [Int?] {
        let difference = new.difference(from: old)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var next = new.indices.lazy.filter { !inserted.contains($0) }.makeIterator()
        return old.indices.map { removed.contains($0) ? nil : next.next() }
    }

    private func check(_ count: Int) throws(KeyValueError) {
        guard count <= MergeLimits.elementsMax else {
            throw .limitExceeded(.elements, key: "", wanted: count, max: MergeLimits.elementsMax)
        }
    }
}
