package import KSCausality

/// What the user sees of a state.
extension RecordState {
    /// Whether there is an item: some current value is not covered by a delete.
    package var isAlive: Bool {
        values.contains { name, values in
            name.keepsAlive && values.contains { !deleted.contains($0.stamp) }
        }
    }

    /// Whether the item lives although another device deleted an earlier state of it.
    package var isDeletedElsewhere: Bool {
        isAlive
            && values.contains { name, values in
                name.keepsAlive && values.contains { deleted.contains($0.stamp) }
            }
    }

    /// The names with a value, in order.
    package var names: [ValueName] { values.keys.sorted() }

    /// All current stamps of a name, even those covered by a delete; an edit replaces them.
    package func stamps(of name: ValueName) -> [Stamp] {
        (values[name] ?? []).map(\.stamp)
    }

    /// The values that may be shown, in order of their stamps.
    ///
    /// A value that a delete had seen is among them only if its name has no other.
    package func candidates(for name: ValueName) -> [StampedValue] {
        let current = values[name] ?? []
        let uncovered = current.filter { !deleted.contains($0.stamp) }
        return uncovered.isEmpty ? current : uncovered
    }

    /// The shown value, that of the highest stamp; nil if there is none or it was removed.
    package func shown(_ name: ValueName) -> [UInt8]? {
        candidates(for: name).last?.value
    }

    /// The attributes shown, by name, without those that only say who made the writes.
    package var shownFields: [String: [UInt8]] {
        var fields: [String: [UInt8]] = [:]
        for name in values.keys where name.isField && !name.isAboutWrites {
            if let value = shown(name) { fields[name.name] = value }
        }
        return fields
    }

    package var shownSecret: [UInt8]? { shown(.secret) }

    /// Concurrent values of a name that are not shown, newest first; equal bytes never conflict.
    package func conflictingValues(of name: ValueName) -> [StampedValue] {
        let candidates = candidates(for: name)
        guard let shown = candidates.last else { return [] }
        var contents: Set<[UInt8]?> = [shown.value, nil]
        return candidates.reversed().filter { contents.insert($0.value).inserted }
    }

    /// Concurrent secrets that are not shown, newest first.
    package var conflictingSecrets: [StampedValue] { conflictingValues(of: .secret) }

    /// The superseded values of a name that no delete covers, newest first.
    package func shownHistory(of name: ValueName) -> [StampedValue] {
        pastValues.filter { $0.name == name }.map { StampedValue(stamp: $0.stamp, value: $0.value) }
    }

    /// The superseded secrets that no delete covers, newest first.
    package var shownHistory: [StampedValue] { shownHistory(of: .secret) }

    /// The superseded values of all names that no delete covers, newest first.
    package var pastValues: [PastValue] {
        history.filter { $0.value != nil && !deleted.contains($0.stamp) }
    }
}
