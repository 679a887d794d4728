internal import KSRecords
internal import KSRedaction

/// An item in a backup.
package struct BackupItem: Equatable, Sendable {
    private static let label = "backup item"
    private static let format: UInt64 = 1

    package let item: Item
    /// When it last changed, seconds since 2001-01-01 00:00 UTC.
    package let changedSeconds: Double
    /// The secrets that it had before, and those in conflict with it, oldest first.
    package let history: [[UInt8]]

    package init(item: Item, changedSeconds: Double, history: [[UInt8]]) {
        self.item = item
        self.changedSeconds = changedSeconds
        self.history = history
    }

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: Self.label)
        encoder.integer(Self.format)
        encoder.string(item.itemClass.rawValue)
        encoder.bytes(item.persistentReference ?? [])
        encoder.integer(changedSeconds.bitPattern)
        encoder.list(item.attributes.sorted { $0.key < $1.key }) { encoder, element in
            encoder.bytes(element.key.bytes)
            encoder.bytes(element.value.encoded)
        }
        encoder.list([item.secret].compactMap { $0 }) { $0.bytes($1) }
        encoder.list(history) { $0.bytes($1) }
        return encoder.encoded
    }

    /// - Throws: ``KeychainError/decode``, or ``KeychainError/newerFormat``.
    package init(decoding encoded: [UInt8]) throws(KeychainError) {
        do {
            var decoder = try CanonicalDecoder(encoded, label: Self.label)
            guard try decoder.integer() <= Self.format else { throw KeychainError.newerFormat }
            guard let itemClass = ItemClass(rawValue: try decoder.string()) else {
                throw KeychainError.newerFormat
            }
            let reference = try decoder.bytes()
            let changed = Double(bitPattern: try decoder.integer())
            let attributes = try decoder.list { decoder throws(RecordsError) in
                (name: try decoder.bytes(), value: try decoder.bytes())
            }
            let secrets = try decoder.list { decoder throws(RecordsError) in try decoder.bytes() }
            let history = try decoder.list { decoder throws(RecordsError) in try decoder.bytes() }
            try decoder.end()
            guard changed.isFinite, secrets.count <= 1, [0, 20].contains(reference.count) else {
                throw KeychainError.decode
            }
            var item = Item(
                itemClass,
                attributes: [:],
                secret: secrets.first,
                persistentReference: reference.isEmpty ? nil : reference
            )
            for (name, value) in attributes {
                let text = String(decoding: name, as: UTF8.self)
                guard let attribute = AttributeName(text) else { throw KeychainError.decode }
                item.attributes[attribute] = try AttributeValue(decoding: value)
            }
            self.init(item: item, changedSeconds: changed, history: history)
        } catch KeychainError.newerFormat {
            throw .newerFormat
        } catch {
            throw .decode
        }
    }
}

/// The secrets that an item had before, and those in conflict with its own.
package struct ItemPast: Sendable {
    /// The past and the conflicting secrets, oldest first.
    package let secrets: [[UInt8]]
    /// When the current secret was set, seconds since 2001-01-01 00:00 UTC; nil if unknown.
    package let changedSeconds: Double?

    package init(secrets: [[UInt8]], changedSeconds: Double?) {
        self.secrets = secrets
        self.changedSeconds = changedSeconds
    }
}

/// The result of a restore.
package struct RestoreCounts: Codable, Equatable, Sendable {
    package var added = 0
    /// Items that were here in an older version than the backup's.
    package var replaced = 0
    /// Items that are newer here than in the backup, or were deleted since.
    package var kept = 0
    package var unchanged = 0

    package init(added: Int = 0, replaced: Int = 0, kept: Int = 0, unchanged: Int = 0) {
        self.added = added
        self.replaced = replaced
        self.kept = kept
        self.unchanged = unchanged
    }
}

extension BackupItem: Redacted {}

extension ItemPast: Redacted {}
