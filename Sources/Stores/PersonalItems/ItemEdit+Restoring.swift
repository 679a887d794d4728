internal import KSKeychain
package import KSResolution

extension ItemEdit {
    /// The changes of an item's extras that put earlier values back.
    ///
    /// A field or an address that was removed stands last again.
    ///
    /// - Throws: ``ItemEditError`` if the item would be too large; nothing is changed then.
    package static func putting(
        back values: [ValueName: [UInt8]],
        into item: PersonalItem
    ) throws(ItemEditError) -> [ValueName: [UInt8]?] {
        var extras = item.item.extras
        var changes: [ValueName: [UInt8]?] = [:]
        func set(_ name: ValueName, _ value: [UInt8]) {
            guard extras[name] != value else { return }
            extras[name] = value
            changes.updateValue(value, forKey: name)
        }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            set(name, value)
            switch ItemExtra(name) {
            case .field, .address: break
            case .tag, .mark, nil: continue
            }
            let position = ValueName(kind: ValueName.Kind.position, nameBytes: name.nameBytes)
            guard extras[position] == nil else { continue }
            let last = extras.filter {
                $0.key.kind == ValueName.Kind.position
                    && $0.key.nameBytes.first == name.nameBytes.first
            }.values.max { $0.lexicographicallyPrecedes($1) }
            set(position, ItemPosition.between(last, nil))
        }
        try ItemLimits.check(extras)
        return changes
    }
}
