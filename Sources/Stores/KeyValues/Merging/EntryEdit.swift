internal import KSCausality
package import KSResolution

/// A change of one entry, as changes of its record's values.
///
/// The types of this folder make it from what they read; ``LocalRecord`` applies it.
package struct EntryEdit: Equatable, Sendable {
    /// By name; nil removes a value.
    package var values: [ValueName: [UInt8]?]
    /// By name of the counter.
    package var counters: [[UInt8]: CounterChange]

    package init(
        values: [ValueName: [UInt8]?] = [:],
        counters: [[UInt8]: CounterChange] = [:]
    ) {
        self.values = values
        self.counters = counters
    }

    package var isEmpty: Bool { values.isEmpty && counters.isEmpty }

    /// Whether it adds or sets something; a removal or a move does not.
    var adds: Bool {
        values.contains { $0.key.kind != ValueName.Kind.position && $0.value != nil }
            || counters.values.contains(where: \.sets)
    }

    mutating func remove(_ name: ValueName) {
        values.updateValue(nil, forKey: name)
    }

    /// Adds a later edit of other values.
    mutating func add(_ other: EntryEdit) {
        values.merge(other.values) { $1 }
        counters.merge(other.counters) { $1 }
    }
}

extension LocalRecord {
    /// Applies an edit to an entry, or makes the entry.
    ///
    /// An edit that adds or sets something declares the entry again. So it beats a concurrent
    /// deletion of the entry, and an entry that exists has a type and an identity, even if what
    /// declared it before was withdrawn with a refused batch.
    ///
    /// - Parameters:
    ///   - edit: made from the present ``view``.
    ///   - type: the type that made the edit; a new entry is declared with it.
    ///   - identity: the fields that name the entry, such as its key.
    ///   - limits: what the entry may hold afterwards. An entry that holds more already may only
    ///     shrink.
    ///   - clock: the device's clock, milliseconds since 1970.
    /// - Throws: the first limit that the entry would exceed, or that it has another type. The
    ///   record is then unchanged.
    package mutating func apply(
        _ edit: EntryEdit,
        as type: MergeType,
        identity: [ValueName: [UInt8]] = [:],
        limits: MergeLimits = .standard,
        atMilliseconds clock: UInt64
    ) throws(KeyValueError) {
        let before = view
        var changed = self
        var declaration = identity
        declaration[Declaration.name] = [type.rawValue]
        if before.isAlive {
            switch Declaration(before)?.shown {
            case .known(type): break
            case .known(let other): throw .typeMismatch(declared: other, wanted: type)
            case .unknown, nil: throw .newerType
            }
            guard !edit.isEmpty else { return }
            var values = edit.values
            if edit.adds { values.merge(declaration.mapValues { $0 }) { $1 } }
            changed.set(values, counters: edit.counters, atMilliseconds: clock)
        } else {
            let values = declaration.merging(edit.values.compactMapValues { $0 }) { $1 }
            changed.create(values, counters: edit.counters, atMilliseconds: clock)
        }
        let after = changed.view
        try after.checkWriters(after: before)
        try limits.check(after, after: before, type)
        try after.check(edit.counters, after: before)
        self = changed
    }
}

extension RecordState {
    /// Refuses the edit of a record that has too many writers for other devices to take it.
    func checkWriters(after before: RecordState) throws(KeyValueError) {
        let max = StateBounds.edited.stampsMax
        guard context.count <= Swift.max(max, before.context.count) else {
            throw .limitExceeded(.writers, wanted: context.count, max: max)
        }
    }

    /// Refuses an increment for which the unsent counter has no room: it would be lost.
    fileprivate func check(
        _ changes: [[UInt8]: CounterChange],
        after before: RecordState
    ) throws(KeyValueError) {
        guard !changes.isEmpty else { return }
        let (old, new) = (before.counters, counters)
        for (name, change) in changes {
            let counter = new[name].map { Counter($0) } ?? .zero
            let earlier = before.isAlive ? old[name].map { Counter($0) } ?? .zero : .zero
            guard counter.isExactly(earlier, after: change) else { throw .counterFull }
        }
    }
}

extension MergeLimits {
    /// Throws the first limit that `state` exceeds, unless `before` exceeded it by as much.
    func check(
        _ state: RecordState,
        after before: RecordState,
        _ type: MergeType
    ) throws(KeyValueError) {
        guard type.family != .register else { return }
        let (count, earlier) = (state.elementCount(of: type), before.elementCount(of: type))
        guard count <= max(elementsMax, earlier) else {
            throw .limitExceeded(.elements, wanted: count, max: elementsMax)
        }
        if type == .counter || type == .map {
            let most = actorCount(of: state)
            let mostBefore = actorCount(of: before)
            guard most <= max(counterActorsMax, mostBefore) else {
                throw .limitExceeded(.counterActors, wanted: most, max: counterActorsMax)
            }
        }
        // Provisional stamps have the size of final ones, so the size is right.
        let bytes = state.encoded.count
        guard bytes <= stateBytesMax || bytes <= before.encoded.count else {
            throw .limitExceeded(.stateBytes, wanted: bytes, max: stateBytesMax)
        }
    }
}

extension MergeLimits {
    /// The number of actors of the counter that has most.
    private func actorCount(of state: RecordState) -> Int {
        state.counters.values.map { counter in
            Set(counter.series.keys.map { $0.actor == .unsent ? ownActor ?? .unsent : $0.actor })
                .count
        }.max() ?? 0
    }
}

extension RecordState {
    /// How many elements or fields the entry holds.
    fileprivate func elementCount(of type: MergeType) -> Int {
        let prefix = type.rawValue
        let elements = values.keys.count { name in
            name.kind == ValueName.Kind.element && name.nameBytes.first == prefix
        }
        guard type == .map else { return elements }
        return elements + counters.count { $0.key.first == prefix && $0.value.isPresent }
    }
}
