package import KSResolution

/// What a write does to the values of an entry's record.
package struct EntryEdit: Equatable, Sendable {
    /// The values that are set, or removed where nil.
    package var changes: [ValueName: [UInt8]?]
    /// What is added to counters, by their names.
    package var increments: [[UInt8]: CounterTotals]

    package init(
        changes: [ValueName: [UInt8]?] = [:],
        increments: [[UInt8]: CounterTotals] = [:]
    ) {
        self.changes = changes
        self.increments = increments
    }

    package var isEmpty: Bool { changes.isEmpty && increments.isEmpty }

    /// Both edits as one; the later one counts where both set a value.
    func followed(by later: EntryEdit) -> EntryEdit {
        EntryEdit(
            changes: changes.merging(later.changes) { $1 },
            increments: increments.merging(later.increments) { earlier, later in
                var sum = earlier
                sum.add(later)
                return sum
            }
        )
    }

    mutating func set(_ name: ValueName, _ value: [UInt8]) {
        changes.updateValue(value, forKey: name)
    }

    mutating func remove(_ name: ValueName) {
        changes.updateValue(nil, forKey: name)
    }

    mutating func add(_ change: Int64, to counter: [UInt8]) {
        guard change != 0 else { return }
        increments[counter, default: CounterTotals()].add(CounterTotals(change))
    }
}

extension LocalRecord {
    /// Notes that the user wrote to an entry, which lives already or is created.
    package mutating func write(_ edit: EntryEdit, atMilliseconds clock: UInt64) {
        if !edit.changes.isEmpty {
            if view.isAlive {
                set(edit.changes, atMilliseconds: clock)
            } else {
                create(edit.changes.compactMapValues { $0 }, atMilliseconds: clock)
            }
        }
        if !edit.increments.isEmpty { add(edit.increments, atMilliseconds: clock) }
    }
}
