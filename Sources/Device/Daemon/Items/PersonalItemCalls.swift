internal import KSAgent
internal import KSKeychain
internal import KSKeychainFiles
internal import KSKeychainRecords
internal import KSPersonalItems

// Lists, shows, makes, changes and deletes items of the home's keychain as people see them.

extension ListItems: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ItemList {
        try await daemon.lookUps.list(self)
    }
}

extension ShowItem: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> ShownItem {
        let item = try owner.item(reference)
        return try owner.shown(PersonalItem(item), showsSecrets: showsSecrets)
    }
}

extension MakeItem: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> ListedItem {
        var item = try Item(form, isSynced: isSynced)
        let edit = try ItemEdit(form, of: PersonalItem(item))
        item.extras.change(try edit.changes(of: PersonalItem(item)))
        guard isTrial != true else { return ListedItem(PersonalItem(item)) }
        do throws(ItemStoreError) {
            return ListedItem(PersonalItem(try owner.keychain.add(item, access: caller.access)))
        } catch .duplicateItem {
            let there = PersonalItem(item)
            throw ItemEditError.exists(place: there.place, user: there.userName).agentFailure
        }
    }
}

extension ChangeItem: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> ListedItem {
        let item = try owner.item(reference)
        guard item.itemClass.isPassword else { throw ItemEditError.isNoPassword.agentFailure }
        let personal = PersonalItem(item)
        var form = form
        form.moveService(of: personal)
        var changes = ItemChanges(attributes: try form.attributes(of: personal))
        changes.removed = form.removedAttributes
        if let secret = form.secret, secret != item.secret { changes.secret = secret }
        if form.keepsSecret == true, let earlier = item.secret, changes.secret != nil,
            owner.keys == nil || !item.isSynced
        {
            form.keep(earlier, of: personal)
        }
        changes.extras = try ItemEdit(form, of: personal).changes(of: personal)
        guard !changes.changesNothing(in: item) else { return ListedItem(personal) }
        let query = KeychainQuery(exactly: item, access: caller.access)
        do throws(ItemStoreError) {
            try owner.keychain.update(query, changes)
        } catch .duplicateItem {
            throw ItemEditError.exists(
                place: form.place ?? personal.place,
                user: form.userName ?? personal.userName
            ).agentFailure
        } catch .dataTooLarge {
            throw ItemEditError.recordTooLarge.agentFailure
        }
        return ListedItem(PersonalItem(try owner.item(reference)))
    }
}

extension RemoveItem: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> AgentNothing {
        let item = try owner.item(reference)
        try owner.keychain.delete(KeychainQuery(exactly: item, access: caller.access))
        return AgentNothing()
    }
}

extension KeychainOwner {
    /// The item of a reference, with all that it has.
    func item(_ reference: [UInt8]) throws -> Item {
        let query = KeychainQuery(
            try KeychainQuery.itemClass(ofReference: reference),
            persistentReference: reference,
            synchronizable: .any,
            access: KeychainFile.access,
            limit: 1,
            wantsSecret: true,
            wantsExtras: true
        )
        guard let item = try keychain.find(query).items.first else {
            throw ItemStoreError.itemNotFound
        }
        return item
    }

    fileprivate func shown(_ personal: PersonalItem, showsSecrets: Bool) throws -> ShownItem {
        let item = personal.item
        let history = try history(of: item)
        var shown = ShownItem(
            reference: personal.reference,
            code: history.map { ItemCode($0.id).text },
            class: item.itemClass.rawValue,
            type: personal.type.rawValue,
            title: personal.title,
            userName: personal.userName,
            place: personal.shownPlace,
            note: personal.note,
            hasSecret: item.secret?.isEmpty == false,
            secret: showsSecrets ? item.secret : nil,
            byteCount: item.itemClass.isPassword ? nil : Int64(item.secret?.count ?? 0),
            tags: personal.tags,
            addresses: personal.addresses.map { .init(text: $0.text, match: $0.match.rawValue) },
            fields: personal.fields.map { ShownItem.Field($0, showsHidden: showsSecrets) },
            isFavorite: personal.isFavorite,
            isSynced: item.isSynced,
            historyCount: Int64(history?.earlierCount ?? 0),
            conflicts: history?.conflictNames(secretName: personal.secretName) ?? [],
            created: item.attributes[.creationDate].flatMap(AgentDate.init),
            changed: item.attributes[.modificationDate].flatMap(AgentDate.init)
        )
        (shown.scheme, shown.path, shown.realm) = (personal.scheme, personal.path, personal.realm)
        return shown
    }
}

extension RecordHistory {
    fileprivate var earlierCount: Int {
        versions.count { $0.standing != .current } + attributeConflicts.count + otherVersions.count
    }

    /// What was changed on two devices at once, as people call it; nothing that a command has
    /// shown already.
    fileprivate func conflictNames(secretName: String) -> [String] {
        guard hasUnseenConflict else { return [] }
        let secret = versions.contains { $0.standing == .conflict } ? [secretName] : []
        let others = otherVersions.filter { $0.standing == .conflict }
            .map { $0.name.spoken(secretName: secretName) }
        return secret + attributeConflicts.map(\.name.spoken) + others
    }
}

extension AttributeName {
    /// What people call an attribute; its four letters if they have no word for it.
    var spoken: String {
        switch self {
        case .account: "user name"
        case .label: "title"
        case .comment: "note"
        case .server, .service: "place"
        default: text
        }
    }
}

extension ShownItem.Field {
    fileprivate init(_ field: ItemField, showsHidden: Bool) {
        let isHidden = !field.kind.isVisible
        self.init(
            name: field.name,
            kind: field.kind.rawValue,
            value: isHidden && !showsHidden ? nil : field.value,
            byteCount: Int64(field.value.count),
            isHidden: isHidden
        )
    }
}

extension AgentDate {
    fileprivate init?(_ value: AttributeValue) {
        guard case .date(let seconds) = value else { return nil }
        self.init(secondsSince2001: seconds)
    }
}

extension ItemChanges {
    /// Whether an item has all of it already, so that no device has to hear of it.
    fileprivate func changesNothing(in item: Item) -> Bool {
        secret == nil && extras.isEmpty && removed.allSatisfy { item.attributes[$0] == nil }
            && attributes.allSatisfy { item.attributes[$0.key] == $0.value }
    }
}
