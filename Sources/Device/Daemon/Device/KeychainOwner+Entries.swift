internal import GRDB
internal import KSAgent
package import KSKeychain
internal import KSKeychainFiles
internal import KSKeychainRecords
internal import KSMoving
internal import KSPersonalItems
internal import KSResolution
internal import KSSealing

// Takes entries of files into the keychain, the first time and every further time.

extension KeychainOwner {
    /// Takes entries in one transaction.
    ///
    /// A dry run does the same, and then undoes it: so it reports the same.
    package func take(_ call: ImportEntries) throws(ItemStoreError) -> TakenEntries {
        let preference = call.prefer.flatMap(EntryPreference.init(rawValue:))
        return try keychain.write { database in
            var taken = TakenEntries()
            try database.inSavepoint {
                for (entry, number) in zip(call.entries, call.numbers) {
                    try take(entry, Int(number), preference, &taken, in: database)
                }
                return call.dryRun ? .rollback : .commit
            }
            return taken
        }
    }

    /// Takes all of an entry or nothing.
    private func take(
        _ entry: Entry,
        _ number: Int,
        _ preference: EntryPreference?,
        _ taken: inout TakenEntries,
        in database: Database
    ) throws(ItemStoreError) {
        func refuse(_ reason: EntryNote.Reason) {
            taken.notes.append(EntryNote(number, title: entry.shownTitle, reason))
        }
        do throws(ItemStoreError) {
            var next = taken
            try database.undoable {
                let wanted = try EntryItem(entry, number: number)
                var taking = EntryTaking(wanted, number, preference)
                try take(&taking, &next, in: database)
                next.notes += taking.notes
            }
            taken = next
        } catch .dataTooLarge {
            refuse(.tooLarge)
        } catch .duplicateItem {
            refuse(.taken)
        } catch .parameter {
            refuse(.noEntry)
        }
    }

    /// The item with the key of another one, with all that it has.
    fileprivate func present(like item: Item, in database: Database) throws -> Item? {
        guard !item.isSynced else { return try keychain.syncedItem(item.key, in: database) }
        let key = item.attributes.filter { name, _ in item.itemClass[name]?.isInPrimaryKey == true }
        let query = KeychainQuery(
            item.itemClass,
            attributes: key.filter { $0.key != .synchronizable },
            synchronizable: item.isSynchronizable ? .yes : .no,
            access: KeychainFile.access,
            wantsSecret: true,
            wantsExtras: true
        )
        return try keychain.find(query, in: database).items.first { $0.key == item.key }
    }
}

/// Which of two values stays the current one.
enum EntryPreference: String {
    case file
    case present
}

/// One entry while it is taken.
private struct EntryTaking {
    var wanted: EntryItem
    let number: Int
    let preference: EntryPreference?
    var notes: [EntryNote]
    /// Earlier values, the oldest first: they are set one after the other before the current one.
    var past: [ValueName: [[UInt8]]] = [:]

    init(_ wanted: EntryItem, _ number: Int, _ preference: EntryPreference?) {
        (self.wanted, self.number, self.preference) = (wanted, number, preference)
        notes = wanted.notes
    }

    mutating func note(_ reason: EntryNote.Reason, _ part: String, _ detail: String = "") {
        let title = wanted.entry.shownTitle
        notes.append(EntryNote(number, title: title, part: part, reason, detail: detail))
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

extension KeychainOwner {
    private func take(
        _ taking: inout EntryTaking,
        _ taken: inout TakenEntries,
        in database: Database
    ) throws {
        let item = taking.wanted.item
        guard !item.accessibility.isThisDeviceOnly else {
            return taking.notes = [
                EntryNote(taking.number, title: taking.wanted.entry.shownTitle, .deviceOnly)
            ]
        }
        if let before = try meant(by: &taking, in: database) {
            try join(&taking, with: before, &taken, in: database)
        } else {
            try addNew(&taking, in: database)
            taken.added += 1
        }
    }

    /// The item that an entry means; nil if it becomes a new one.
    private func meant(by taking: inout EntryTaking, in database: Database) throws -> Item? {
        let wanted = taking.wanted
        var there = try present(like: wanted.item, in: database)
        // Many files leave out realms: the login of one is known by its password.
        if there == nil, wanted.entry.hasOwnPlace != true, wanted.entry.realm == nil {
            there = try loginOfRealm(wanted, in: database)
        }
        guard let there, there.secret != wanted.item.secret, wanted.entry.hasOwnPlace != true
        else { return there }
        let twins = try twins(of: wanted, in: database)
        guard twins.count > 1 else { return there }
        let twin = try twin(of: wanted, among: twins) { item in
            try known(of: item, in: database)[.secret] ?? []
        }
        if twin == nil {
            taking.wanted = try further(wanted, number: taking.number) { item in
                try present(like: item, in: database) == nil
            }
        }
        return twin
    }

    /// Only an account keeps histories, and only of items that leave the device.
    private func keepsHistory(of item: Item) -> Bool { keys != nil && item.isSynced }

    private func addNew(_ taking: inout EntryTaking, in database: Database) throws {
        let item = taking.wanted.item
        let entry = taking.wanted.entry
        taking.planHistory(unknownTo: EntryItem.values(of: item).mapValues { [$0] })
        if !keepsHistory(of: item) { taking.leaveOutHistory() }
        // It begins with the oldest values, so that the current one is set last.
        var steps = taking.pastChanges[...]
        let start = steps.popFirst().map { item.changed(by: $0) } ?? item
        let added = try keychain.add(start, access: KeychainFile.access, in: database)
        var last = ItemChanges()
        if let created = entry.created {
            last.attributes[.creationDate] = .init(milliseconds: created)
        }
        for name in taking.past.keys {
            last.set(name, EntryItem.values(of: item)[name])
        }
        try change(added, steps + (last.isEmpty ? [] : [last]), in: database)
        try notePast(&taking, of: added, in: database)
    }

    private func change(_ item: Item, _ steps: [ItemChanges], in database: Database) throws {
        let query = KeychainQuery(exactly: item, access: KeychainFile.access)
        for step in steps { try keychain.update(query, step, in: database) }
    }

    /// Notes planned values that the history has no room for.
    private func notePast(
        _ taking: inout EntryTaking,
        of item: Item,
        in database: Database
    ) throws {
        guard !taking.past.isEmpty else { return }
        let kept = try known(of: item, in: database)
        for (name, values) in taking.past.sorted(by: { $0.key < $1.key }) {
            let lost = values.count { kept[name]?.contains($0) != true }
            guard lost > 0 else { continue }
            let what = lost == 1 ? "an earlier value of" : "\(lost) earlier values of"
            taking.note(.beyondHistory, "\(what) \(taking.spoken(name))")
        }
    }

    /// The values that an item has and had.
    private func known(of item: Item, in database: Database) throws -> [ValueName: [[UInt8]]] {
        var known = EntryItem.values(of: item).mapValues { [$0] }
        guard item.isSynced, let history = try keys?.history(of: item.key, in: database) else {
            return known
        }
        for earlier in Entry.Earlier.all(of: history) {
            let (name, value) = earlier.stored
            known[name, default: []].append(value)
        }
        return known
    }

    // MARK: An item that is there

    private func join(
        _ taking: inout EntryTaking,
        with before: Item,
        _ taken: inout TakenEntries,
        in database: Database
    ) throws {
        let item = taking.wanted.item
        let personal = PersonalItem(before)
        let known = try known(of: before, in: database)
        let keepsHistory = keepsHistory(of: before)
        let isNewer = isNewer(taking, than: personal)
        taking.planHistory(unknownTo: known)
        if !keepsHistory { taking.leaveOutHistory() }
        let present = EntryItem.values(of: before)
        var changes = ItemChanges()
        var isKept = false
        for (name, value) in EntryItem.values(of: item).sorted(by: { $0.key < $1.key }) {
            if let held = present[name], taking.says(value, as: held, name) { continue }
            // A title that is the site has been made from it, and is nobody's choice.
            if name == .title, taking.wanted.entry.title == taking.wanted.entry.place { continue }
            if present[name]?.isEmpty != false {
                changes.set(name, value)
            } else if isNewer, keepsHistory || keep(name, of: before, &changes) {
                changes.set(name, value)
            } else if known[name]?.contains(where: { taking.says(value, as: $0, name) }) != true {
                isKept = true
                if keepsHistory {
                    taking.past[name, default: []].append(value)
                    taking.note(.earlier, taking.spoken(name))
                } else {
                    taking.note(.present, taking.spoken(name))
                }
            }
        }
        addOthers(of: item, to: before, isNewer: isNewer, &changes)
        guard !changes.isEmpty || !taking.past.isEmpty else {
            taken.count(isKept: isKept, isChanged: false)
            return
        }
        let isChanged = !changes.isEmpty
        markSource(taking, before, isNewer: isNewer, &changes)
        // The current values come last: the present ones, or the file's newer ones.
        for name in taking.past.keys where EntryTaking.isUnset(name, in: changes) {
            changes.set(name, present[name])
        }
        try change(before, taking.pastChanges + [changes], in: database)
        try notePast(&taking, of: before, in: database)
        taken.count(isKept: isKept, isChanged: isChanged)
    }

    private func isNewer(_ taking: EntryTaking, than present: PersonalItem) -> Bool {
        switch taking.preference {
        case .file: return true
        case .present: return false
        case nil:
            guard let file = taking.wanted.entry.changed, let own = present.sourceMilliseconds
            else { return false }
            return file > own
        }
    }

    /// Adds tags, addresses and marks that the item lacks; a newer file also changes their rules.
    private func addOthers(
        of item: Item,
        to before: Item,
        isNewer: Bool,
        _ changes: inout ItemChanges
    ) {
        var known: Set = [PersonalItem.sourceMark]
        for address in PersonalItem(item).addresses where before.isAt(address.text) {
            let extra = ItemExtra.address(address.text)
            known.formUnion([extra.valueName, extra.positionName])
        }
        for (name, value) in item.extras
        where !known.contains(name) && before.extras[name] != value {
            switch ItemExtra(name) {
            case .field: continue
            case .tag, .address, .mark, nil:
                if before.extras[name] == nil || isNewer && name.kind == ValueName.Kind.extra {
                    changes.extras.updateValue(value, forKey: name)
                }
            }
        }
    }

    /// Keeps a value that is replaced where there is no history: a secret becomes a field, as where
    /// a new one is made.
    ///
    /// - Returns: false for all other values, which nothing would keep, so that they stay, and for
    ///   a secret of an item without room.
    private func keep(
        _ name: ValueName,
        of before: Item,
        _ changes: inout ItemChanges
    ) -> Bool {
        guard name == .secret, let secret = before.secret else { return false }
        var form = ItemForm()
        form.keep(secret, of: PersonalItem(before))
        guard let field = form.fields?.first else { return false }
        var edit = ItemEdit()
        let kind = ItemField.Kind(rawValue: field.kind ?? ItemField.Kind.secret.rawValue)
        edit.fields = [.init(ItemField(name: field.name, kind: kind, value: field.value))]
        // An item that is full keeps the present secret.
        guard let extras = try? edit.changes(of: PersonalItem(before)) else { return false }
        changes.extras.merge(extras) { $1 }
        return true
    }

    /// Keeps what the item's source says of its time, where the file has made all of it.
    private func markSource(
        _ taking: EntryTaking,
        _ before: Item,
        isNewer: Bool,
        _ changes: inout ItemChanges
    ) {
        guard isNewer, let changed = taking.wanted.entry.changed else { return }
        let mark = PersonalItem(before.changed(by: changes)).sourceMark(changed)
        changes.extras.updateValue(mark, forKey: PersonalItem.sourceMark)
    }
}

extension Item {
    /// Whether it has an address that differs from this one in a slash at the end at most.
    fileprivate func isAt(_ address: String) -> Bool {
        func bare(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
        let links = Entry(PersonalItem(self), history: nil).links.map(\.text)
        return !links.contains(address) && links.contains { bare($0) == bare(address) }
    }
}

extension EntryTaking {
    /// Whether changes leave a value as it is.
    fileprivate static func isUnset(_ name: ValueName, in changes: ItemChanges) -> Bool {
        switch name {
        case .secret: changes.secret == nil
        case .title: changes.attributes[.label] == nil
        case .note: changes.attributes[.comment] == nil
        default: changes.extras[name] == nil
        }
    }
}
