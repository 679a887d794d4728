internal import KSCausality
internal import KSDigests
package import KSKeychain
internal import KSRecords
package import KSResolution
internal import KSSealing

/// Between an item, as the keychain keeps it, and the values of a record's state.
package enum ItemFields {
    /// The field that says the item's class; attributes have names of four characters.
    private static let className = ValueName.field("class")

    /// All values of an item.
    package static func values(of item: Item) -> [ValueName: [UInt8]] {
        var values: [ValueName: [UInt8]] = [:]
        values[className] = Array(item.itemClass.rawValue.utf8)
        for (name, value) in item.syncedAttributes {
            values[.field(name.text)] = value.encoded
        }
        values[.secret] = item.secret
        return values
    }

    /// What differs between two versions of an item; nil where something was removed.
    package static func changes(from before: Item, to after: Item) -> [ValueName: [UInt8]?] {
        let old = values(of: before)
        let new = values(of: after)
        var changes: [ValueName: [UInt8]?] = [:]
        for name in old.keys where new[name] == nil { changes.updateValue(nil, forKey: name) }
        for (name, value) in new where old[name] != value {
            changes.updateValue(value, forKey: name)
        }
        return changes
    }

    /// The edit that makes an item of what a state shows and replaces nothing of it, for want of
    /// knowing what its author had seen.
    ///
    /// - Returns: nil when there is nothing to change.
    static func edit(
        beside state: ItemState?,
        of item: Item,
        atMilliseconds clock: UInt64
    ) -> PendingEdit? {
        var changes: [ValueName: [UInt8]?] = values(of: item).mapValues { $0 }
        if let state, state.isAlive, let before = self.item(of: state) {
            changes = self.changes(from: before, to: item)
        }
        guard !changes.isEmpty else { return nil }
        var record = LocalRecord()
        record.set(changes, atMilliseconds: clock)
        return record.edit
    }

    /// The item that a state shows.
    ///
    /// Attributes that this program does not know stay in the state, untouched by its edits.
    /// - Returns: nil when the state is not that of an item this program can keep.
    package static func item(of state: ItemState) -> Item? {
        guard let name = state.shown(className),
            let itemClass = ItemClass(rawValue: String(decoding: name, as: UTF8.self))
        else { return nil }
        var item = Item(itemClass, attributes: [:], secret: state.shownSecret)
        for (name, encoded) in state.shownFields {
            guard let attribute = AttributeName(name) else { continue }
            // A kind of value that only a newer program knows stays in the state.
            guard let value = try? AttributeValue(decoding: encoded) else { continue }
            item.attributes[attribute] = value
        }
        return item
    }

    /// The attributes with concurrent values that are not shown, in order of their names.
    ///
    /// The dates that every edit sets are not among them: nobody chose them.
    static func conflicts(of state: ItemState) -> [(name: AttributeName, values: [StampedValue])] {
        state.names.compactMap { name in
            guard name.isField, let attribute = AttributeName(name.name),
                attribute != .creationDate, attribute != .modificationDate
            else { return nil }
            let values = state.conflictingValues(of: name)
            return values.isEmpty ? nil : (attribute, values)
        }
    }

    /// Tells one set of conflicting values from another, whatever they are; nil when a person has
    /// nothing to choose between.
    static func conflictFingerprint(of state: ItemState) -> [UInt8]? {
        guard state.isAlive else { return nil }
        let stamps = (state.conflictingSecrets + conflicts(of: state).flatMap(\.values)).map(
            \.stamp
        )
        guard !stamps.isEmpty else { return nil }
        var encoder = CanonicalEncoder()
        for stamp in stamps.sorted() {
            encoder.integer(stamp.time.rawValue)
            encoder.integer(stamp.actor.rawValue)
        }
        return Array(SHA256.hash(encoder.encoded).prefix(fingerprintByteCount))
    }

    private static let fingerprintByteCount = 16
}

extension Accessibility {
    /// The protection class whose key seals what sync keeps of an item.
    var protectionClass: ProtectionClass {
        switch self {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        case .always: .always
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .alwaysThisDeviceOnly: .alwaysThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        }
    }
}
