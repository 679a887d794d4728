internal import KSKeychain
internal import KSResolution

/// Converts between an item of the keychain and the values of a record's state.
enum ItemFields {
    /// The field that holds the item's class; attributes have names of four characters.
    static let className = ValueName.field("class")

    /// The item that a state shows.
    ///
    /// Attributes that this program does not know stay in the state, untouched by its edits.
    /// - Returns: nil if the state is not an item that this program can keep.
    static func item(of state: RecordState) -> Item? {
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
        for name in state.names where name.isItemExtra {
            item.extras[name] = state.shown(name)
        }
        return item
    }

    /// The attributes with concurrent values that are not shown, in order of their names.
    ///
    /// The dates that every edit sets are left out: nobody chose them.
    static func conflicts(of state: RecordState) -> [(name: AttributeName, values: [StampedValue])]
    {
        state.names.compactMap { name in
            guard name.isField, let attribute = AttributeName(name.name),
                attribute != .creationDate, attribute != .modificationDate
            else { return nil }
            let values = state.conflictingValues(of: name)
            return values.isEmpty ? nil : (attribute, values)
        }
    }

    /// The extras with concurrent values that are not shown, in order of their names.
    ///
    /// Positions are left out: nobody misses one.
    static func extraConflicts(
        of state: RecordState
    ) -> [(name: ValueName, values: [StampedValue])] {
        state.names.compactMap { name in
            guard name.kind == ValueName.Kind.extra, name != .source else { return nil }
            let values = state.conflictingValues(of: name)
            return values.isEmpty ? nil : (name, values)
        }
    }
}
