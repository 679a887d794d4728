internal import KSRedaction

// Calls about items as people see them: the classes are one, and an item has fields.

/// Lists items, or those that words or a name mean.
package struct ListItems: AgentCall, Codable {
    package typealias Answer = ItemList
    package static let name = "items.list"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true
    package var mayRepeat: Bool { true }

    /// What a person calls an item: a label, a site, `user@site`, or a part of one.
    package var meaning: String?
    /// Each must occur in something that is visible; the best matches come first.
    package var words: String?
    /// Whether matches with slips are left out where others are found.
    package var leavesOutNear: Bool?
    package var type: String?
    package var tag: String?
    package var onlyFavorites: Bool?
    package var limit: Int64?

    package init() {}
}

/// The items that ``ListItems`` found.
package struct ItemList: AgentCoded, Equatable, Redacted {
    package var items: [ListedItem]
    /// Whether the name is only a part of what the items are called.
    package var isPart: Bool

    package init(_ items: [ListedItem], isPart: Bool = false) {
        self.items = items
        self.isPart = isPart
    }

    package init(_ value: AgentValue) throws(AgentError) {
        let fields = value.members
        items = try [ListedItem](fields["items"] ?? .null)
        isPart = fields["isPart"]?.bool ?? false
    }

    package var agentValue: AgentValue {
        ["items": items.agentValue, "isPart": .bool(isPart)]
    }
}

/// A line of a list: what is visible of an item without its secret.
package struct ListedItem: AgentCoded, Hashable, Redacted {
    /// 20 bytes that name the item on this device.
    package var reference: [UInt8]
    package var type: String
    package var title: String
    package var userName: String
    /// The server or service.
    package var place: String
    package var site = SiteDetails.none
    package var tags: [String] = []
    package var isFavorite = false
    package var isSynced = false
    package var hasOneTimeCode = false
    /// Seconds since 2001; 0 if unknown.
    package var changedSeconds: Double = 0

    package init(
        reference: [UInt8],
        type: String,
        title: String,
        userName: String,
        place: String
    ) {
        self.reference = reference
        self.type = type
        self.title = title
        self.userName = userName
        self.place = place
    }

    /// A list of ten thousand has no names of fields.
    package init(_ value: AgentValue) throws(AgentError) {
        guard let parts = value.array, parts.count >= 8, let reference = parts[0].data,
            let type = parts[1].string, let title = parts[2].string, let user = parts[3].string,
            let place = parts[4].string, let tags = parts[5].array, let marks = parts[6].integer,
            let seconds = parts[7].date
        else { throw .malformedMessage }
        self.init(reference: reference, type: type, title: title, userName: user, place: place)
        self.tags = tags.compactMap(\.string)
        (isFavorite, isSynced, hasOneTimeCode) = (marks & 1 != 0, marks & 2 != 0, marks & 4 != 0)
        changedSeconds = seconds
        if marks & 8 != 0 { site = .web }
        if parts.count > 8, let texts = parts[8].array { site = SiteDetails(texts) }
    }

    package var agentValue: AgentValue {
        var marks = (isFavorite ? 1 : 0) | (isSynced ? 2 : 0) | (hasOneTimeCode ? 4 : 0)
        if site == .web { marks |= 8 }
        let parts: [AgentValue] = [
            .data(reference), .string(type), .string(title), .string(userName), .string(place),
            .array(tags.map { .string($0) }), .integer(Int64(marks)), .date(changedSeconds),
        ]
        let isUsual = site == .web || site == .none
        return .array(parts + (isUsual ? [] : [site.agentValue]))
    }
}

/// What an internet password says of its site beside the server and its port.
package struct SiteDetails: Hashable, Sendable, Redacted {
    /// Scheme, path and realm; none for other items.
    ///
    /// Most items share the array of ``web``.
    private let texts: [String]

    package static let none = SiteDetails([String]())
    /// A site without a path and a realm.
    package static let web = SiteDetails(scheme: "https", path: "", realm: "")

    private init(_ texts: [String]) { self.texts = texts }

    package init(scheme: String, path: String, realm: String) {
        texts = [scheme, path, realm]
    }

    fileprivate init(_ values: [AgentValue]) { texts = values.compactMap(\.string) }

    fileprivate var agentValue: AgentValue { .array(texts.map { .string($0) }) }

    package var scheme: String { texts.first ?? "" }
    package var path: String { texts.count > 1 ? texts[1] : "" }
    package var realm: String { texts.count > 2 ? texts[2] : "" }
}

/// Shows an item.
package struct ShowItem: AgentCall, Codable {
    package typealias Answer = ShownItem
    package static let name = "items.show"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true
    package var mayRepeat: Bool { true }

    package var reference: [UInt8]
    /// Whether hidden values are wanted too.
    package var showsSecrets: Bool

    package init(_ reference: [UInt8], showsSecrets: Bool = false) {
        self.reference = reference
        self.showsSecrets = showsSecrets
    }
}

/// An item with its fields.
package struct ShownItem: AgentCoded, Codable, Redacted {
    package struct Field: Codable, Sendable, Equatable, Redacted {
        package var name: String
        package var kind: String
        /// Nil if it is hidden and was not asked for.
        package var value: [UInt8]?
        package var byteCount: Int64
        package var isHidden: Bool

        package init(
            name: String,
            kind: String,
            value: [UInt8]?,
            byteCount: Int64,
            isHidden: Bool
        ) {
            (self.name, self.kind, self.value) = (name, kind, value)
            (self.byteCount, self.isHidden) = (byteCount, isHidden)
        }
    }

    package struct Address: Codable, Sendable, Equatable, Redacted {
        package var text: String
        package var match: String

        package init(text: String, match: String) { (self.text, self.match) = (text, match) }
    }

    package var reference: [UInt8]
    /// The 8 letters by which other commands name it; nil for an item of this device alone.
    package var code: String?
    /// `genp`, `inet`, `cert` or `keys`.
    package var `class`: String
    package var type: String
    package var title: String
    package var userName: String
    package var place: String
    /// Of an internet password, else empty.
    package var scheme = ""
    package var path = ""
    package var realm = ""
    package var note: String
    package var hasSecret: Bool
    /// Nil if the item has no password, or if it was not asked for.
    package var secret: [UInt8]?
    /// How long a certificate or key is; nil for passwords.
    package var byteCount: Int64?
    package var tags: [String]
    package var addresses: [Address]
    package var fields: [Field]
    package var isFavorite: Bool
    package var isSynced: Bool
    /// How many earlier and concurrent values the history has.
    package var historyCount: Int64
    /// The names of what was changed on two devices at once and not looked at.
    package var conflicts: [String]
    @OrNull
    package var created: AgentDate?
    @OrNull
    package var changed: AgentDate?

    package init(
        reference: [UInt8],
        code: String?,
        class: String,
        type: String,
        title: String,
        userName: String,
        place: String,
        note: String,
        hasSecret: Bool,
        secret: [UInt8]?,
        byteCount: Int64?,
        tags: [String],
        addresses: [Address],
        fields: [Field],
        isFavorite: Bool,
        isSynced: Bool,
        historyCount: Int64,
        conflicts: [String],
        created: AgentDate?,
        changed: AgentDate?
    ) {
        (self.reference, self.code, self.class, self.type) = (reference, code, `class`, type)
        (self.title, self.userName, self.place, self.note) = (title, userName, place, note)
        (self.hasSecret, self.secret, self.tags) = (hasSecret, secret, tags)
        self.byteCount = byteCount
        (self.addresses, self.fields, self.isFavorite) = (addresses, fields, isFavorite)
        (self.isSynced, self.historyCount, self.conflicts) = (isSynced, historyCount, conflicts)
        (self.created, self.changed) = (created, changed)
    }
}

/// Makes an item, or changes one.
package struct ItemForm: Codable, Sendable, Redacted {
    package struct Field: Codable, Sendable, Redacted {
        package var name: String
        /// Nil keeps the kind of a field that is there.
        package var kind: String?
        package var value: [UInt8]
        /// The field before which it stands from now on.
        package var before: String?

        package init(name: String, kind: String?, value: [UInt8], before: String? = nil) {
            (self.name, self.kind, self.value, self.before) = (name, kind, value, before)
        }
    }

    package var type: String?
    package var title: String?
    package var userName: String?
    package var place: String?
    package var secret: [UInt8]?
    package var note: String?
    package var isFavorite: Bool?
    package var addedTags: [String]?
    package var removedTags: [String]?
    package var addedAddresses: [ShownItem.Address]?
    package var removedAddresses: [String]?
    package var fields: [Field]?
    package var removedFields: [String]?
    /// Whether the replaced secret of an item without a history becomes a field.
    package var keepsSecret: Bool?

    package init() {}
}

/// Adds an item.
package struct MakeItem: AgentCall, Codable {
    package typealias Answer = ListedItem
    package static let name = "items.new"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package var form: ItemForm
    package var isSynced: Bool
    /// Whether the form is only checked.
    package var isTrial: Bool?

    package init(_ form: ItemForm, isSynced: Bool, isTrial: Bool = false) {
        (self.form, self.isSynced, self.isTrial) = (form, isSynced, isTrial)
    }
}

/// Changes what a form names of an item.
package struct ChangeItem: AgentCall, Codable {
    package typealias Answer = ListedItem
    package static let name = "items.edit"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package var reference: [UInt8]
    package var form: ItemForm

    package init(_ reference: [UInt8], _ form: ItemForm) {
        (self.reference, self.form) = (reference, form)
    }
}

/// Deletes an item.
package struct RemoveItem: AgentCall, Codable {
    package static let name = "items.remove"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package var reference: [UInt8]

    package init(_ reference: [UInt8]) { self.reference = reference }
}
