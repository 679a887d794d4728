package import KSAgent
internal import KSKeychainFiles
internal import KSRedaction
package import KSSyncEngine

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
        try await letBatchArrive(on: daemon)
        let counts = try await daemon.owner.backUp(to: path, passphrase: passphrase) {
            done,
            total in
            let (done, total) = (UInt64(done), UInt64(total))
            caller.reportProgress(AgentProgress(done: done, total: total, text: "Reading items"))
        }
        return BackedUp(items: counts.items, entries: counts.entries)
    }

    /// Waits shortly for the answer to a batch under way, which is taken apart otherwise.
    private func letBatchArrive(on daemon: CallHandler) async throws {
        for _ in 0..<Self.looksAtBatch where try await daemon.owner.hasBatch() {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static let looksAtBatch = 50
}

/// How many items are in a backup, and how many entries of key-value stores.
package struct BackedUp: AgentCoded, Codable {
    package var items: Int
    package var entries: Int
}

/// Joins a backup with the keychain and the key-value stores.
package struct Restore: HandledCall, Codable {
    package typealias Answer = Restored
    package static let name = "restore"
    package static let permission = AgentPermission.seesAll

    package var path: String
    package var passphrase: [UInt8]
    /// Whether also what the account has deleted since the backup.
    package var undeletes: Bool

    package init(path: String, passphrase: [UInt8], undeletes: Bool = false) {
        (self.path, self.passphrase, self.undeletes) = (path, passphrase, undeletes)
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Restored {
        defer { ProcessProtection.giveMemoryBack() }
        let counts = try await daemon.owner.restore(
            from: path,
            passphrase: passphrase,
            undeletes: undeletes
        ) { done, total in
            let (done, total) = (UInt64(done), UInt64(total))
            caller.reportProgress(AgentProgress(done: done, total: total, text: "Restoring items"))
        }
        return Restored(items: counts.items, entries: counts.entries)
    }
}

/// The result for the items of a backup, and for its entries of key-value stores.
package struct Restored: AgentCoded, Codable {
    package var items: RestoreCounts
    package var entries: RestoreCounts

    package init(items: RestoreCounts, entries: RestoreCounts) {
        self.items = items
        self.entries = entries
    }

    /// How many the account has deleted since the backup.
    package var deleted: Int { items.leftOut.deleted + entries.leftOut.deleted }

    /// How many are not here now, not even in another version.
    package var notRestored: Int {
        items.leftOut.sum - items.leftOut.newerHere + entries.leftOut.sum
    }

    /// Adds the result of a second restore, which brought back what had been deleted.
    package mutating func addUndeleted(_ second: Restored) {
        items.addUndeleted(second.items)
        entries.addUndeleted(second.entries)
    }
}
