internal import GRDB
package import KSKeychain
internal import KSKeychainRecords
internal import KSRecords
package import KSResolution
internal import KSSealing
internal import KSSyncEngine

// The items of a device of a random world, and what its user does with them.

extension SimulatedDevice {
    static func account(item: Int) -> AttributeValue { .string("account \(item)") }

    package static func attributes(item: Int) -> [AttributeName: AttributeValue] {
        [
            .service: .string("service"), .account: account(item: item),
            .accessGroup: .string(group),
        ]
    }

    package static func key(item: Int) -> ItemKey {
        ItemKey(.genericPassword, attributes: attributes(item: item))
    }

    package func query(item: Int, wantsSecret: Bool = false) -> KeychainQuery {
        var attributes = Self.attributes(item: item)
        attributes[.accessGroup] = nil
        return KeychainQuery(
            .genericPassword,
            attributes: attributes,
            synchronizable: .yes,
            access: .groups([Self.group]),
            wantsSecret: wantsSecret
        )
    }

    package func add(item: Int, secret: String, note: String) throws {
        var attributes = Self.attributes(item: item)
        attributes[.synchronizable] = .boolean(true)
        attributes[.comment] = .string(note)
        // Some items can be changed while the device is locked.
        if item % 3 == 1 { attributes[.accessible] = .string("ck") }
        _ = try keychain.add(
            Item(.genericPassword, attributes: attributes, secret: Array(secret.utf8)),
            access: .groups([Self.group])
        )
    }

    package func change(
        item: Int,
        _ attributes: [AttributeName: AttributeValue] = [:],
        secret: String? = nil
    ) throws {
        let changes = ItemChanges(attributes: attributes, secret: secret.map { Array($0.utf8) })
        _ = try keychain.update(query(item: item), changes)
    }

    func has(item: Int) throws -> Bool {
        do {
            return try !keychain.find(query(item: item)).items.isEmpty
        } catch .itemNotFound {
            return false
        }
    }

    /// The device's record of an item.
    package func record(item: Int) throws -> LocalRecord {
        try replica.localRecord(of: Self.key(item: item))
    }

    /// The id of an item's record.
    func id(item: Int) -> RecordID {
        setting.fixture.keyRing.recordID(
            forCanonicalKey: Self.key(item: item).canonicalBytes,
            kind: .keychain
        )
    }

    /// What the server held of an item when the device last saw it.
    func state(item: Int) throws -> RecordState {
        let record = try record(item: item)
        return record.mirror ?? record.stub ?? RecordState()
    }

    /// The writes that its user sees in an item.
    func seen(item: Int) throws -> Set<Int> {
        Oracle.numbers(in: try record(item: item).view)
    }

    /// Every synchronized item of the keychain, by key; all devices must agree on these.
    package func contents() throws -> [[UInt8]: Item] {
        try database.unsafeRead { database in
            var contents: [[UInt8]: Item] = [:]
            for var item in try keychain.syncedItems(in: database) {
                // Each device has a reference of its own.
                item.persistentReference = nil
                contents[item.key.canonicalBytes] = item
            }
            return contents
        }
    }
}
