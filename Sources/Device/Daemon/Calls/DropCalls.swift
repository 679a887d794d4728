package import KSAgent
internal import KSDeviceKeys
internal import KSKeychainRecords
internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSPersonalItems
internal import KSRecords
internal import KSRedaction
internal import KSResolution
internal import KSSyncEngine

/// Lists what ``Examine`` would drop.
package struct FindDroppable: HandledCall, Codable {
    package typealias Answer = [DroppedRecord]
    package static let name = "doctor.droppable"
    package static let permission = AgentPermission.seesAll
    package static let countsAsUse = false

    /// The code of a record, or ``Examine/allRecords``.
    package var drop: String

    package init(_ drop: String) { self.drop = drop }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [DroppedRecord] {
        let prefix = try DroppedRecord.prefix(of: drop)
        let engine = try await daemon.engineOfOpenKeychain()
        let found = try await engine.withReplica { try $0.droppable(beginning: prefix) }
        return found.map(DroppedRecord.init)
    }
}

/// A record with versions that cannot be read, which its user drops.
package struct DroppedRecord: AgentCoded, Codable, Equatable {
    package var item: String
    /// Why they cannot be read.
    package var reason: String
    /// What this device can read of the record, by its name: it stays, and goes up again.
    @OrNull
    package var readable: String?

    package init(item: String, reason: String, readable: String?) {
        (self.item, self.reason, self.readable) = (item, reason, readable)
    }

    init(_ record: DroppableRecord) {
        self.init(
            item: ItemCode(record.record).text,
            reason: record.reason.rawValue,
            readable: record.readableName
        )
    }

    /// The first bytes of the records that a person names; nil for all.
    static func prefix(of drop: String) throws(CommandFailure) -> [UInt8]? {
        let code = ItemCode(parsing: drop)
        guard code != nil || drop == Examine.allRecords else { throw .malformedCode }
        return code?.bytes
    }
}

extension DroppableRecord {
    /// The name of the entry that the device shows; nil if it shows none.
    fileprivate var readableName: String? {
        guard view.isAlive else { return nil }
        switch kind {
        case .keychain:
            guard let item = SyncedKeychain.entry(of: view) else { return nil }
            let personal = PersonalItem(item)
            let place = personal.place == personal.title ? "" : personal.place
            return [personal.title, personal.userName, place].filter { !$0.isEmpty }
                .joined(separator: "  ")
        case .keyValue:
            guard let name = SyncedKeyValues.entry(of: view)?.name else { return nil }
            return "\(name.store.text) \(name.key)"
        default: return nil
        }
    }
}
