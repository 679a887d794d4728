package import KSAgent
internal import GRDB
internal import KSBytes
internal import KSKeyValueRecords
internal import KSKeychain
internal import KSRedaction
package import KSSyncEngine

/// Counts what a device would lose with its keychain, also while it is locked.
package struct CountLoss: HandledCall, Codable {
    package typealias Answer = DeviceLoss
    package static let name = "device.loss"
    package static let permission = AgentPermission.seesAll
    package static let countsAsUse = false
    var waitsForServer: Bool { true }

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> DeviceLoss {
        try daemon.checkHome()
        let hasAccount = try daemon.owner.files.hasAccount()
        var loss = DeviceLoss()
        if hasAccount {
            let sync = await daemon.accounts.started()?.engine.syncNow()
            loss.isUnconfirmed = sync?.confirmsAll != true
            if case .deletionsHeld(let count)? = sync { loss.deleted = count }
            loss.unsent = try await daemon.owner.files.database.read {
                try Departure.unsentCount(in: $0)
            }
        } else {
            loss.values = try await daemon.owner.withKeyValues { try $0.entryCount() }
        }
        loss.items = try await daemon.owner.with {
            try $0.itemCount(alsoSynchronizable: !hasAccount)
        }
        return loss
    }
}

/// What only this device has.
package struct DeviceLoss: AgentCoded, Codable, Equatable {
    /// Items and values with changes that are not on the server.
    package var unsent = 0
    /// Items that are on no server.
    package var items = 0
    /// Values of key-value stores that are on no server.
    package var values = 0
    /// Items and values that other devices have deleted, and about which the user is asked.
    package var deleted = 0
    /// Whether the server has not said just now that it has the rest.
    package var isUnconfirmed = false

    package init() {}

    /// What would be lost, in words; nil if nothing would be.
    package var sentence: String? {
        var parts: [String] = []
        if unsent > 0 { parts.append("the unsent changes of \(countedEntries(unsent))") }
        if items > 0 { parts.append("\(counted(items, "item")) of this device alone") }
        if values > 0 { parts.append("\(counted(values, "value")) of this device alone") }
        if deleted > 0 {
            parts.append("\(countedEntries(deleted)) that other devices have deleted")
        }
        if isUnconfirmed {
            parts.append("whatever the server does not have (it did not confirm now what it has)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension SyncOutcome {
    /// Whether the server has said just now that it has all that is on this device.
    ///
    /// Only then may the device lose its copy. Each other outcome may be of a server that has lost
    /// it, or shows it to nobody.
    package var confirmsAll: Bool {
        switch self {
        // The deletions are a question of its own.
        case .synced, .deletionsHeld: true
        case .open, .held, .failed, .locked, .restoredTooOften, .databaseFailed, .stopped: false
        }
    }

    /// Whether the same sync may succeed later by itself.
    var mayBeRepeated: Bool {
        CommandFailure(self).map { [.tryAgain, .serverOutOfReach].contains($0.exit) } ?? true
    }
}
