internal import KSSecItem
package import KSAgent
package import KSKeychain

/// What ``AddItem`` asks for, checked.
package struct ItemAddRequest: Sendable {
    package let item: Item
    package let isUpdate: Bool
    /// The attributes that an update changes: not those that only a new item gets.
    package let changes: [AttributeName: AttributeValue]
    /// The attributes by which an update finds its item.
    package let match: [AttributeName: AttributeValue]

    package init(_ call: AddItem) throws(ItemStoreError) {
        let itemClass = try ItemClass(named: call.class)
        changes = try itemClass.attributes(call.attributes)
        var attributes = try itemClass.attributes(call.defaults).merging(changes) { $1 }
        attributes[.synchronizable] = .boolean(call.synchronizable ?? false)
        item = Item(itemClass, attributes: attributes, secret: call.secret)
        isUpdate = call.update ?? false
        match = try itemClass.attributes(call.match)
        // Without such attributes, an update would change whatever item comes first.
        guard !isUpdate || !match.isEmpty else { throw .parameter }
    }

    /// The item that an update changes.
    package func query(access: CallerAccess) -> KeychainQuery {
        KeychainQuery(
            item.itemClass,
            attributes: match,
            // The same search as in find, so that an update changes the item that find shows.
            synchronizable: item.isSynchronizable ? .yes : .any,
            access: access,
            limit: 1
        )
    }
}

extension KeychainQuery {
    package init(_ call: FindItems, access: CallerAccess) throws(ItemStoreError) {
        try self.init(call.query, access: access)
        switch call.limit {
        case .none, 0: limit = nil
        case .some(let number):
            guard number > 0 else { throw .parameter }
            limit = Int(number)
        }
        wantsSecret = call.wantsSecret ?? false
    }

    init(_ search: ItemSearch, access: CallerAccess) throws(ItemStoreError) {
        let itemClass = try ItemClass(named: search.class)
        let synchronizable: Synchronizable
        switch search.synchronizable {
        case "no": synchronizable = .no
        case "yes": synchronizable = .yes
        case "any", .none: synchronizable = .any
        default: throw .parameter
        }
        self.init(
            itemClass,
            attributes: try itemClass.attributes(search.attributes),
            synchronizable: synchronizable,
            access: access
        )
    }
}

extension ItemClass {
    fileprivate init(named name: String?) throws(ItemStoreError) {
        guard let itemClass = name.flatMap(ItemClass.init(rawValue:)) else { throw .noSuchClass }
        self = itemClass
    }

    /// The given attributes, by their four-character names, without `synchronizable`; null becomes
    /// an empty value.
    fileprivate func attributes(
        _ given: AgentDictionary?
    ) throws(ItemStoreError) -> [AttributeName: AttributeValue] {
        var attributes: [AttributeName: AttributeValue] = [:]
        for entry in given?.entries ?? [] {
            guard let name = AttributeName(entry.key) else { throw .noSuchAttribute }
            let description = try attribute(name)
            attributes[name] = try Self.value(entry.value, description)
        }
        attributes[.synchronizable] = nil
        return attributes
    }

    private static func value(
        _ value: AgentValue,
        _ description: AttributeDescription
    ) throws(ItemStoreError) -> AttributeValue {
        switch value {
        case .null: return description.kind == .number ? .integer(0) : .string("")
        case .string(let text): return .string(text)
        case .data(let bytes): return .data(bytes)
        case .integer(let number): return .integer(number)
        case .bool(let flag): return .boolean(flag)
        case .date(let seconds):
            guard seconds.isFinite else { throw .parameter }
            return .date(seconds)
        case .double, .array, .dictionary: throw .parameter
        }
    }
}

extension AgentDictionary {
    package init(_ attributes: [AttributeName: AttributeValue]) {
        self.init()
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            self[name.text] = AgentValue(value)
        }
    }
}
