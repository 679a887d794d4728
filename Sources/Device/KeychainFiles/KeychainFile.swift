internal import KSAgent
package import KSDigests
internal import Foundation
internal import GRDB
package import KSKeychain
package import KSDeviceKeys
package import KSSealing
package import KSSecItem

/// A further keychain that is open: its items, its lock and its settings.
///
/// Its password protects it as the passcode protects a device. A keychain with an empty password
/// can be locked too; the empty password unlocks it.
package final class KeychainFile {
    package let keychain: ItemStore
    package private(set) var settings: KeychainSettings
    package let keys: LocalKeyFile
    private let parts: KeychainParts

    /// The access of `keychain` and of the daemon itself.
    package static let program = ProgramAccess(accessGroups: [group], seesAllGroups: true)
    /// The access of every caller: only programs that see all access groups get here.
    package static let access = program.callerAccess
    /// The group of everything that `keychain` and imports add, to the login keychain as well.
    ///
    /// It is the same on every device, because the group is part of an item's key.
    package static let group = "keychain"

    /// Creates a keychain, which is then unlocked.
    package static func create(
        path: String,
        password: [UInt8],
        random: any RandomSource
    ) throws -> KeychainFile {
        var file = try KeychainFileStorage.begin(path: path)
        // Prepared in memory, so that nothing that opens without the password reaches the disk.
        let memory = try KeychainFileStorage.inMemory()
        let parts = KeychainParts(database: memory)
        let keys = try LocalKeyFile.open(storage: parts, random: random, mayCreate: true)
        if !password.isEmpty { try keys.setPasscode(password) }
        try KeychainSettings().save(parts)
        parts.move(to: try KeychainFileStorage.finish(&file, path: path, contents: memory))
        return try KeychainFile(parts: parts, keys: keys, random: random)
    }

    /// Opens an existing keychain, which is then locked unless its password is empty.
    package static func open(path: String, random: any RandomSource) throws -> KeychainFile {
        let parts = KeychainParts(database: try KeychainFileStorage.open(path: path))
        let keys = try LocalKeyFile.open(storage: parts, random: random, mayCreate: false)
        return try KeychainFile(parts: parts, keys: keys, random: random)
    }

    private init(parts: KeychainParts, keys: LocalKeyFile, random: any RandomSource) throws {
        self.parts = parts
        self.keys = keys
        settings = try KeychainSettings.load(parts)
        keychain = ItemStore(
            database: parts.database,
            sealing: LocalRowSealing(keys, random: random),
            clock: { Date().timeIntervalSince1970 },
            random: random,
            // The daemon of another home may change the file at any time.
            othersWrite: true
        )
    }

    package var isLocked: Bool { keys.lockState != .unlocked }

    package func set(_ settings: KeychainSettings) throws {
        try settings.save(parts)
        self.settings = settings
    }

    package func close() throws {
        try parts.database.close()
    }
}

extension LocalKeyFile {
    /// Unlocks all classes; an empty password means no password.
    package func unlock(password: [UInt8]) throws(SealingError) {
        // Trying a password takes 128 MiB.
        defer { ProcessProtection.giveMemoryBack() }
        try unlock(passcode: hasPasscode || !password.isEmpty ? password : nil)
    }

    /// Sets, changes or removes the passcode; an empty one means no passcode.
    package func setPassword(from old: [UInt8], to new: [UInt8]) throws(SealingError) {
        defer { ProcessProtection.giveMemoryBack() }
        switch (hasPasscode, new.isEmpty) {
        case (true, false): try changePasscode(from: old, to: new)
        case (true, true): try removePasscode(old)
        case (false, let isEmpty):
            guard old.isEmpty else { throw .wrongPasscode }
            try unlock()
            if !isEmpty { try setPasscode(new) }
        }
    }
}
