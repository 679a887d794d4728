internal import KSRedaction

/// Adds an item, or changes the one that an update finds.
///
/// It answers with the twins of that item, which the same options may find.
package struct AddItem: AgentCall, Codable {
    package typealias Answer = [FoundItem]
    package static let name = "item.add"
    package static let permission = AgentPermission.anyProgram
    package static let failsByStatus = true

    package var `class`: String?
    package var attributes: AgentDictionary?
    /// Attributes that only a new item gets.
    package var defaults: AgentDictionary?
    /// The attributes by which an update finds its item.
    package var match: AgentDictionary?
    package var secret: [UInt8]?
    package var synchronizable: Bool?
    package var update: Bool?
    package var keychain: String?

    package init(class: String) { self.class = `class` }
}

/// Finds items.
package struct FindItems: AgentCall {
    package typealias Answer = [FoundItem]
    package static let name = "item.find"
    package static let permission = AgentPermission.anyProgram
    package var mayRepeat: Bool { true }
    package static let failsByStatus = true

    package var query: ItemSearch
    package var limit: Int64?
    package var skip: Int64?
    package var wantsSecret: Bool?

    package init(_ query: ItemSearch, limit: Int64? = nil, wantsSecret: Bool? = nil) {
        (self.query, self.limit, self.wantsSecret) = (query, limit, wantsSecret)
    }

    package init(_ value: AgentValue) throws(AgentError) {
        query = try ItemSearch(value)
        let fields = value.members
        limit = try fields.optional("limit") { $0.integer }
        skip = try fields.optional("skip") { $0.integer }
        wantsSecret = try fields.optional("wantsSecret") { $0.bool }
    }

    package var agentValue: AgentValue {
        var fields = query.fields
        fields["limit"] = limit.map { .integer($0) }
        fields["skip"] = skip.map { .integer($0) }
        fields["wantsSecret"] = wantsSecret.map { .bool($0) }
        return .dictionary(fields)
    }
}

/// Deletes the first item that matches, and returns it.
package struct DeleteItem: AgentCall {
    package typealias Answer = FoundItem
    package static let name = "item.delete"
    package static let permission = AgentPermission.anyProgram
    package static let failsByStatus = true

    package var query: ItemSearch

    package init(_ query: ItemSearch) { self.query = query }

    package init(_ value: AgentValue) throws(AgentError) { query = try ItemSearch(value) }

    package var agentValue: AgentValue { .dictionary(query.fields) }
}

/// Which items are meant.
package struct ItemSearch: Sendable, Redacted {
    package var `class`: String?
    package var attributes: AgentDictionary?
    /// `yes`, `no` or `any`; nil means `any`.
    package var synchronizable: String?
    /// Nil for those of the search list.
    package var keychains: [String]?

    package init(
        class: String,
        attributes: AgentDictionary? = nil,
        synchronizable: String? = nil,
        keychains: [String] = []
    ) {
        self.class = `class`
        self.attributes = attributes
        self.synchronizable = synchronizable
        self.keychains = keychains.isEmpty ? nil : keychains
    }

    fileprivate init(_ value: AgentValue) throws(AgentError) {
        let fields = value.members
        // A value of another kind counts as a missing class.
        `class` = fields["class"]?.string
        attributes = try fields.optional("attributes") { $0.dictionary }
        synchronizable = try fields.optional("synchronizable") { $0.string }
        keychains = try fields.optional("keychains") { value in
            guard let names = value.array else { return nil }
            let texts = names.compactMap(\.string)
            return texts.count == names.count ? texts : nil
        }
    }

    fileprivate var fields: AgentDictionary {
        var fields = AgentDictionary()
        fields["class"] = `class`.map { .string($0) }
        fields["attributes"] = attributes.map { .dictionary($0) }
        fields["synchronizable"] = synchronizable.map { .string($0) }
        fields["keychains"] = keychains.map { .array($0.map { .string($0) }) }
        return fields
    }
}

extension AgentDictionary {
    /// A field that may be missing or null; one of another kind is refused.
    func optional<Value>(
        _ name: String,
        _ read: (AgentValue) -> Value?
    ) throws(AgentError) -> Value? {
        guard let value = self[name], value != .null else { return nil }
        guard let read = read(value) else { throw .malformedMessage }
        return read
    }
}

/// An item as the daemon shows it.
package struct FoundItem: AgentCoded, Equatable, Redacted {
    package var `class`: String
    package var attributes: AgentDictionary
    /// Nil if it was not asked for, or if it must not leave its keychain.
    package var secret: [UInt8]?
    package var keychain: String?
    /// Of a deleted item: those that are left, and that the same options may find.
    package var twins: [FoundItem] = []

    package init(
        class: String,
        attributes: AgentDictionary,
        secret: [UInt8]? = nil,
        keychain: String? = nil
    ) {
        self.class = `class`
        (self.attributes, self.secret, self.keychain) = (attributes, secret, keychain)
    }

    package init(_ value: AgentValue) throws(AgentError) {
        let fields = value.members
        `class` = fields["class"]?.string ?? ""
        attributes = fields["attributes"]?.dictionary ?? [:]
        secret = fields["secret"]?.data
        keychain = fields["keychain"]?.string
        twins = try (fields["twins"]?.array ?? []).map { value throws(AgentError) in
            try FoundItem(value)
        }
    }

    package var agentValue: AgentValue {
        var fields: AgentDictionary = [
            "class": .string(`class`), "attributes": .dictionary(attributes),
        ]
        fields["secret"] = secret.map { .data($0) }
        fields["keychain"] = keychain.map { .string($0) }
        if !twins.isEmpty { fields["twins"] = .array(twins.map(\.agentValue)) }
        return .dictionary(fields)
    }
}

/// One of Apple's four calls, or an update of exactly one item.
package struct SecItemCall: AgentCall {
    package typealias Answer = SecItemReply
    package static let name = "secitem"
    package static let permission = AgentPermission.anyProgram

    package enum Function: String, Sendable {
        case add
        case copy
        case update
        /// Key attributes that the query leaves out have the values that an add would give them.
        case updateExactly = "update-exactly"
        case delete
    }

    package let function: Function
    package let query: AgentDictionary
    package let update: AgentDictionary

    package init(_ function: Function, _ query: AgentDictionary, update: AgentDictionary = [:]) {
        (self.function, self.query, self.update) = (function, query, update)
    }

    package var mayRepeat: Bool { function == .copy }
    private var takesUpdate: Bool { function == .update || function == .updateExactly }

    package init(_ value: AgentValue) throws(AgentError) {
        let fields = value.members
        guard let function = fields["fn"]?.string.flatMap(Function.init(rawValue:)),
            let query = fields["query"]?.dictionary
        else { throw .malformedMessage }
        self.init(function, query, update: fields["update"]?.dictionary ?? [:])
        guard !takesUpdate || fields["update"]?.dictionary != nil else { throw .malformedMessage }
    }

    package var agentValue: AgentValue {
        var fields: AgentDictionary = [
            "fn": .string(function.rawValue), "query": .dictionary(query),
        ]
        if takesUpdate { fields["update"] = .dictionary(update) }
        return .dictionary(fields)
    }
}

/// The result of one of Apple's calls, which report a refusal by a status.
package struct SecItemReply: AgentCoded, Equatable, Redacted {
    /// Apple's number; 0 is success.
    package var status: Int32
    /// Nil if Apple's function leaves the result unchanged.
    package var result: AgentValue?

    package init(status: Int32, result: AgentValue? = nil) {
        self.status = status
        self.result = result
    }

    package init(_ value: AgentValue) throws(AgentError) {
        let fields = value.members
        guard let status = fields["status"]?.integer else { throw .malformedMessage }
        self.status = Int32(truncatingIfNeeded: status)
        result = fields["result"]
    }

    package var agentValue: AgentValue {
        var fields: AgentDictionary = ["status": .integer(Int64(status))]
        fields["result"] = result
        return .dictionary(fields)
    }
}
