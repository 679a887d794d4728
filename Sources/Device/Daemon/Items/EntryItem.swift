package import KSKeychain
internal import KSKeychainFiles
package import KSMoving
internal import KSPersonalItems
internal import KSResolution

/// The item that an entry of a file means, and what of the entry no item can hold.
package struct EntryItem {
    let entry: Entry
    package private(set) var item: Item
    private(set) var notes: [EntryNote] = []
    private let number: Int

    /// - Throws: ``ItemStoreError`` if the entry can be no item at all.
    package init(_ entry: Entry, number: Int) throws(ItemStoreError) {
        self.entry = entry
        self.number = number
        guard let itemClass = entry.itemClass.flatMap(ItemClass.init(rawValue:)) else {
            throw .parameter
        }
        item = Item(itemClass, attributes: try Self.attributes(entry, itemClass))
        item.secret = entry.secret
        if itemClass != .internetPassword, entry.realm?.isEmpty == false {
            note(.partNotHeld, "the realm")
        }
        // To Apple's keychain an empty realm and none are the same.
        if entry.realm?.isEmpty == true, entry.hasOwnPlace != true {
            note(.otherForm, "the empty realm", "becomes no realm")
        }
        addExtras()
        if let changed = entry.changed {
            item.extras[PersonalItem.sourceMark] = PersonalItem(item).sourceMark(changed)
        }
    }

    private static func attributes(
        _ entry: Entry,
        _ itemClass: ItemClass
    ) throws(ItemStoreError) -> [AttributeName: AttributeValue] {
        var attributes: [AttributeName: AttributeValue] = [
            .synchronizable: .boolean(entry.isSynced ?? true),
            .accessGroup: .string(KeychainFile.group),
        ]
        for attribute in entry.attributes {
            guard let (name, value) = attribute.named else { throw .parameter }
            attributes[name] = value
        }
        func set(_ name: AttributeName, _ text: String) {
            if !text.isEmpty { attributes[name] = .string(text) }
        }
        set(.label, entry.title)
        set(.comment, entry.note)
        guard itemClass.isPassword else { return attributes }
        set(.account, entry.userName)
        set(itemClass == .internetPassword ? .server : .service, entry.place)
        if itemClass == .internetPassword { set(.securityDomain, entry.realm ?? "") }
        // A foreign entry has none of these, and an item of people has an account at least.
        if attributes[.account] == nil { attributes[.account] = .string("") }
        return attributes
    }

    private mutating func note(
        _ reason: EntryNote.Reason,
        _ part: String,
        _ detail: String = ""
    ) {
        notes.append(
            EntryNote(number, title: entry.shownTitle, part: part, reason, detail: detail)
        )
    }

    // MARK: Extras

    private mutating func addExtras() {
        if entry.type != PersonalItem(item).type.rawValue, item.itemClass.isPassword {
            let type = ItemType(rawValue: entry.type)
            attempt("the type") { $0.type = type }
        }
        if entry.isFavorite == true { attempt("the mark of a favorite") { $0.isFavorite = true } }
        for tag in entry.tags { attempt("the tag \(tag)") { $0.addedTags = [tag] } }
        for address in entry.addresses { add(address) }
        for field in entry.fields { add(field) }
    }

    private mutating func add(_ address: Entry.Address) {
        let name = ItemExtra.address(address.text).valueName
        let rule = "the rule \(address.match) of the address \(address.text)"
        // An item has one rule for each address: the first of the file.
        if let present = item.extras[name] {
            if present != Array(address.match.utf8) { note(.partNotHeld, rule) }
            return
        }
        let match = AddressMatch(rawValue: address.match)
        let isKnown = AddressMatch.known.contains(match)
        let isKept =
            isKnown
            || (ItemEdit.isLine(address.match)
                && address.match.utf8.count <= ItemLimits.nameBytesMax)
        let added = PersonalItem.Address(address.text, isKept ? match : .exact)
        attempt("the address \(address.text)") { $0.addedAddresses = [added] }
        guard !isKnown, item.extras[name] != nil else { return }
        guard isKept else { return note(.partNotHeld, rule) }
        note(.otherForm, rule, "is not known here, and means the exact address")
    }

    private mutating func add(_ field: Entry.Field) {
        let kind = ItemField.Kind(rawValue: field.kind)
        func edit(_ kind: ItemField.Kind) -> ItemEdit {
            var edit = ItemEdit()
            edit.checksKeys = false
            edit.fields = [.init(ItemField(name: field.name, kind: kind, value: field.value))]
            return edit
        }
        do throws(ItemEditError) {
            let changes = try edit(kind).changes(of: PersonalItem(item))
            item.extras.change(changes)
        } catch .wrongValue where !field.isHidden {
            // A date or number in another form stays as text.
            note(.otherForm, "the field \(field.name)", "is text, not a \(field.kind)")
            attempt("the field \(field.name)", edit(.text))
        } catch {
            note(.itemFull, "the field \(field.name)", error.sentence)
        }
    }

    private mutating func attempt(_ part: String, _ set: (inout ItemEdit) -> Void) {
        var edit = ItemEdit()
        set(&edit)
        attempt(part, edit)
    }

    private mutating func attempt(_ part: String, _ edit: ItemEdit) {
        do throws(ItemEditError) {
            let changes = try edit.changes(of: PersonalItem(item))
            item.extras.change(changes)
        } catch {
            note(.itemFull, part, error.sentence)
        }
    }

    // MARK: Values

    /// The values that an item has or had, by their names: secret, title, note and fields.
    static func values(of item: Item) -> [ValueName: [UInt8]] {
        var values: [ValueName: [UInt8]] = [:]
        if let secret = item.secret { values[.secret] = secret }
        for (name, attribute) in [(ValueName.title, AttributeName.label), (.note, .comment)] {
            if case .string(let text) = item.attributes[attribute], !text.isEmpty {
                values[name] = Array(text.utf8)
            }
        }
        for (name, value) in item.extras {
            if case .field = ItemExtra(name) { values[name] = value }
        }
        return values
    }
}

extension ItemChanges {
    /// Sets one of the values of ``EntryItem/values(of:)``; nil removes it.
    mutating func set(_ name: ValueName, _ value: [UInt8]?) {
        switch name {
        case .secret: secret = value ?? []
        case .title, .note:
            let attribute: AttributeName = name == .title ? .label : .comment
            if let value {
                attributes[attribute] = .string(String(decoding: value, as: UTF8.self))
            } else {
                removed.insert(attribute)
            }
        default: extras.updateValue(value, forKey: name)
        }
    }

    var isEmpty: Bool {
        attributes.isEmpty && removed.isEmpty && secret == nil && extras.isEmpty
    }
}

extension Item {
    /// The item after changes.
    func changed(by changes: ItemChanges) -> Item {
        var after = self
        after.attributes.merge(changes.attributes) { $1 }
        for name in changes.removed { after.attributes[name] = nil }
        after.secret = changes.secret ?? secret
        after.extras.change(changes.extras)
        return after
    }
}
