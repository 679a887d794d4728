internal import KSSealing
internal import KSDigests
package import GRDB

extension Keychain {
    /// Adds an item; what it does not say gets the class's defaults.
    ///
    /// - Returns: the item as it is kept, with its persistent reference.
    /// - Throws: ``KeychainError/duplicateItem`` when there is one of the same key.
    @discardableResult
    package func add(
        _ item: Item,
        access: CallerAccess
    ) throws(KeychainError) -> Item {
        try write { try addUnguarded(item, access: access, in: $0) }
    }

    /// Adds an item as a part of a transaction, which goes on when this fails.
    @discardableResult
    package func add(
        _ item: Item,
        access: CallerAccess,
        in database: Database
    ) throws(KeychainError) -> Item {
        try database.undoable { try addUnguarded(item, access: access, in: database) }
    }

    private func addUnguarded(
        _ given: Item,
        access: CallerAccess,
        in database: Database
    ) throws -> Item {
        var item = try completed(given, access: access)
        let row = random.bytes(16)
        // Sealed first: while its class is locked, an add says so whatever else is wrong.
        let sealed = try rows.sealEarly(item, row: row)
        // Who comes back after a delete is known by the name it had.
        item.persistentReference = try makeWay(
            for: sealed,
            of: item,
            except: nil,
            in: database
        )
        let kept = try insert(item, sealed: sealed, row: row, in: database)
        try record(before: nil, after: kept, in: database)
        return kept
    }

    /// The item with all values in the form they are kept in, and what was left out filled in.
    private func completed(
        _ given: Item,
        access: CallerAccess
    ) throws(KeychainError) -> Item {
        let defaultGroup = try access.defaultGroup()
        var item = Item(given.itemClass, attributes: [:], secret: given.secret)
        for (name, value) in given.attributes.sorted(by: { $0.key < $1.key }) {
            item.attributes[name] = try given.itemClass.attribute(name).kind.converted(value)
        }
        if let group = item.attributes[.accessGroup] { try access.check(group) }
        item.attributes[.accessGroup] = item.attributes[.accessGroup] ?? .string(defaultGroup)
        if item.attributes[.accessible] == nil, item.accessGroup == Self.pushGroup {
            let accessibility = ProtectionClass.alwaysThisDeviceOnly
            item.attributes[.accessible] = .string(accessibility.letters)
        }
        let now = now
        for description in given.itemClass.attributes {
            switch description.defaultValue {
            case .none, .absentAsEmpty:
                break
            case .value(let value):
                item.attributes[description.name] = item.attributes[description.name] ?? value
            case .now:
                item.attributes[description.name] = .date(now)
            case .callersGroup:
                let name = description.name
                item.attributes[name] = item.attributes[name] ?? .string(defaultGroup)
            }
        }
        try item.checkMeaning()
        item.attributes[.digest] = .data(ItemDigest.of(item))
        return item
    }

    /// Whose items Apple's keychain keeps readable always, and here, unless they say otherwise.
    private static let pushGroup = "com.apple.apsd"
}

extension Item {
    /// The most that the attributes and secret of an item may take together.
    static let bytesMax = 16 << 20

    /// The same for an item that must fit into a record, several versions of it if need be.
    static let syncedBytesMax = 64 << 10

    /// Refuses what no item may say.
    ///
    /// - Throws: ``KeychainError/parameter``, or ``KeychainError/dataTooLarge``.
    func checkMeaning() throws(KeychainError) {
        guard attributes[.tombstone] != .integer(1) else { throw .parameter }
        if isSynchronizable {
            // What an access control demands can be asked for by this device alone.
            guard attributes[.accessControl] == nil else { throw .parameter }
            // Neither a sharing group nor a user of this machine means anything on another device.
            guard
                attributes[.sharingGroup]?.content.isEmpty != false,
                attributes[.multiUser]?.content.isEmpty != false
            else { throw .parameter }
        }
        let size = attributes.values.reduce(secret?.count ?? 0) { $0 + $1.content.count }
        guard size <= (isSynced ? Self.syncedBytesMax : Self.bytesMax) else {
            throw .dataTooLarge
        }
    }
}
