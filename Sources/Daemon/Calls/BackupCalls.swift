package import KSAgent
package import KSKeychain
internal import KSKeychainFiles
internal import KSRedaction

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
        // Gives the memory of the key derivation back, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        let path = try OwnFolder(path: daemon.shelf.places.homePath).outside(path)
        return BackedUp(items: try await daemon.owner.backUp(to: path, passphrase: passphrase))
    }
}

/// How many items are in a backup.
package struct BackedUp: AgentCoded, Codable {
    package var items: Int
}

/// Puts the items of a backup beside what is here.
package struct Restore: HandledCall, Codable {
    package typealias Answer = RestoreCounts
    package static let name = "restore"
    package static let permission = AgentPermission.seesAll

    package var path: String
    package var passphrase: [UInt8]

    package init(path: String, passphrase: [UInt8]) {
        self.path = path
        self.passphrase = passphrase
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> RestoreCounts {
        defer { ProcessProtection.giveMemoryBack() }
        return try await daemon.owner.restore(from: path, passphrase: passphrase)
    }
}

extension RestoreCounts: AgentCoded {}
