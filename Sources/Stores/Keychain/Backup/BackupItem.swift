internal import KSRecords
internal import KSRedaction

/// An item of this device alone in a backup; synced ones are in it as records.
package struct BackupItem: Equatable, Sendable {
    private static let label = "backup item"
    private static let format: UInt64 = 1

    package let item: Item

    package init(_ item: Item) { self.item = item }

    /// Whether these bytes are an item, and not a record.
    package static func isItem(_ encoded: [UInt8]) -> Bool {
        encoded.starts(with: CanonicalEncoder(label: label).encoded)
    }

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: Self.label)
        encoder.integer(Self.format)
        encoder.string(item.itemClass.rawValue)
        encoder.bytes(item.persistentReference ?? [])
        encoder.list(item.attributes.sorted { $0.key < $1.key }) { encoder, element in
            encoder.bytes(element.key.bytes)
            encoder.bytes(element.value.encoded)
        }
        encoder.list([item.secret].compactMap { $0 }) { $0.bytes($1) }
        encoder.bytes(item.extras.encoded)
        return encoder.encoded
    }

    /// - Throws: ``KeychainError/decode``, or ``KeychainError/newerFormat``.
    package init(decoding encoded: [UInt8]) throws(ItemStoreError) {
        do {
            var decoder = try CanonicalDecoder(encoded, label: Self.label)
            guard try decoder.integer() <= Self.format else { throw ItemStoreError.newerFormat }
            guard let itemClass = ItemClass(rawValue: try decoder.string()) else {
                throw ItemStoreError.newerFormat
            }
            let reference = try decoder.bytes()
            let attributes = try decoder.list { decoder throws(RecordsError) in
                (name: try decoder.bytes(), value: try decoder.bytes())
            }
            let secrets = try decoder.list { decoder throws(RecordsError) in try decoder.bytes() }
            let extras = try ItemExtras(decoding: try decoder.bytes())
            try decoder.end()
            guard secrets.count <= 1, [0, 20].contains(reference.count) else {
                throw ItemStoreError.decode
            }
            var item = Item(
                itemClass,
                attributes: [:],
                secret: secrets.first,
                extras: extras,
                persistentReference: reference.isEmpty ? nil : reference
            )
            for (name, value) in attributes {
                let text = String(decoding: name, as: UTF8.self)
                guard let attribute = AttributeName(text) else { throw ItemStoreError.decode }
                item.attributes[attribute] = try AttributeValue(decoding: value)
            }
            self.init(item)
        } catch ItemStoreError.newerFormat {
            throw .newerFormat
        } catch {
            throw .decode
        }
    }
}

/// What a restore did with an item of this device alone.
package enum RestoredItem: Equatable, Sendable {
    case added
    /// It was here in an older version.
    case replaced
    case unchanged
    /// It is here in a newer version, which stays.
    case newerHere
}

extension BackupItem: Redacted {}
