package import KSAgent
package import KSKeychain
internal import KSSecItem

/// What `item.add` asks for.
package struct ItemAddRequest: Sendable {
    package let item: Item
    package let isUpdate: Bool
    /// What an update changes: the item's attributes without those that only a new one gets.
    package let changes: [AttributeName: AttributeValue]
    /// What an update looks by.
    package let match: [AttributeName: AttributeValue]

    package init(_ arguments: AgentDictionary) throws(KeychainError) {
        let itemClass = try ItemClass(arguments)
        var changes = try ItemArguments.attributes(arguments["attributes"], of: itemClass)
        changes[.synchronizable] = nil
        self.changes = changes
        var attributes = try ItemArguments.attributes(arguments["defaults"], of: itemClass)
            .merging(changes) { $1 }
        attributes[.synchronizable] = .boolean(
            try ItemArguments.flag(arguments["synchronizable"])
        )
        let secret: [UInt8]?
        switch arguments["secret"] {
        case .none, .null: secret = nil
        case .data(let bytes): secret = bytes
        default: throw .parameter
        }
        item = Item(itemClass, attributes: attributes, secret: secret)
        isUpdate = try ItemArguments.flag(arguments["update"])
        var match = try ItemArguments.attributes(arguments["match"], of: itemClass)
        match[.synchronizable] = nil
        // Without anything to look by, an update would change whatever item comes first.
        guard !isUpdate || !match.isEmpty else { throw .parameter }
        self.match = match
    }

    /// The item that an update changes.
    package func query(access: CallerAccess) -> ItemQuery {
        ItemQuery(
            item.itemClass,
            attributes: match,
            // As find looks: what it shows is what is changed.
            synchronizable: item.isSynchronizable ? .yes : .any,
            access: access,
            limit: 1
        )
    }
}

extension ItemQuery {
    /// What `item.find` and `item.delete` ask for.
    package init(_ arguments: AgentDictionary, access: CallerAccess) throws(KeychainError) {
        let itemClass = try ItemClass(arguments)
        var attributes = try ItemArguments.attributes(arguments["attributes"], of: itemClass)
        attributes[.synchronizable] = nil
        let synchronizable: Synchronizable
        switch arguments["synchronizable"] {
        case .string("no"): synchronizable = .no
        case .string("yes"): synchronizable = .yes
        case .string("any"), .none, .null: synchronizable = .any
        default: throw .parameter
        }
        let limit: Int?
        switch arguments["limit"] {
        case .none, .null, .integer(0): limit = nil
        case .integer(let number) where number > 0: limit = Int(number)
        default: throw .parameter
        }
        self.init(
            itemClass,
            attributes: attributes,
            synchronizable: synchronizable,
            access: access,
            limit: limit,
            wantsSecret: try ItemArguments.flag(arguments["wantsSecret"])
        )
    }
}

extension ItemClass {
    fileprivate init(_ arguments: AgentDictionary) throws(KeychainError) {
        guard let name = arguments["class"]?.string, let itemClass = ItemClass(rawValue: name)
        else { throw .noSuchClass }
        self = itemClass
    }
}

/// Reads the parts of a call that any program may have sent.
package enum ItemArguments {
    package static func flag(_ value: AgentValue?) throws(KeychainError) -> Bool {
        switch value {
        case .none, .null: return false
        case .bool(let flag): return flag
        default: throw .parameter
        }
    }

    /// Attributes by their four-character names; null stands for an empty one.
    package static func attributes(
        _ value: AgentValue?,
        of itemClass: ItemClass
    ) throws(KeychainError) -> [AttributeName: AttributeValue] {
        let dictionary: AgentDictionary
        switch value {
        case .none, .null: return [:]
        case .dictionary(let given): dictionary = given
        default: throw .parameter
        }
        var attributes: [AttributeName: AttributeValue] = [:]
        for entry in dictionary.entries {
            guard let name = AttributeName(entry.key) else { throw .noSuchAttribute }
            let description = try itemClass.attribute(name)
            attributes[name] = try attribute(entry.value, description)
        }
        return attributes
    }

    private static func attribute(
        _ value: AgentValue,
        _ description: AttributeDescription
    ) throws(KeychainError) -> AttributeValue {
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

extension AgentValue {
    /// The item as programs get it.
    package init(_ item: Item) {
        var dictionary: AgentDictionary = [
            "class": .string(item.itemClass.rawValue),
            "attributes": .dictionary(AgentDictionary(item.attributes)),
        ]
        if let secret = item.secret { dictionary["secret"] = .data(secret) }
        self = .dictionary(dictionary)
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
