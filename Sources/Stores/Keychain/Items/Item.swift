package import KSResolution
package import KSSealing
internal import KSRedaction

/// An item of the user, in the clear: attributes and a secret.
package struct Item: Hashable, Sendable {
    package var itemClass: ItemClass
    package var attributes: [AttributeName: AttributeValue]
    /// Nil if the item has none, or if the caller did not ask for it.
    package var secret: [UInt8]?
    /// What the item has beside Apple's attributes; hidden fields are empty if the caller did not
    /// ask for them.
    package var extras: ItemExtras
    /// The class's four letters and 16 random bytes; nil before the item is kept.
    package var persistentReference: [UInt8]?

    package init(
        _ itemClass: ItemClass,
        attributes: [AttributeName: AttributeValue],
        secret: [UInt8]? = nil,
        extras: ItemExtras = [:],
        persistentReference: [UInt8]? = nil
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.secret = secret
        self.extras = extras
        self.persistentReference = persistentReference
    }

    package var isSynchronizable: Bool { attributes[.synchronizable] == .integer(1) }

    package var accessibility: ProtectionClass {
        guard case .string(let letters) = attributes[.accessible] else { return .whenUnlocked }
        return ProtectionClass(letters: letters) ?? .whenUnlocked
    }

    var isTombstone: Bool { attributes[.tombstone] == .integer(1) }

    /// When it was last changed, in seconds since 2001.
    package var modificationSeconds: Double? {
        guard case .date(let seconds) = attributes[.modificationDate] else { return nil }
        return seconds
    }

    /// Whether the account's other devices have it too.
    ///
    /// A synchronizable item of a class that is bound to this device is kept, but never leaves it.
    package var isSynced: Bool { isSynchronizable && !accessibility.isThisDeviceOnly }

    package var accessGroup: String {
        guard case .string(let group) = attributes[.accessGroup] else { return "" }
        return group
    }

    /// The attributes that go to the account's other devices.
    package var syncedAttributes: [AttributeName: AttributeValue] {
        // An attribute that the class lacks is not synced.
        attributes.filter { name, _ in (try? itemClass.attribute(name))?.isSynced == true }
    }

    /// Whether an attribute equals a value as searches compare them; a missing attribute has its
    /// default.
    package func has(_ value: AttributeValue, as name: AttributeName) -> Bool {
        guard let description = itemClass[name] else { return false }
        return comparableForm(of: description) == value.comparableForm(as: description.kind)
    }

    /// The form that an attribute is compared by; nil if it is absent and has no default.
    func comparableForm(of description: AttributeDescription) -> ComparableForm? {
        attributes[description.name]?.comparableForm(as: description.kind) ?? description.absentForm
    }

    /// The item's key, the same on all devices of the account.
    package var key: ItemKey { ItemKey(itemClass, attributes: attributes) }
}

/// A change to a synced item, as other devices receive it.
package typealias ItemChange = EntryChange<Item>

extension EntryChange<Item> {
    /// The change from one state to another, or nil when neither leaves this device.
    package init?(before: Item?, after: Item?) {
        func synced(_ item: Item?) -> Item? { item.flatMap { $0.isSynced ? $0 : nil } }
        switch (synced(before), synced(after)) {
        case (nil, nil): return nil
        case (nil, .some(let after)): self = .added(after)
        case (.some(let before), nil): self = .deleted(before: before)
        case (.some(let before), .some(let after)):
            // A new modification date alone is not a change.
            guard before.contentsToTell != after.contentsToTell else { return nil }
            self =
                before.key == after.key
                ? .edited(before: before, after: after) : .renamed(before: before, after: after)
        }
    }
}

extension Item {
    /// The contents that count as a change; for equal keys they may differ in their values' types.
    package var contentsToTell: Item {
        var told = syncedAttributes
        told[.modificationDate] = nil
        return Item(itemClass, attributes: told, secret: secret, extras: extras)
    }
}

extension Item: Redacted {
    package var shownPart: String {
        "\(itemClass), \(attributes.count) attributes, \(secret == nil ? "no" : "a") secret"
    }
}
