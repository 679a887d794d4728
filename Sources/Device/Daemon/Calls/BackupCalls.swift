package import KSAgent
package import KSKeychain
internal import KSKeychainFiles
internal import KSRedaction
internal import KSSyncEngine

/// Writes a backup.
package struct BackUp: HandledCall, Codable {
    package typealias Answer = BackedUp
    package static let name = "backup"
    package static let permission = AgentPermission.seesAll

    package var path: String
    package var passphrase: [UInt8]

    package init(path: String, passphrase: [UInt8]) {
        self.path = path
        self.passphrase = passphrase
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> BackedUp {
        // Returns the memory of the key derivation to the system, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        let path = try OwnFolder(path: daemon.shelf.places.homePath).outside(path)
        let counts = try await daemon.owner.backUp(to: path, passphrase: passphrase)
        return BackedUp(items: counts.items, entries: counts.entries)
    }
}

/// How many items are in a backup, and how many entries of key-value stores.
package struct BackedUp: AgentCoded, Codable {
    package var items: Int
    package var entries: Int
}

/// Merges a backup into the keychain and the key-value stores.
package struct Restore: HandledCall, Codable {
    package typealias Answer = Restored
    package static let name = "restore"
    package static let permission = AgentPermission.seesAll

    package var path: String
    package var passphrase: [UInt8]

    package init(path: String, passphrase: [UInt8]) {
        self.path = path
        self.passphrase = passphrase
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Restored {
        defer { ProcessProtection.giveMemoryBack() }
        let status = try await daemon.accounts.started()?.engine.status()
        let counts = try await daemon.owner.restore(
            from: path,
            passphrase: passphrase,
            isFirstSyncDue: status.map { $0.state.lastSuccessMilliseconds == nil } ?? false
        )
        return Restored(items: counts.items, entries: counts.entries)
    }
}

/// The result for the items of a backup, and for its entries of key-value stores.
package struct Restored: AgentCoded, Codable {
    package var items: RestoreCounts
    package var entries: RestoreCounts
}
