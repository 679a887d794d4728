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
        try keychain.write { database in
            var taken = TakenEntries()
            try database.inSavepoint {
                let claims = try claims(of: call, in: database)
                for index in claims.order(of: call.entries.indices) {
                    try take(index, of: call, claims, &taken, in: database)
                }
                return call.dryRun ? .rollback : .commit
            }
            return taken
        }
    }

    /// Takes all of an entry or nothing.
    private func take(
        _ index: Int,
        of call: ImportEntries,
        _ claims: EntryClaims,
        _ taken: inout TakenEntries,
        in database: Database
    ) throws(ItemStoreError) {
        let (entry, number) = (call.entries[index], Int(call.numbers[index]))
        func refuse(_ reason: EntryNote.Reason) {
            taken.notes.append(EntryNote(number, title: entry.shownTitle, reason))
        }
        do throws(ItemStoreError) {
            var next = taken
            try database.undoable {
                let wanted = try EntryItem(entry, number: number)
                var taking = EntryTaking(wanted, number, call)
                try take(&taking, index, claims, &next, in: database)
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
    func present(like item: Item, in database: Database) throws -> Item? {
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

extension KeychainOwner {
    private func take(
        _ taking: inout EntryTaking,
        _ index: Int,
        _ claims: EntryClaims,
        _ taken: inout TakenEntries,
        in database: Database
    ) throws {
        let item = taking.wanted.item
        guard !item.accessibility.isThisDeviceOnly else {
            return taking.notes = [
                EntryNote(taking.number, title: taking.wanted.entry.shownTitle, .deviceOnly)
            ]
        }
        if let before = try meant(by: &taking, index, claims, in: database) {
            try join(&taking, with: before, &taken, in: database)
        } else {
            try addNew(&taking, in: database)
            taken.added += 1
        }
    }

    /// The item that an entry means; nil if it becomes a new one.
    private func meant(
        by taking: inout EntryTaking,
        _ index: Int,
        _ claims: EntryClaims,
        in database: Database
    ) throws -> Item? {
        if let claimed = claims.items[index],
            let item = try present(like: claimed, in: database)
        {
            return item
        }
        let wanted = taking.wanted
        let entry = wanted.entry
        var there = try present(like: wanted.item, in: database)
        // Many files leave out realms: the login of one is known by its password.
        if there == nil, entry.hasOwnPlace != true, entry.realm == nil, !taking.namesRealms {
            there = try loginOfRealm(wanted, in: database)
        }
        guard let there, entry.hasOwnPlace != true else { return there }
        let isFree = claims.isFree(there, for: index)
        guard !wanted.isAlready(there) || !isFree else { return there }
        let namesRealms = taking.namesRealms
        let mayBeThere = isFree && entry.mayMean(there, namesRealms: namesRealms)
        let twins = try twins(of: wanted, in: database).filter { item in
            entry.mayMean(item, namesRealms: namesRealms)
        }
        guard twins.count > 1 || !mayBeThere else { return there }
        let free = twins.filter { claims.isFree($0, for: index) }
        if twins.count == 1, let only = free.first { return only }
        let twin = try twin(of: wanted, among: free) { item in
            try known(of: item, in: database)[.secret] ?? []
        }
        if twin == nil {
            if !free.isEmpty { taking.noteFurther(beside: free.count) }
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
    func known(of item: Item, in database: Database) throws -> [ValueName: [[UInt8]]] {
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
                if !keepsHistory {
                    let detail = "is replaced, and the earlier one becomes a field"
                    taking.note(.otherForm, taking.spoken(name), detail)
                }
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
        if addOthers(of: &taking, to: before, isNewer: isNewer, &changes) { isKept = true }
        addRealm(of: &taking, to: before, &changes)
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
    ///
    /// - Returns: whether an address keeps another rule than the file's.
    private func addOthers(
        of taking: inout EntryTaking,
        to before: Item,
        isNewer: Bool,
        _ changes: inout ItemChanges
    ) -> Bool {
        let item = taking.wanted.item
        var isKept = false
        var known: Set = [PersonalItem.sourceMark]
        // A login at a site is one also without the mark of its type.
        if PersonalItem(item).type == PersonalItem(before).type {
            known.insert(ItemMark.type.extra.valueName)
        }
        for address in PersonalItem(item).addresses where before.isAt(address) {
            let extra = ItemExtra.address(address.text)
            known.formUnion([extra.valueName, extra.positionName])
        }
        for (name, value) in item.extras
        where !known.contains(name) && before.extras[name] != value {
            let extra = ItemExtra(name)
            if case .field = extra { continue }
            let isValue = name.kind == ValueName.Kind.extra
            if before.extras[name] == nil || isNewer && isValue {
                changes.extras.updateValue(value, forKey: name)
            } else if isValue, case .address(let address) = extra,
                value != Array(Entry.Address.usualMatch.utf8)
            {
                let rule = String(decoding: value, as: UTF8.self)
                taking.note(.present, "the rule \(rule) of the address \(address)")
                isKept = true
            }
        }
        return isKept
    }

    /// Adds the realm, which is part of the item's key, to a login that lacks it.
    private func addRealm(
        of taking: inout EntryTaking,
        to before: Item,
        _ changes: inout ItemChanges
    ) {
        guard before.itemClass == .internetPassword, taking.namesRealms,
            let realm = taking.wanted.entry.realm, !realm.isEmpty,
            (before.attributes[.securityDomain] ?? .string("")) == .string("")
        else { return }
        // Earlier values would stay behind.
        guard taking.past.isEmpty else { return taking.note(.partNotHeld, "the realm") }
        changes.attributes[.securityDomain] = .string(realm)
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
    /// Whether an address says nothing new: it is the site, or one with a slash more or less, and
    /// has no rule of its own.
    fileprivate func isAt(_ address: PersonalItem.Address) -> Bool {
        func bare(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
        guard address.match == .domain, extras[ItemExtra.address(address.text).valueName] == nil
        else { return false }
        return Entry(PersonalItem(self), history: nil).links.contains { link in
            bare(link.text) == bare(address.text)
        }
    }
}
