package import KSResolution
internal import KSRedaction

/// Which access groups a caller may use.
package enum CallerAccess: Sendable {
    /// All groups; an item that names none goes to `defaultGroup`.
    case all(defaultGroup: String)
    /// Only these; an item that names none goes to the first.
    case groups([String])

    /// The group that an item without one is added to.
    ///
    /// - Throws: ``KeychainError/missingEntitlement`` if the caller has no group.
    package func defaultGroup() throws(ItemStoreError) -> String {
        switch self {
        case .all(let defaultGroup):
            return defaultGroup
        case .groups(let groups):
            guard let first = groups.first else { throw .missingEntitlement }
            return first
        }
    }

    /// Checks a group by its bytes, so two spellings of one character are not equal.
    ///
    /// - Throws: ``KeychainError/missingEntitlement`` if the caller may not use the group.
    package func check(_ group: AttributeValue) throws(ItemStoreError) {
        guard case .groups(let groups) = self else { return }
        guard groups.contains(where: { AttributeValue.string($0) == group }) else {
            throw .missingEntitlement
        }
    }
}

/// The items that a call is about.
package struct KeychainQuery: Sendable {
    /// Whether to match synchronizable items, others or both.
    package enum Synchronizable: Sendable {
        case no
        case yes
        case any
    }

    package var itemClass: ItemClass
    /// All must be equal; the string "abc" equals the data abc.
    package var attributes: [AttributeName: AttributeValue]
    /// 20 bytes, of an item of this class.
    package var persistentReference: [UInt8]?
    package var synchronizable: Synchronizable
    package var access: CallerAccess
    /// The maximal number of items, non-synchronizable ones first; nil = all.
    package var limit: Int?
    /// Whether to open the attributes of the items found.
    package var wantsAttributes: Bool
    /// Whether to open the secrets of the items found, and the attributes sealed with them.
    package var wantsSecret: Bool
    /// Whether to open the hidden extras of the items found.
    package var wantsExtras: Bool

    package init(
        _ itemClass: ItemClass,
        attributes: [AttributeName: AttributeValue] = [:],
        persistentReference: [UInt8]? = nil,
        synchronizable: Synchronizable,
        access: CallerAccess,
        limit: Int? = nil,
        wantsAttributes: Bool = true,
        wantsSecret: Bool = false,
        wantsExtras: Bool = false
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.persistentReference = persistentReference
        self.synchronizable = synchronizable
        self.access = access
        self.limit = limit
        self.wantsAttributes = wantsAttributes
        self.wantsSecret = wantsSecret
        self.wantsExtras = wantsExtras
    }

    /// The item that was found, and no other.
    package init(exactly item: Item, access: CallerAccess) {
        self.init(item.itemClass, synchronizable: .any, access: access)
        persistentReference = item.persistentReference
    }

    /// The class of the item that a persistent reference names.
    ///
    /// - Throws: ``KeychainError/parameter`` if it is not a reference.
    package static func itemClass(
        ofReference reference: [UInt8]
    ) throws(ItemStoreError) -> ItemClass {
        guard reference.count == 20 else { throw .parameter }
        let letters = String(decoding: reference.prefix(4), as: UTF8.self)
        guard let itemClass = ItemClass(rawValue: letters) else { throw .parameter }
        return itemClass
    }
}

/// The changes of an update.
package struct ItemChanges: Sendable {
    package var attributes: [AttributeName: AttributeValue]
    /// Attributes to remove.
    package var removed: Set<AttributeName>
    /// Nil = keep the secret.
    package var secret: [UInt8]?
    /// The extras to set; nil removes one.
    package var extras: [ValueName: [UInt8]?]

    package init(
        attributes: [AttributeName: AttributeValue] = [:],
        removed: Set<AttributeName> = [],
        secret: [UInt8]? = nil,
        extras: [ValueName: [UInt8]?] = [:]
    ) {
        self.attributes = attributes
        self.removed = removed
        self.secret = secret
        self.extras = extras
    }
}

/// An existing row that cannot be opened.
package struct UnreadableRow: Hashable, Sendable {
    package let itemClass: ItemClass
    package let persistentReference: [UInt8]
}

/// The result of a search.
package struct FoundItems: Sendable {
    package var items: [Item] = []
    /// Rows that match but cannot be opened, and are left out.
    package var unreadable: [UnreadableRow] = []
}

extension ItemChanges: Redacted {}
