internal import KSSealing
internal import KSBytes
internal import KSDigests
internal import KSDeviceKeys
internal import Foundation
internal import GRDB

/// Turns items into rows and rows into items.
struct ItemRows {
    let sealing: any RowSealing
    let random: any RandomSource

    // MARK: Digests

    /// The type of a whole primary key, beside the types of single values.
    private static let wholeKeyType: UInt64 = 4

    func digest(
        of form: ComparableForm,
        in itemClass: ItemClass,
        _ name: AttributeName,
        isAlwaysReadable: Bool
    ) throws(ItemStoreError) -> [UInt8] {
        try sealing.digest(
            type: form.type,
            value: form.bytes,
            table: itemClass.rawValue,
            column: name.text,
            isAlwaysReadable: isAlwaysReadable
        )
    }

    /// The digest that no two rows of a table share: of the key, whether the item is
    /// synchronizable, and the user.
    func primaryKey(
        of key: ItemKey,
        isSynchronizable: Bool,
        user: [UInt8]
    ) throws(ItemStoreError) -> [UInt8] {
        try sealing.digest(
            type: Self.wholeKeyType,
            value: [isSynchronizable ? 1 : 0, UInt8(user.count)] + user + key.canonicalBytes,
            table: key.itemClass.rawValue,
            column: "primaryKey",
            isAlwaysReadable: false
        )
    }

    func primaryKey(of item: Item) throws(ItemStoreError) -> [UInt8] {
        try primaryKey(
            of: item.key,
            isSynchronizable: item.isSynchronizable,
            user: item.attributes[.multiUser]?.content ?? []
        )
    }

    // MARK: Sealing

    /// The sealed columns of an item's row, without its reference.
    struct SealedItem {
        /// 16 random bytes that identify the row, here and in the seals of its halves.
        let row: [UInt8]
        let primaryKey: [UInt8]
        /// In the order of `pdmn` to the last digest column in ``ItemSQL/update``.
        let columns: [(any DatabaseValueConvertible)?]
        let alwaysDigests: [(column: String, digest: [UInt8])]
        /// Whether the search columns still have to be filled in, once their keys are there.
        let isUnfinished: Bool
    }

    /// The columns by which a row is found.
    struct SearchColumns {
        let primaryKey: [UInt8]
        /// In the order of ``ItemSQL/digested``.
        let digests: [[UInt8]?]
        var isUnfinished = false
    }

    /// Seals an item for the given row, or for a new one.
    func seal(_ item: Item, row: [UInt8]? = nil) throws(ItemStoreError) -> SealedItem {
        let search = SearchColumns(
            primaryKey: try primaryKey(of: item),
            digests: try digests(of: item)
        )
        return try seal(item, row: row ?? random.bytes(16), search)
    }

    func seal(
        _ item: Item,
        row: [UInt8],
        _ search: SearchColumns
    ) throws(ItemStoreError) -> SealedItem {
        let revision = random.bytes(16)
        let digested = item.itemClass.sql.digested
        let group = zip(digested, search.digests).first { $0.0.name == .accessGroup }?.1
        func sealed(
            _ text: [UInt8],
            _ part: RowContext.Part
        ) throws(ItemStoreError) -> [UInt8] {
            let context = RowContext(
                rowID: row,
                part: part,
                table: item.itemClass.rawValue,
                protectionClass: item.accessibility,
                // The digest of the access group: a row opens without the group's name, but not if
                // its group was swapped.
                accessGroup: String(hexadecimal: group ?? []),
                revision: revision
            )
            return try sealing.seal(text, context)
        }
        let halves = halves(of: item)
        let attributes = try sealed(HalfCoding.encode(halves.attributes), .attributes)
        let secret = try sealed(HalfCoding.encode(halves.secret), .secret)
        let hidden = item.extras.halves.hidden
        let extras = hidden.isEmpty ? nil : try sealed(hidden.encoded, .extras)
        let columns: [(any DatabaseValueConvertible)?] = [
            item.accessibility.letters, item.isSynchronizable, item.isTombstone, Data(revision),
            Data(search.primaryKey), Data(attributes), Data(secret),
            extras.map { Data($0) },
        ]
        return SealedItem(
            row: row,
            primaryKey: search.primaryKey,
            columns: columns + search.digests.map { $0.map { Data($0) } },
            alwaysDigests: try alwaysDigests(of: item),
            isUnfinished: search.isUnfinished
        )
    }

    /// The digests of an item's search columns, in the order of ``ItemSQL/digested``; nil for an
    /// absent value that has no default.
    private func digests(
        of item: Item,
        isAlwaysReadable: Bool = false
    ) throws(ItemStoreError) -> [[UInt8]?] {
        try item.itemClass.sql.digested.map { description throws(ItemStoreError) in
            try item.comparableForm(of: description).map { form throws(ItemStoreError) in
                try digest(
                    of: form,
                    in: item.itemClass,
                    description.name,
                    isAlwaysReadable: isAlwaysReadable
                )
            }
        }
    }

    /// The item's digests for `always_digest`; empty for all but the two Always classes.
    private func alwaysDigests(
        of item: Item
    ) throws(ItemStoreError) -> [(column: String, digest: [UInt8])] {
        guard item.accessibility.isAlways else { return [] }
        let digests = try digests(of: item, isAlwaysReadable: true)
        return zip(item.itemClass.sql.digested, digests).compactMap { description, digest in
            digest.map { (description.name.text, $0) }
        }
    }

    private func halves(
        of item: Item
    ) -> (attributes: [AttributeName: AttributeValue], secret: [AttributeName: AttributeValue]) {
        var attributes = item.attributes
        var secret: [AttributeName: AttributeValue] = [:]
        for description in item.itemClass.attributes where description.isWithSecret {
            secret[description.name] = attributes.removeValue(forKey: description.name)
        }
        // A caller that opens only the secret needs the access control too.
        secret[.accessControl] = attributes[.accessControl]
        secret[.secretData] = item.secret.map { .data($0) }
        let visible = item.extras.halves.visible
        if !visible.isEmpty { attributes[.visibleExtras] = .data(visible.encoded) }
        return (attributes, secret)
    }

    // MARK: Opening

    /// Opens the sealed columns that were selected.
    ///
    /// - Throws: ``KeychainError/decode`` if a half was changed or contradicts its row;
    ///   ``KeychainError/interactionNotAllowed`` while its class is locked.
    func open(_ stored: StoredRow) throws(ItemStoreError) -> Item {
        var item = Item(
            stored.itemClass,
            attributes: [:],
            persistentReference: stored.persistentReference
        )
        if let box = stored.attributes {
            item.attributes = try HalfCoding.decode(
                try sealing.open(box, stored.context(.attributes))
            )
            if case .data(let visible) = item.attributes.removeValue(forKey: .visibleExtras) {
                item.extras = try ItemExtras(decoding: visible)
            }
            guard item.accessibility == stored.accessibility,
                item.isSynchronizable == stored.isSynchronizable,
                item.isTombstone == stored.isTombstone
            else { throw .decode }
        }
        if let box = stored.secret {
            let half = try HalfCoding.decode(try sealing.open(box, stored.context(.secret)))
            for (name, value) in half where name != .secretData { item.attributes[name] = value }
            switch half[.secretData] {
            case .data(let bytes): item.secret = bytes
            case nil: item.secret = nil
            case .string, .integer, .date: throw .decode
            }
        }
        if let box = stored.extras {
            let hidden = try ItemExtras(
                decoding: try sealing.open(box, stored.context(.extras))
            )
            item.extras.merge(hidden) { _, hidden in hidden }
        }
        return item
    }

    /// Opens a row, or says whether it is locked or damaged.
    func opened(_ stored: StoredRow) -> OpenedRow {
        do throws(ItemStoreError) {
            return .item(try open(stored))
        } catch .interactionNotAllowed {
            return .locked
        } catch {
            return .damaged
        }
    }
}
