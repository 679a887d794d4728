internal import KSKeychain
internal import KSMoving
internal import KSPersonalItems
internal import KSResolution

/// Which of two values stays the current one.
enum EntryPreference: String {
    case file
    case present
}

/// One entry while it is taken.
struct EntryTaking {
    var wanted: EntryItem
    let number: Int
    let preference: EntryPreference?
    let namesRealms: Bool
    var notes: [EntryNote]
    /// Earlier values, the oldest first: they are set one after the other before the current one.
    var past: [ValueName: [[UInt8]]] = [:]

    init(_ wanted: EntryItem, _ number: Int, _ call: ImportEntries) {
        (self.wanted, self.number, namesRealms) = (wanted, number, call.namesRealms)
        preference = call.prefer.flatMap(EntryPreference.init(rawValue:))
        notes = wanted.notes
    }

    mutating func note(_ reason: EntryNote.Reason, _ part: String, _ detail: String = "") {
        let title = wanted.entry.shownTitle
        notes.append(EntryNote(number, title: title, part: part, reason, detail: detail))
    }

    /// Notes that nothing says which of several items the entry means.
    mutating func noteFurther(beside count: Int) {
        let items = count == 1 ? "1 item" : "\(count) items"
        let why = "nothing says which one it is"
        note(.otherForm, "the entry", "is added beside \(items) of its site and user name: \(why)")
    }

    /// What people call a value.
    func spoken(_ name: ValueName) -> String {
        let secretName = PersonalItem(wanted.item).secretName
        return "the " + name.spoken(secretName: secretName)
    }

    /// Whether two stored values of a name say the same.
    ///
    /// Many files do not know what kind a field is of, so there only its content counts.
    func says(_ value: [UInt8], as other: [UInt8], _ name: ValueName) -> Bool {
        if value == other { return true }
        guard wanted.entry.hasOwnPlace != true, case .field = ItemExtra(name),
            let mine = ItemField.Content(decoding: value),
            let theirs = ItemField.Content(decoding: other)
        else { return false }
        return mine.bytes == theirs.bytes
    }

    /// Plans the earlier values of the file that the item does not have or had.
    mutating func planHistory(unknownTo known: [ValueName: [[UInt8]]]) {
        for earlier in wanted.entry.history.reversed() where earlier.isUsable {
            let (name, value) = earlier.stored
            let met = (known[name] ?? []) + (past[name] ?? [])
            guard !met.contains(where: { says(value, as: $0, name) }) else { continue }
            past[name, default: []].append(value)
        }
    }

    /// Names the planned values, since nothing can keep them.
    mutating func leaveOutHistory() {
        let count = past.values.reduce(0) { $0 + $1.count }
        guard count > 0 else { return }
        note(.noHistory, "\(count) earlier \(count == 1 ? "value" : "values")")
        past = [:]
    }

    /// The changes that set all planned values, one after the other.
    var pastChanges: [ItemChanges] {
        let count = past.values.map(\.count).max() ?? 0
        return (0..<count).map { index in
            var changes = ItemChanges()
            for (name, values) in past where index < values.count {
                changes.set(name, values[index])
            }
            return changes
        }
    }
}

extension EntryTaking {
    /// Whether changes leave a value as it is.
    static func isUnset(_ name: ValueName, in changes: ItemChanges) -> Bool {
        switch name {
        case .secret: changes.secret == nil
        case .title: changes.attributes[.label] == nil
        case .note: changes.attributes[.comment] == nil
        default: changes.extras[name] == nil
        }
    }
}
