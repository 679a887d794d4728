internal import KSRedaction

/// Which access groups a caller may use.
package enum CallerAccess: Sendable {
    /// All of them; items that name none are added to `defaultGroup`.
    case all(defaultGroup: String)
    /// These alone; items that name none are added to the first.
    case groups([String])

    /// The group that an item without one is added to.
    ///
    /// - Throws: ``KeychainError/missingEntitlement`` when the caller has none at all.
    func defaultGroup() throws(KeychainError) -> String {
        switch self {
        case .all(let defaultGroup):
            return defaultGroup
        case .groups(let groups):
            guard let first = groups.first else { throw .missingEntitlement }
            return first
        }
    }

    /// Groups are compared by their bytes: no two spellings of one character are equal.
    ///
    /// - Throws: ``KeychainError/missingEntitlement`` when the caller may not use the group.
    func check(_ group: AttributeValue) throws(KeychainError) {
        guard case .groups(let groups) = self else { return }
        guard groups.contains(where: { AttributeValue.string($0) == group }) else {
            throw .missingEntitlement
        }
    }
}

/// Which items are meant.
package struct ItemQuery: Sendable {
    /// Which of the synchronizable and the other items.
    package enum Synchronizable: Sendable {
        case no
        case yes
        case any
    }

    package var itemClass: ItemClass
    /// All must be equal; the string "abc" and the data abc are.
    package var attributes: [AttributeName: AttributeValue]
    /// 20 bytes, of this class.
    package var persistentReference: [UInt8]?
    package var synchronizable: Synchronizable
    package var access: CallerAccess
    /// How many at most, those that are not synchronizable first; nil = all.
    package var limit: Int?
    /// Whether to open the attributes of what is found.
    package var wantsAttributes: Bool
    /// Whether to open the secrets of what is found, and the attributes that lie with them.
    package var wantsSecret: Bool

    package init(
        _ itemClass: ItemClass,
        attributes: [AttributeName: AttributeValue] = [:],
        persistentReference: [UInt8]? = nil,
        synchronizable: Synchronizable,
        access: CallerAccess,
        limit: Int? = nil,
        wantsAttributes: Bool = true,
        wantsSecret: Bool = false
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.persistentReference = persistentReference
        self.synchronizable = synchronizable
        self.access = access
        self.limit = limit
        self.wantsAttributes = wantsAttributes
        self.wantsSecret = wantsSecret
    }

    /// The class of the item that a persistent reference names.
    ///
    /// - Throws: ``KeychainError/parameter`` when it is no reference.
    package static func itemClass(
        ofReference reference: [UInt8]
    ) throws(KeychainError) -> ItemClass {
        guard reference.count == 20 else { throw .parameter }
        let letters = String(decoding: reference.prefix(4), as: UTF8.self)
        guard let itemClass = ItemClass(rawValue: letters) else { throw .parameter }
        return itemClass
    }
}

/// What an update sets.
package struct ItemChanges: Sendable {
    package var attributes: [AttributeName: AttributeValue]
    /// Attributes to take away.
    package var removed: Set<AttributeName>
    /// Nil = leave the secret as it is.
    package var secret: [UInt8]?

    package init(
        attributes: [AttributeName: AttributeValue] = [:],
        removed: Set<AttributeName> = [],
        secret: [UInt8]? = nil
    ) {
        self.attributes = attributes
        self.removed = removed
        self.secret = secret
    }
}

/// Whether a delete leaves a row behind that says what was deleted (`kSecUseTombstones`).
package enum TombstoneRule: Sendable {
    /// When the item was synchronizable.
    case whenSynchronizable
    case always
    case never
}

/// A row that is there but cannot be opened.
package struct UnreadableRow: Hashable, Sendable {
    package let itemClass: ItemClass
    package let persistentReference: [UInt8]
}

/// What a search found.
package struct FoundItems: Sendable {
    package var items: [Item] = []
    /// What matched, but could not be opened: changed or damaged, and left out.
    package var unreadable: [UnreadableRow] = []
}

extension ItemChanges: Redacted {}
