package import KSResolution
internal import KSRecords

/// What an item has beside Apple's attributes, by its names: fields, tags, addresses, marks, and
/// the positions that order them.
///
/// `SecItem` calls neither show nor change them. They are kept as bytes, also those of kinds that
/// only a newer program knows; ``ItemExtra`` says what they mean.
package typealias ItemExtras = [ValueName: [UInt8]]

extension ItemExtras {
    /// The extras that can be read without the secret, and those sealed apart.
    ///
    /// Of a hidden field the name and the kind are visible.
    var halves: (visible: ItemExtras, hidden: ItemExtras) {
        var visible: ItemExtras = [:]
        var hidden: ItemExtras = [:]
        for (name, value) in self {
            if ItemExtra.isVisible(name, value) {
                visible[name] = value
                continue
            }
            hidden[name] = value
            guard case .field = ItemExtra(name), let content = ItemField.Content(decoding: value)
            else { continue }
            visible[name] = ItemField.Content(content.kind, []).encoded
        }
        return (visible, hidden)
    }

    /// Equal extras have equal bytes.
    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactList(sorted { $0.key < $1.key }) { encoder, extra in
            encoder.compactInteger(extra.key.kind)
            encoder.compactBytes(extra.key.nameBytes)
            encoder.compactBytes(extra.value)
        }
        return encoder.encoded
    }

    /// - Throws: ``KeychainError/decode`` for anything but what ``encoded`` writes.
    init(decoding encoded: [UInt8]) throws(ItemStoreError) {
        do throws(RecordsError) {
            var decoder = CanonicalDecoder(encoded)
            let extras = try decoder.compactList(elementBytesMin: 3) {
                decoder throws(RecordsError) in
                let kind = try decoder.compactInteger()
                let name = ValueName(kind: kind, nameBytes: try decoder.compactBytes())
                return (name: name, value: try decoder.compactBytes())
            }
            try decoder.end()
            self.init(extras.map { ($0.name, $0.value) }) { _, last in last }
        } catch {
            throw .decode
        }
    }
}

extension ItemExtras {
    /// Sets these extras, where nil removes one.
    package mutating func change(_ changes: [ValueName: [UInt8]?]) {
        for (name, value) in changes { self[name] = value }
    }
}
