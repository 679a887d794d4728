internal import KSRecords

/// What makes two synchronizable items the same on every device.
package struct ItemKey: Hashable, Sendable {
    package let itemClass: ItemClass
    /// The bytes that the item's record id is made of.
    ///
    /// They are the same on every device, whatever types the callers used: the string "abc" and the
    /// data abc make one key. A value at its default is left out, so that a key attribute which a
    /// later version adds does not change the keys of the items that lack it.
    package let canonicalBytes: [UInt8]

    /// The key made of an item's attributes, including the access group, each in its comparable
    /// form.
    ///
    /// Whether the item is synchronizable is left out, since only such items have a record, and so
    /// is the local user, who means nothing to another device.
    package init(_ itemClass: ItemClass, attributes: [AttributeName: AttributeValue]) {
        var named: [(name: AttributeName, form: ComparableForm)] = []
        for description in itemClass.attributes
        where description.isInPrimaryKey && description.isSynced {
            guard let value = attributes[description.name] else { continue }
            // A value that its kind does not take cannot be stored, so its form does not matter.
            let kept = (try? description.kind.converted(value)) ?? value
            let form = kept.comparableForm(as: description.kind)
            if form != description.absentForm { named.append((description.name, form)) }
        }
        var encoder = CanonicalEncoder(label: "item key")
        encoder.string(itemClass.rawValue)
        encoder.list(named) { encoder, attribute in
            encoder.bytes(attribute.name.bytes)
            encoder.integer(attribute.form.type)
            encoder.bytes(attribute.form.bytes)
        }
        self.itemClass = itemClass
        canonicalBytes = encoder.encoded
    }
}
