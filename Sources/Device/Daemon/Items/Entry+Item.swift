internal import KSDigests
internal import KSKeychain
internal import KSKeychainFiles
internal import KSKeychainRecords
internal import KSMoving
internal import KSPersonalItems
internal import KSResolution

// Items as entries of a file, and entries as items.

extension Entry {
    /// Attributes that stand elsewhere in an entry, or that a keychain makes itself.
    private static let ownAttributes: Set<AttributeName> = [
        .creationDate, .modificationDate, .synchronizable, .digest, .tombstone, .multiUser,
    ]

    /// An item with everything, and its earlier values.
    init(_ personal: PersonalItem, history: RecordHistory?) {
        self.init()
        let item = personal.item
        type = personal.type.rawValue
        itemClass = item.itemClass.rawValue
        secret = item.secret
        isSynced = item.isSynchronizable
        isFavorite = personal.isFavorite
        tags = personal.tags
        addresses = personal.addresses.map { address in
            let rule = item.extras[ItemExtra.address(address.text).valueName] ?? []
            return .init(address.text, String(decoding: rule, as: UTF8.self))
        }
        fields = personal.fields.map { .init($0.name, $0.kind.rawValue, $0.value) }
        var rest = item.attributes.filter { !Self.ownAttributes.contains($0.key) }
        func take(_ name: AttributeName) -> String? {
            guard case .string(let text) = rest[name], !text.isEmpty else { return nil }
            rest[name] = nil
            return text
        }
        title = take(.label) ?? ""
        note = take(.comment) ?? ""
        if item.itemClass.isPassword {
            userName = take(.account) ?? ""
            place = take(item.itemClass == .internetPassword ? .server : .service) ?? ""
            realm = take(.securityDomain)
        }
        attributes = rest.sorted { $0.key < $1.key }.map { Attribute($0, $1) }
        created = item.attributes[.creationDate]?.milliseconds
        changed = personal.sourceMilliseconds
        self.history = history.map(Earlier.all) ?? []
    }
}

extension AttributeValue {
    private static let secondsFrom1970To2001 = 978_307_200.0

    /// A date in milliseconds since 1970; nil for anything else.
    var milliseconds: Int64? {
        guard case .date(let seconds) = self else { return nil }
        return Int64(exactly: ((seconds + Self.secondsFrom1970To2001) * 1000).rounded())
    }

    init(milliseconds: Int64) {
        self = .date(Double(milliseconds) / 1000 - Self.secondsFrom1970To2001)
    }
}

extension Entry.Attribute {
    init(_ name: AttributeName, _ value: AttributeValue) {
        self.init(name.text)
        switch value {
        case .string(let text): self.text = text
        case .data(let bytes): data = bytes
        case .integer(let number): integer = number
        case .date(let seconds): date = "\(seconds)"
        }
    }

    /// Nil for what no item has.
    var named: (name: AttributeName, value: AttributeValue)? {
        guard let name = AttributeName(name) else { return nil }
        if let text { return (name, .string(text)) }
        if let data { return (name, .data(data)) }
        if let integer { return (name, .integer(integer)) }
        return date.flatMap(Double.init).map { (name, .date($0)) }
    }
}

extension Entry.Earlier {
    /// The earlier and concurrent values of secret, title, note and fields.
    static func all(of history: RecordHistory) -> [Entry.Earlier] {
        let secrets = history.versions.filter { $0.standing != .current }.map { version in
            Entry.Earlier(
                value: version.secret,
                time: version.milliseconds.flatMap { Int64(exactly: $0) }
            )
        }
        return secrets
            + history.otherVersions.compactMap { version in
                let time = version.milliseconds.flatMap { Int64(exactly: $0) }
                if case .field(let name) = ItemExtra(version.name) {
                    return ItemField.Content(decoding: version.value).map { content in
                        Entry.Earlier(
                            "field",
                            name: name,
                            kind: content.kind.rawValue,
                            value: content.bytes,
                            time: time
                        )
                    }
                }
                let what = version.name == .title ? "title" : version.name == .note ? "note" : nil
                guard let what,
                    // A value of a newer program is left out.
                    case .string(let text)? = try? AttributeValue(decoding: version.value)
                else { return nil }
                return Entry.Earlier(what, value: Array(text.utf8), time: time)
            }
    }

    /// The name of the value in an item, and the value as it is stored there.
    var stored: (name: ValueName, value: [UInt8]) {
        switch what {
        case "title": (.title, value)
        case "note": (.note, value)
        case "field":
            (
                ItemExtra.field(name).valueName,
                ItemField.Content(ItemField.Kind(rawValue: kind), value).encoded
            )
        default: (.secret, value)
        }
    }

    /// Whether an item of the keychain can have it.
    var isUsable: Bool {
        switch what {
        case "title", "note": String(validating: value, as: UTF8.self) != nil
        case "field": !name.isEmpty && name.utf8.count <= ItemLimits.nameBytesMax
        default: true
        }
    }
}

// MARK: The time of the source

extension PersonalItem {
    /// A mark with the time that a file gave, and a digest of what it gave.
    ///
    /// It counts while nobody has changed the item since: then the file's time says how new the
    /// item is, not the time of the import.
    static let sourceMark = ValueName.source

    /// When the item was changed, in milliseconds since 1970, by the file it came from if it is
    /// still as it was there.
    var sourceMilliseconds: Int64? {
        if let mark = item.extras[Self.sourceMark],
            case let parts = String(decoding: mark, as: UTF8.self).split(separator: ";"),
            parts.count == 2, parts[1] == contentName, let time = Int64(parts[0])
        {
            return time
        }
        return item.attributes[.modificationDate]?.milliseconds
    }

    /// The mark for a time in milliseconds since 1970.
    func sourceMark(_ milliseconds: Int64) -> [UInt8] {
        Array("\(milliseconds);\(contentName)".utf8)
    }

    /// Names what a file can say of the item: equal contents have equal names.
    private var contentName: String {
        var bytes: [UInt8] = []
        func add(_ part: [UInt8]) {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: part.count >> (8 * $0)) } + part
        }
        for text in [title, userName, note] { add(Array(text.utf8)) }
        add(item.secret ?? [])
        for (name, value) in item.extras.sorted(by: { $0.key < $1.key })
        where name.kind == ValueName.Kind.extra && name != Self.sourceMark {
            add(name.nameBytes)
            add(value)
        }
        return SHA256.hash(bytes).prefix(8).map { String($0, radix: 16) }.joined(separator: ".")
    }
}
