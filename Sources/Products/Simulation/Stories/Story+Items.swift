internal import KSKeychain
internal import KSKeychainRecords
internal import KSPersonalItems
internal import KSRecords
internal import KSResolution

// The items of a device, each a password of a site or service. An item has the name of its place;
// `USER@PLACE` names one of several.

extension Story.Device {
    /// Adds an item.
    ///
    /// - Parameters:
    ///   - item: its place, such as a site, or `USER@PLACE`.
    ///   - password: its password.
    /// - Throws: ``StoryError/itemExists(_:device:)`` if there is one.
    public func add(_ item: String, password: String) throws {
        let name = ItemName(item)
        try act("adds \(item)") {
            do {
                _ = try device.keychain.add(
                    Item(
                        .genericPassword,
                        attributes: [
                            .service: .string(name.place), .account: .string(name.user ?? ""),
                            .synchronizable: .boolean(true),
                        ],
                        secret: Array(password.utf8)
                    ),
                    access: Self.access
                )
            } catch ItemStoreError.duplicateItem {
                throw StoryError.itemExists(item, device: self.name)
            }
        }
    }

    /// Changes a field of an item.
    ///
    /// - Parameters:
    ///   - field: `password`, `user`, `note`, `title`, or a field of the item's own, which is added
    ///     if it has none of this name.
    ///   - item: its name.
    ///   - value: the new value.
    /// - Throws: ``StoryError`` for an item that the device does not show, or a value that an item
    ///   cannot hold.
    public func set(_ field: String, of item: String, to value: String) throws {
        try act("sets \(field) of \(item)") {
            let found = try find(item)
            switch FieldName(field) {
            case .secret: try update(found, ItemChanges(secret: Array(value.utf8)))
            case .attribute(let name):
                try update(found, ItemChanges(attributes: [name: .string(value)]))
            case .own(let name):
                var edit = ItemEdit()
                edit.fields = [
                    .init(ItemField(name: name, kind: .text, value: Array(value.utf8)))
                ]
                try update(found, edit)
            }
        }
    }

    /// Removes the note, the title or a field of the item's own.
    public func removeField(_ field: String, of item: String) throws {
        try act("removes \(field) of \(item)") {
            let found = try find(item)
            switch FieldName(field) {
            case .secret, .attribute(.account):
                throw StoryError.refused("every item has a \(field); set it instead")
            case .attribute(let name): try update(found, ItemChanges(removed: [name]))
            case .own(let name):
                var edit = ItemEdit()
                edit.removedFields = [name]
                try update(found, edit)
            }
        }
    }

    /// Gives an item another place.
    public func rename(_ item: String, to place: String) throws {
        try act("renames \(item) to \(place)") {
            try update(try find(item), ItemChanges(attributes: [.service: .string(place)]))
        }
    }

    /// Deletes an item.
    public func delete(_ item: String) throws {
        try act("deletes \(item)") {
            let found = try find(item)
            _ = try device.keychain.delete(KeychainQuery(exactly: found, access: Self.access))
        }
    }

    /// Makes an item again that was deleted within 30 days, here or elsewhere.
    public func restore(_ item: String) throws {
        let name = ItemName(item)
        try act("restores \(item)") {
            let deleted = try device.keychain.deletedItems().items.first {
                name.matches(PersonalItem($0.item))
            }
            guard let deleted else { throw StoryError.notDeleted(item, device: self.name) }
            do {
                _ = try device.keychain.restoreDeleted(deleted.id)
            } catch ItemStoreError.duplicateItem {
                throw StoryError.itemExists(item, device: self.name)
            }
        }
    }

    // MARK: Questions

    /// The items that the device shows: their places, as `USER@PLACE` where an item has a user.
    public func items() throws -> [String] {
        try checkRuns()
        return try story.reporting(device) { try found([:]).map { ItemName($0).text }.sorted() }
    }

    /// Whether the device shows an item of this name.
    public func shows(_ item: String) throws -> Bool { try ask { try !named(item).isEmpty } }

    /// The fields of an item that have a value: as for ``set(_:of:to:)``.
    public func fields(of item: String) throws -> [String] {
        try ask {
            let found = try PersonalItem(find(item))
            let common = ["password", "user", "note", "title"].filter {
                FieldName($0).text(in: found.item)?.isEmpty == false
            }
            return common + found.fields.map(\.name)
        }
    }

    /// What the device shows of a field, named as for ``set(_:of:to:)``; nil if the item has none.
    public func value(_ field: String = "password", of item: String) throws -> String? {
        try ask { try FieldName(field).text(in: find(item)) }
    }

    /// The values of a field that were set at the same time as the shown one, newest first.
    public func conflicts(_ field: String = "password", of item: String) throws -> [StoryVersion] {
        try versions(of: item, field, .conflict)
    }

    /// The values of a field that later ones have replaced, newest first.
    public func history(_ field: String = "password", of item: String) throws -> [StoryVersion] {
        try versions(of: item, field, .superseded)
    }

    /// The device that set the shown value of a field; nil if that is unknown.
    public func writer(_ field: String = "password", of item: String) throws -> String? {
        try ask {
            let name = FieldName(field).valueName
            let view = try device.replica.localRecord(of: find(item).key).view
            guard let shown = view.candidates(for: name).last, let value = shown.value else {
                return nil
            }
            return RecordAuthors(of: view).author(of: name, value, shown.stamp).device
        }
    }

    /// Whether the item is here although another device has deleted what it knew of it.
    public func isDeletedElsewhere(_ item: String) throws -> Bool {
        try ask { try device.replica.history(of: find(item).key)?.isDeletedElsewhere ?? false }
    }

    private func versions(
        of item: String,
        _ field: String,
        _ standing: RecordHistory.Version.Standing
    ) throws -> [StoryVersion] {
        try ask {
            let name = FieldName(field)
            let values = try device.replica.history(of: find(item).key)?.earlierValues ?? []
            return values.filter { $0.name == name.valueName && $0.standing == standing }.map {
                StoryVersion(value: name.text(of: $0.value), device: $0.device)
            }
        }
    }

    // MARK: Finding

    static var access: CallerAccess { .groups([SimulatedDevice.group]) }

    func ask<Result>(_ body: () throws -> Result) throws -> Result {
        try checkRuns()
        return try story.reporting(device, body)
    }

    private func found(_ attributes: [AttributeName: AttributeValue]) throws -> [Item] {
        do {
            return try device.keychain.find(
                KeychainQuery(
                    .genericPassword,
                    attributes: attributes,
                    synchronizable: .yes,
                    access: Self.access,
                    wantsSecret: true,
                    wantsExtras: true
                )
            ).items
        } catch ItemStoreError.itemNotFound {
            return []
        }
    }

    /// The items of this name.
    private func named(_ item: String) throws -> [Item] {
        let name = ItemName(item)
        return try found([.service: .string(name.place)]).filter { name.matches(PersonalItem($0)) }
    }

    private func find(_ item: String) throws -> Item {
        let found = try named(item)
        switch found.count {
        case 0: throw StoryError.noItem(item, device: self.name, shown: try items())
        case 1: return found[0]
        default:
            let names = found.map { ItemName($0).text }
            throw StoryError.severalItems(item, device: self.name, shown: names)
        }
    }

    private func update(_ item: Item, _ edit: ItemEdit) throws {
        let changes: [ValueName: [UInt8]?]
        do throws(ItemEditError) {
            changes = try edit.changes(of: PersonalItem(item))
        } catch {
            throw StoryError.refused(error.sentence)
        }
        try update(item, ItemChanges(extras: changes))
    }

    private func update(_ item: Item, _ changes: ItemChanges) throws {
        do {
            _ = try device.keychain.update(
                KeychainQuery(exactly: item, access: Self.access),
                changes
            )
        } catch ItemStoreError.duplicateItem {
            throw StoryError.itemExists(ItemName(item, changes).text, device: name)
        }
    }
}

/// A value that is not shown, or is not shown any more.
public struct StoryVersion: Equatable, Sendable {
    /// The value.
    public let value: String
    /// The device that set it; nil if that is unknown.
    public let device: String?

    /// A value, and the device that set it.
    public init(value: String, device: String?) { (self.value, self.device) = (value, device) }
}

/// How a story names an item: `PLACE` or `USER@PLACE`.
private struct ItemName {
    let place: String
    /// Nil for any user.
    let user: String?

    init(_ text: String) {
        let at = text.lastIndex(of: "@")
        place = at.map { String(text[text.index(after: $0)...]) } ?? text
        user = at.map { String(text[..<$0]) }
    }

    init(_ item: Item, _ changes: ItemChanges = ItemChanges()) {
        let changed = Item(
            item.itemClass,
            attributes: item.attributes.merging(changes.attributes) { $1 }
        )
        (place, user) = (PersonalItem(changed).place, PersonalItem(changed).userName)
    }

    var text: String { user.map { $0.isEmpty ? place : "\($0)@\(place)" } ?? place }

    func matches(_ item: PersonalItem) -> Bool {
        item.place == place && (user == nil || item.userName == user)
    }
}

/// The field of an item that a story names.
private enum FieldName {
    case secret
    case attribute(AttributeName)
    case own(String)

    init(_ name: String) {
        self =
            switch name {
            case "password": .secret
            case "user": .attribute(.account)
            case "note": .attribute(.comment)
            case "title": .attribute(.label)
            default: .own(name)
            }
    }

    var valueName: ValueName {
        switch self {
        case .secret: .secret
        case .attribute(let name): .field(name.text)
        case .own(let name): ItemExtra.field(name).valueName
        }
    }

    /// What an item shows of it; nil for nothing.
    func text(in item: Item) -> String? {
        switch self {
        case .secret: item.secret.map { String(decoding: $0, as: UTF8.self) }
        case .attribute(let name): item.attributes[name].map { text(of: $0.encoded) }
        case .own: item.extras[valueName].map(text(of:))
        }
    }

    /// The text of a stored value.
    func text(of bytes: [UInt8]) -> String {
        switch self {
        case .secret: return String(decoding: bytes, as: UTF8.self)
        case .attribute:
            // Stories write only texts; another value has none.
            guard case .string(let text)? = try? AttributeValue(decoding: bytes) else { return "" }
            return text
        case .own:
            let content = ItemField.Content(decoding: bytes)
            return String(decoding: content?.bytes ?? [], as: UTF8.self)
        }
    }
}
