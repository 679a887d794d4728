internal import GRDB
internal import KSAgent
internal import KSKeychain
internal import KSKeychainFiles
internal import KSKeychainRecords
internal import KSPersonalItems
internal import KSRecords
internal import KSResolution
internal import KSSyncEngine

// Puts earlier values of an item back, and deleted items.

extension RestoreVersions: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> RestoredVersions {
        let (item, history) = try owner.itemWithHistory(reference)
        let personal = PersonalItem(item)
        guard !versions.isEmpty else { throw ItemStoreError.parameter }
        let wanted = try owner.values(versions, of: history)
        let names = wanted.map(\.value.name)
        guard Set(names).count == names.count else {
            throw RestoringError.oneValueTwice.agentFailure
        }
        let changes = try ItemChanges(puttingBack: wanted.map(\.value), into: personal)
        let values = wanted.map { number, value in
            RestoredVersions.Value(
                version: number,
                name: value.name.spoken(secretName: personal.secretName),
                time: value.milliseconds.map(AgentDate.init(milliseconds:)),
                device: value.device,
                isUnchanged: !changes.sets(value.name)
            )
        }
        guard !values.allSatisfy(\.isUnchanged) else { return RestoredVersions(values) }
        do throws(ItemStoreError) {
            try owner.keychain.update(KeychainQuery(exactly: item, access: caller.access), changes)
        } catch .dataTooLarge {
            throw ItemEditError.recordTooLarge.agentFailure
        }
        return RestoredVersions(values)
    }
}

extension ForgetVersions: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> ForgottenVersions {
        let (item, history) = try owner.itemWithHistory(reference)
        let title = PersonalItem(item).title
        let wanted = try owner.values(versions, of: history)
        guard wanted.allSatisfy({ $0.value.standing == .superseded }) else {
            throw RestoringError.isInConflict(title).agentFailure
        }
        let conflicts = history.earlierValues.count { $0.standing == .conflict }
        let deleted =
            try versions.isEmpty
            ? owner.keychain.deletedCount(like: item, forgets: isCarriedOut) : 0
        let count = try owner.outbox.map { outbox in
            try owner.files.database.write { database in
                try outbox.forget(
                    item,
                    in: database,
                    isCarriedOut: isCarriedOut,
                    isWhole: versions.isEmpty
                ) { past in
                    guard !past.name.isAboutWrites else { return false }
                    return versions.isEmpty
                        || wanted.contains { _, wanted in
                            wanted.name == past.name && wanted.value == past.value
                        }
                }
            }
        }
        return ForgottenVersions(
            count: Int64(count ?? 0),
            conflicts: Int64(conflicts),
            deletedItems: Int64(deleted)
        )
    }
}

extension KeychainOwner {
    /// The item of a reference, with its history.
    fileprivate func itemWithHistory(_ reference: [UInt8]) throws -> (Item, RecordHistory) {
        let item = try item(reference)
        guard let history = try history(of: item) else {
            throw RestoringError.noHistory(PersonalItem(item).title, isSynced: item.isSynced)
                .agentFailure
        }
        return (item, history)
    }

    /// The values that the numbers stand for that a command has shown last.
    fileprivate func values(
        _ versions: [Int64],
        of history: RecordHistory
    ) throws -> [(number: Int64, value: EarlierValue)] {
        try versions.map { number in
            do throws(ShownVersionError) {
                return (number, try shownVersions.value(of: number, in: history))
            } catch {
                throw RestoringError.version(error, number, PersonalItem(history.item).title)
                    .agentFailure
            }
        }
    }
}

extension ItemChanges {
    /// The changes that make earlier values the current ones; values that are current are left out.
    fileprivate init(puttingBack values: [EarlierValue], into item: PersonalItem) throws {
        self.init()
        var extras: [ValueName: [UInt8]] = [:]
        for value in values {
            if value.name == .secret {
                if value.value != item.item.secret { secret = value.value }
            } else if value.name.isField {
                guard let name = AttributeName(value.name.name) else { continue }
                let attribute = try AttributeValue(decoding: value.value)
                if item.item.attributes[name] != attribute { attributes[name] = attribute }
            } else {
                extras[value.name] = value.value
            }
        }
        if let title = attributes[.label], item.isNamedByTitle { attributes[.service] = title }
        self.extras = try ItemEdit.putting(back: extras, into: item)
    }

    /// Whether a value of this name is among the changes.
    fileprivate func sets(_ name: ValueName) -> Bool {
        if name == .secret { return secret != nil }
        if name.isField { return AttributeName(name.name).map { attributes[$0] != nil } ?? false }
        return extras[name] != nil
    }
}

extension FindItemOfCode: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> ItemList {
        guard let code = ItemCode(parsing: code), let keys = owner.keys else {
            return ItemList([])
        }
        let histories = try owner.files.database.unsafeRead { database in
            let shelf = RecordShelf(rows: keys.rows)
            return try shelf.records(of: .keychain, beginning: code.bytes, in: database)
                .compactMap { try shelf.history(of: $0, in: database) }
        }
        let items = try histories.compactMap { try owner.stored($0.item) }
        return ItemList(items.map { ListedItem(PersonalItem($0)) })
    }
}

extension KeychainOwner {
    /// The synchronized item with the key of this one.
    fileprivate func stored(_ item: Item) throws(ItemStoreError) -> Item? {
        let key = item.attributes.filter { name, _ in item.itemClass[name]?.isInPrimaryKey == true }
        let query = KeychainQuery(
            item.itemClass,
            attributes: key,
            synchronizable: .yes,
            access: KeychainFile.access
        )
        return try keychain.find(query).items.first { $0.isSynced && $0.key == item.key }
    }
}

// MARK: Deleted items

extension ListDeletedItems: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> DeletedItemList {
        let deleted = try owner.keychain.deletedItems()
        let ownName = owner.device?.names.device
        return DeletedItemList(
            deleted.items.map { ListedDeletion($0, ownName: ownName) },
            unreadableCount: Int64(deleted.unreadableCount)
        )
    }
}

extension RestoreDeletedItem: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> ListedItem {
        let deleted = try owner.keychain.deletedItems().items.first { $0.id == id }
        guard let deleted else { throw ItemStoreError.itemNotFound }
        let personal = PersonalItem(deleted.item)
        do throws(ItemStoreError) {
            return ListedItem(PersonalItem(try owner.keychain.restoreDeleted(id)))
        } catch .duplicateItem {
            throw RestoringError.exists(personal).agentFailure
        } catch .dataTooLarge {
            throw ItemEditError.recordTooLarge.agentFailure
        }
    }
}

extension ListedDeletion {
    init(_ deleted: DeletedItem, ownName: String? = nil) {
        let personal = PersonalItem(deleted.item)
        var name: String?
        switch deleted.device {
        case .thisOne: name = ownName
        case .other(let other): name = other
        case .unknown: break
        }
        self.init(
            id: deleted.id,
            code: ItemCode(deletion: deleted.id).text,
            type: personal.type.rawValue,
            title: personal.title,
            userName: personal.userName,
            place: personal.shownPlace,
            isSynced: deleted.item.isSynced,
            deleted: AgentDate(secondsSince2001: deleted.seconds),
            device: name,
            isOfThisDevice: deleted.device == .thisOne
        )
    }
}

/// Why nothing was put back.
private enum RestoringError {
    case noHistory(String, isSynced: Bool)
    case version(ShownVersionError, Int64, String)
    case oneValueTwice
    case isInConflict(String)
    case exists(PersonalItem)

    /// The sentence for the person, under one of Apple's statuses.
    var agentFailure: AgentFailure {
        let error: ItemStoreError =
            switch self {
            case .noHistory, .version(.noVersions, _, _), .version(.noSuchNumber, _, _),
                .version(.isGone, _, _):
                .itemNotFound
            case .exists: .duplicateItem
            case .oneValueTwice, .isInConflict, .version(.notShown, _, _): .parameter
            }
        return AgentFailure(code: error.status, status: "", hint: sentence)
    }

    private var sentence: String {
        switch self {
        case .noHistory(let title, let isSynced):
            isSynced
                ? "\(title) has no history: it begins when this device has an account"
                : "\(title) has no history: only synced items have one"
        case .version(let error, let number, let title): error.sentence(number, title)
        case .oneValueTwice: "two of the versions are of the same value; nothing was changed"
        case .isInConflict(let title):
            "one of them is in conflict with a present value of \(title) and not superseded yet;"
                + " set the value once more or put it back; nothing was forgotten"
        case .exists(let item):
            "there is an item for \(item.place)"
                + (item.userName.isEmpty ? "" : " with the user name \(item.userName)")
                + " now; give that another one (keychain edit) or delete it, then restore again"
        }
    }
}

extension ShownVersionError {
    fileprivate func sentence(_ number: Int64, _ title: String) -> String {
        switch self {
        case .notShown:
            "the history of \(title) was not shown since the daemon started or the device was"
                + " locked, and numbers may have changed; look at it first: keychain history"
        case .noVersions: "\(title) has no earlier values"
        case .noSuchNumber(let count):
            "\(title) has no version \(number); keychain history shows them, 1 to \(count)"
        case .isGone:
            "version \(number) of \(title) is not in its history any more, which has changed since"
                + " it was shown; look at it again: keychain history"
        }
    }
}
