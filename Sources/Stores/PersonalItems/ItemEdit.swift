package import KSKeychain
internal import KSMatching
package import KSResolution

/// What a person changes of an item, in the words of people.
///
/// The changes name what they set and nothing else, so two devices that change different fields
/// while both are offline end with both.
package struct ItemEdit: Sendable {
    /// A field to set; one that stands already keeps its place.
    package struct FieldChange: Sendable {
        package var field: ItemField
        /// The field before which it stands from now on; nil leaves it, or puts a new one last.
        package var before: String?

        package init(_ field: ItemField, before: String? = nil) {
            self.field = field
            self.before = before
        }
    }

    package var type: ItemType?
    package var isFavorite: Bool?
    package var addedTags: [String] = []
    package var removedTags: [String] = []
    package var addedAddresses: [PersonalItem.Address] = []
    package var removedAddresses: [String] = []
    package var fields: [FieldChange] = []
    package var removedFields: [String] = []
    /// False for a file, whose keys are kept even if they have another form.
    package var checksKeys = true

    package init() {}

    /// The names by which people mean what every item has, in lower case.
    private static let commonNames: Set = [
        "title", "user name", "username", "user", "password", "place", "site", "note", "tags",
        "type",
    ]

    /// The changes of the item's extras.
    ///
    /// - Throws: ``ItemEditError`` for what an item cannot hold; nothing is changed then.
    package func changes(of item: PersonalItem) throws(ItemEditError) -> [ValueName: [UInt8]?] {
        var extras = item.item.extras
        var changes: [ValueName: [UInt8]?] = [:]
        func set(_ name: ValueName, _ value: [UInt8]?) {
            guard extras[name] != value else { return }
            extras[name] = value
            // What was taken away may come back at another place.
            if item.item.extras[name] == value {
                changes.removeValue(forKey: name)
            } else {
                changes.updateValue(value, forKey: name)
            }
        }
        func drop(_ extra: ItemExtra) {
            set(extra.valueName, nil)
            set(extra.positionName, nil)
        }
        func place(_ extra: ItemExtra, before next: ItemExtra? = nil) {
            let letter = extra.positionName.nameBytes.first
            let positions = extras.filter {
                $0.key.kind == ValueName.Kind.position && $0.key.nameBytes.first == letter
                    && $0.key != extra.positionName
            }.values.sorted { $0.lexicographicallyPrecedes($1) }
            let upper = next.flatMap { extras[$0.positionName] }
            let lower = positions.last { position in
                upper.map { position.lexicographicallyPrecedes($0) } ?? true
            }
            set(extra.positionName, ItemPosition.between(lower, upper))
        }
        if let type { set(ItemMark.type.extra.valueName, Array(type.rawValue.utf8)) }
        if let isFavorite { set(ItemMark.favorite.extra.valueName, isFavorite ? [1] : nil) }
        for tag in removedTags { drop(.tag(tag)) }
        for tag in addedTags { set(ItemExtra.tag(try Self.checked(tag, "a tag")).valueName, [1]) }
        for text in removedAddresses { drop(.address(text)) }
        for address in addedAddresses {
            let (extra, rule) = try stored(address, in: item)
            set(extra.valueName, rule)
            if extras[extra.positionName] == nil { place(extra) }
        }
        for name in removedFields {
            guard item.field(name) != nil else { throw .noSuchField(name) }
            drop(.field(name))
        }
        for change in fields {
            let field = change.field.inStoredForm
            let extra = ItemExtra.field(try Self.checked(field.name, "a field name"))
            // A field of this name would hide the item's own value wherever names are typed.
            let name = field.name.lowercased()
            let isCommon =
                Self.commonNames.contains(name) || name == "text" && (type ?? item.type) == .note
            guard !isCommon || extras[extra.valueName] != nil else {
                throw .commonName(field.name)
            }
            try field.check(checksKey: checksKeys && (type ?? item.type) == .sshKey)
            set(extra.valueName, ItemField.Content(field.kind, field.value).encoded)
            if let before = change.before {
                place(extra, before: .field(before))
            } else if extras[extra.positionName] == nil {
                place(extra)
            }
        }
        try ItemLimits.check(extras)
        return changes
    }

    /// An address as it is stored: its extra, and the bytes of its rule.
    private func stored(
        _ address: PersonalItem.Address,
        in item: PersonalItem
    ) throws(ItemEditError) -> (ItemExtra, [UInt8]) {
        let extra = ItemExtra.address(try Self.checked(address.text, "an address"))
        guard AddressText.isAddress(address.text) else { throw .noAddress(address.text) }
        guard !addedAddresses.contains(where: { $0.isOther(address) }) else {
            throw .refused("\(address.text) can have one rule only; give it once")
        }
        // The bytes of a rule that this program does not know stay as they are.
        let stored = item.addresses.contains(address) ? item.item.extras[extra.valueName] : nil
        return (extra, stored ?? Array(address.match.rawValue.utf8))
    }

    /// Whether a text has no control characters, which keys such as the arrows leave in a line.
    package static func isLine(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func checked(_ text: String, _ what: String) throws(ItemEditError) -> String {
        guard !text.isEmpty, isLine(text) else { throw .unusable(what) }
        guard text.utf8.count <= ItemLimits.nameBytesMax else { throw .tooLong(what) }
        return text
    }
}

/// How much an item holds beside Apple's attributes.
package enum ItemLimits {
    package static let nameBytesMax = 256
    package static let fieldsMax = 256
    package static let textBytesMax = 64 << 10
    package static let attachmentBytesMax = 1 << 20
    /// All extras of one item together: half of what a record holds, since a concurrent value stays
    /// beside each.
    package static let extrasBytesMax = (5 << 20) / 4

    static func check(_ extras: ItemExtras) throws(ItemEditError) {
        let count = extras.keys.count { name in
            if case .mark = ItemExtra(name) { return false }
            return name.kind == ValueName.Kind.extra
        }
        guard count <= fieldsMax else { throw .tooManyExtras }
        let bytes = extras.reduce(0) { $0 + $1.key.nameBytes.count + $1.value.count }
        guard bytes <= extrasBytesMax else { throw .itemTooLarge(bytes: bytes) }
    }
}

/// Why an item does not take an edit.
package enum ItemEditError: Error, Equatable {
    /// An empty name, or one with control characters; it comes with its article.
    case unusable(String)
    case tooLong(String)
    /// The text is neither a host nor a URL.
    case noAddress(String)
    case tagWithComma(String)
    case noSuchField(String)
    /// The same of a field that should get a value.
    case noFieldToSet(String)
    /// The item has a value of this name already, which is no field.
    case commonName(String)
    case noText(field: String)
    /// The value does not fit its kind, and what would.
    case wrongValue(field: String, expected: String)
    case textTooLong(field: String, bytes: Int)
    case attachmentTooLarge(field: String, bytes: Int)
    case itemTooLarge(bytes: Int)
    case tooManyExtras
    case wrongMatch(String)
    case noTitle
    case noOneTimeCode
    /// What is wrong with what was asked for.
    case refused(String)
    /// What is wrong with the code, as the end of a sentence.
    case wrongOneTimeCode(String)
    /// There is an item of this site or service, and of this user name, already.
    case exists(place: String, user: String)
    /// It is a certificate or a key, which is made once.
    case isNoPassword
    case recordTooLarge

    /// What is wrong and what to do, as one sentence without its end.
    package var sentence: String {
        switch self {
        case .unusable(let what):
            "\(what) needs at least one character, and no control characters"
        case .tooLong(let what): "\(what) may have \(ItemLimits.nameBytesMax) bytes at most"
        case .noAddress(let text):
            "\(text) is no address; give one as example.org or https://example.org"
        case .tagWithComma(let tag):
            "a tag has no comma, as in \"\(tag)\"; give each tag as a word of its own"
        case .noSuchField(let name):
            "the item has no field \(name); \"keychain show\" lists its fields"
        case .noFieldToSet(let name):
            "the item has no field \(name); \"keychain edit NAME --add \(name)=VALUE\" adds one"
        case .commonName(let name):
            "the item has its own \(name); change that, or give the field another name"
        case .noText(let field): "the value of \(field) is no UTF-8 text; attach it as a file"
        case .wrongValue(let field, let expected): "\(field) takes \(expected)"
        case .textTooLong(let field, let bytes):
            "\(field) has \(bytes) bytes, and a field may have \(ItemLimits.textBytesMax);"
                + " attach it as a file"
        case .attachmentTooLarge(let field, let bytes):
            "\(field) has \(bytes) bytes, and an attachment may have"
                + " \(ItemLimits.attachmentBytesMax)"
        case .itemTooLarge(let bytes):
            "the item would have \(bytes) bytes of fields and attachments, and may have"
                + " \(ItemLimits.extrasBytesMax)"
        case .wrongMatch(let word):
            "\"\(word)\" is no rule of an address; use one of "
                + AddressMatch.known.map(\.rawValue).joined(separator: ", ")
        case .noOneTimeCode:
            "the item has no one-time code; add one with \"keychain edit NAME --otp CODE\""
        case .wrongOneTimeCode(let reason), .refused(let reason): reason
        case .noTitle: "an item needs a title or a site"
        case .exists(let place, let user):
            "there is already an item for \(place)"
                + (user.isEmpty ? "" : " with the user name \(user)")
                + "; change it with \"keychain edit\", or give another "
                + (user.isEmpty ? "title" : "user name")
        case .isNoPassword: "a certificate or key cannot be edited; delete it, and import another"
        case .recordTooLarge:
            "the item would be larger than an account takes; remove an attachment or an old field"
        case .tooManyExtras: "an item may have \(ItemLimits.fieldsMax) fields, tags and addresses"
        }
    }
}
