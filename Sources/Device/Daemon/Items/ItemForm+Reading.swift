internal import KSOneTimeCodes
internal import KSAgent
internal import KSImporting
internal import KSKeychain
internal import KSKeychainFiles
internal import KSMatching
internal import KSPersonalItems

// Turns what a person fills in into Apple's attributes and the item's extras.

extension Item {
    /// A new item, still without extras.
    ///
    /// A login at a site is an internet password, as browsers and imports make it; all else is a
    /// generic password whose service is the title.
    init(_ form: ItemForm, isSynced: Bool) throws {
        let place = form.place.flatMap { $0.isEmpty ? nil : $0 }
        let title = form.title ?? place.map { WebSite($0)?.server ?? $0 } ?? ""
        guard !title.isEmpty else { throw ItemEditError.noTitle.agentFailure }
        let isLogin = form.type.map { $0 == ItemType.login.rawValue } ?? true
        if isLogin, let place { try PersonalItem.checkSite(place) }
        try PersonalItem.checkLine(title, "a title")
        try PersonalItem.checkLine(form.userName ?? "", "a user name")
        var attributes: [AttributeName: AttributeValue] = [
            .accessGroup: .string(KeychainFile.group), .label: .string(title),
            .account: .string(form.userName ?? ""), .synchronizable: .boolean(isSynced),
        ]
        if let note = form.note, !note.isEmpty { attributes[.comment] = .string(note) }
        if isLogin, let site = place.flatMap(WebSite.init) {
            attributes.merge(site.attributes) { $1 }
            attributes[.authenticationType] = .string("dflt")
            attributes[.path] = .string("")
            self.init(.internetPassword, attributes: attributes, secret: form.secret)
        } else {
            attributes[.service] = .string(place ?? title)
            self.init(.genericPassword, attributes: attributes, secret: form.secret)
        }
    }
}

extension PersonalItem {
    /// Checks that a text can be the site of a login.
    fileprivate static func checkSite(_ text: String) throws {
        guard AddressText.isAddress(text) else { throw ItemEditError.noAddress(text).agentFailure }
    }

    fileprivate static func checkLine(_ text: String, _ what: String) throws {
        guard ItemEdit.isLine(text) else { throw ItemEditError.unusable(what).agentFailure }
    }
}

extension WebSite {
    fileprivate var attributes: [AttributeName: AttributeValue] {
        [
            .server: .string(server), .networkProtocol: .string(protocolCode),
            .port: .integer(Int64(port)),
        ]
    }
}

extension PersonalItem {
    /// Whether its service is its title, as of a note, card or key: references name it by that.
    ///
    /// A login's service stays when its title changes, since programs may look for it.
    var isNamedByTitle: Bool {
        item.itemClass == .genericPassword && place == title
            && ![.login, .password].contains(type)
    }
}

extension ItemForm {
    /// The attributes that it changes.
    func attributes(of item: PersonalItem) throws -> [AttributeName: AttributeValue] {
        var attributes: [AttributeName: AttributeValue] = [:]
        if let title {
            guard !title.isEmpty || !(place ?? item.place).isEmpty else {
                throw ItemEditError.noTitle.agentFailure
            }
            try PersonalItem.checkLine(title, "a title")
            attributes[.label] = .string(title)
        }
        if let userName {
            try PersonalItem.checkLine(userName, "a user name")
            attributes[.account] = .string(userName)
        }
        if let note, !note.isEmpty { attributes[.comment] = .string(note) }
        guard let place else { return attributes }
        guard !place.isEmpty else { throw ItemEditError.noTitle.agentFailure }
        if item.item.itemClass == .genericPassword {
            attributes[.service] = .string(place)
        } else if let site = WebSite(place) {
            attributes.merge(site.attributes) { $1 }
        } else {
            try PersonalItem.checkSite(place)
            attributes[.server] = .string(place)
        }
        return attributes
    }

    /// Lets the service of an item follow its title, where it was made of it.
    mutating func moveService(of item: PersonalItem) {
        guard let title, !title.isEmpty, place == nil, item.isNamedByTitle else { return }
        place = title
    }

    var removedAttributes: Set<AttributeName> { note?.isEmpty == true ? [.comment] : [] }

    /// Adds a field with the secret that another one replaces.
    mutating func keep(_ secret: [UInt8], of item: PersonalItem) {
        let base = "earlier \(item.secretName)"
        var name = base
        var number = 2
        while item.field(name) != nil {
            name = "\(base) \(number)"
            number += 1
        }
        let kind = String(validating: secret, as: UTF8.self) == nil ? ItemField.Kind.file : .secret
        fields = (fields ?? []) + [Field(name: name, kind: kind.rawValue, value: secret)]
    }
}

extension ItemEdit {
    init(_ form: ItemForm, of item: PersonalItem) throws {
        self.init()
        if let type = form.type, type != item.type.rawValue { self.type = ItemType(rawValue: type) }
        isFavorite = form.isFavorite
        addedTags = form.addedTags ?? []
        // Lists and the editor have commas between tags.
        if let tag = addedTags.first(where: { $0.contains(",") && !item.tags.contains($0) }) {
            throw ItemEditError.tagWithComma(tag).agentFailure
        }
        removedTags = form.removedTags ?? []
        removedAddresses = form.removedAddresses ?? []
        removedFields = form.removedFields ?? []
        addedAddresses = try (form.addedAddresses ?? []).map { address in
            let given = PersonalItem.Address(address.text, AddressMatch(rawValue: address.match))
            // The item may have a rule of a newer program.
            guard AddressMatch.known.contains(given.match) || item.addresses.contains(given) else {
                throw ItemEditError.wrongMatch(address.match).agentFailure
            }
            return given
        }
        // A server has no path: what says more than the site is an address, too.
        if item.item.itemClass == .internetPassword, let place = form.place,
            WebSite(place)?.hasMore == true, !addedAddresses.contains(where: { $0.text == place })
        {
            addedAddresses.insert(PersonalItem.Address(place), at: 0)
        }
        fields = try (form.fields ?? []).map { given in
            guard let kind = given.kind.map(ItemField.Kind.init) ?? item.field(given.name)?.kind
            else { throw ItemEditError.noFieldToSet(given.name).agentFailure }
            var field = ItemField(name: given.name, kind: kind, value: given.value)
            if kind == .oneTimeCode { field.value = Array(try field.oneTimeCode().url.utf8) }
            return FieldChange(field, before: given.before)
        }
    }
}

extension ItemEditError {
    /// The sentence for the person who edits, under one of Apple's statuses.
    var agentFailure: AgentFailure {
        let error: ItemStoreError =
            switch self {
            case .noSuchField, .noFieldToSet, .noOneTimeCode: .itemNotFound
            case .exists: .duplicateItem
            default: .parameter
            }
        return AgentFailure(code: error.status, status: "", hint: sentence)
    }
}
