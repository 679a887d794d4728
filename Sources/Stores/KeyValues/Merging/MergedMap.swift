internal import KSCausality
package import KSResolution

/// A map: fields that are registers or counters.
///
/// A change of a field beats its concurrent removal. A counter that was removed starts again at 0.
package struct MergedMap: Equatable, Sendable {
    /// What a field holds.
    package enum Content: Equatable, Sendable {
        /// `conflicts`: concurrent values that are not shown, newest first.
        case register(value: [UInt8], conflicts: [[UInt8]])
        case counter(Counter)
    }

    package struct Field: Equatable, Sendable {
        package let content: Content
        /// The hidden side of a field that concurrent changes made both a register and a counter.
        ///
        /// The latest change decides which one is shown.
        package let hidden: Content?

        package var isBoth: Bool { hidden != nil }
    }

    /// What a plain program reads from a field, and writes to it.
    package enum Plain: Equatable, Sendable {
        case value([UInt8])
        case number(Int64)
    }

    /// By the fields' names, UTF-8.
    package let fields: [[UInt8]: Field]
    /// What a plain program reads; an edit of many fields looks each of them up.
    package let plain: [[UInt8]: Plain]

    package init(_ state: RecordState) {
        guard state.isAlive else {
            (fields, plain) = ([:], [:])
            return
        }
        var fields: [[UInt8]: Field] = [:]
        var stamps: [[UInt8]: Stamp] = [:]
        for (name, values) in state.visibleElements(of: .map) {
            guard let shown = values.last, let value = shown.value else { continue }
            var contents: Set<[UInt8]> = [value]
            let conflicts = values.reversed().compactMap(\.value).filter {
                contents.insert($0).inserted
            }
            let content = Content.register(value: value, conflicts: conflicts)
            fields[name] = Field(content: content, hidden: nil)
            stamps[name] = shown.stamp
        }
        for (counter, parts) in state.counters
        where counter.first == MergeType.map.rawValue && parts.isPresent {
            let name = Array(counter.dropFirst())
            let content = Content.counter(Counter(parts))
            guard let register = fields[name], let stamp = stamps[name] else {
                fields[name] = Field(content: content, hidden: nil)
                continue
            }
            let latest = parts.uncut.values.map(\.stamp) + [parts.base?.stamp].compactMap(\.self)
            let isCounterShown = latest.contains { stamp < $0 }
            fields[name] = Field(
                content: isCounterShown ? content : register.content,
                hidden: isCounterShown ? register.content : content
            )
        }
        self.fields = fields
        plain = fields.mapValues { field in
            switch field.content {
            case .register(let value, _): .value(value)
            case .counter(let counter): .number(counter.value)
            }
        }
    }

    private func hasCounter(_ field: [UInt8]) -> Bool {
        guard let field = fields[field] else { return false }
        if case .counter = field.content { return true }
        return field.isBoth
    }

    private func hasRegister(_ field: [UInt8]) -> Bool {
        guard let field = fields[field] else { return false }
        if case .register = field.content { return true }
        return field.isBoth
    }

    /// Sets a field, which is a register afterwards.
    package func set(_ field: [UInt8], to value: [UInt8]) -> EntryEdit {
        var edit = EntryEdit(values: [MergeType.map.element(field): value])
        if hasCounter(field) {
            edit.counters[MergeType.map.counter(field)] = CounterChange(reset: .removed)
        }
        return edit
    }

    /// Removes a field.
    package func remove(_ field: [UInt8]) -> EntryEdit {
        var edit = EntryEdit()
        if hasRegister(field) { edit.remove(MergeType.map.element(field)) }
        if hasCounter(field) {
            edit.counters[MergeType.map.counter(field)] = CounterChange(reset: .removed)
        }
        return edit
    }

    /// Adds to a field, which is a counter afterwards.
    package func increment(_ field: [UInt8], by number: Int64) -> EntryEdit {
        change(field, CounterChange(increment: .step(Int128(number))))
    }

    /// Adds a step to a field that is a counter.
    func add(_ step: Int128, to field: [UInt8]) -> EntryEdit {
        change(field, CounterChange(increment: .step(step)))
    }

    /// Starts a field again from a number, and adds to it; it is a counter afterwards.
    package func reset(
        _ field: [UInt8],
        to number: Int64,
        adding step: Int64 = 0
    ) -> EntryEdit {
        change(field, CounterChange(reset: .to(number), increment: .step(Int128(step))))
    }

    private func change(_ field: [UInt8], _ change: CounterChange) -> EntryEdit {
        var edit = EntryEdit(counters: [MergeType.map.counter(field): change])
        if hasRegister(field) { edit.remove(MergeType.map.element(field)) }
        return edit
    }

    /// The edit of a program that read this map and wrote `new`.
    ///
    /// A counter with a different number gets the difference; a number in a field that was not a
    /// counter makes it one.
    package func difference(to new: [[UInt8]: Plain]) -> EntryEdit {
        let old = plain
        var edit = EntryEdit()
        for field in old.keys where new[field] == nil { edit.add(remove(field)) }
        for (field, plain) in new where old[field] != plain {
            switch (old[field], plain) {
            case (_, .value(let value)): edit.add(set(field, to: value))
            case (.number(let before), .number(let number)):
                edit.add(add(Int128(number) - Int128(before), to: field))
            case (_, .number(let number)): edit.add(reset(field, to: number))
            }
        }
        return edit
    }
}
