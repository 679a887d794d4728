internal import KSRedaction

/// How the device's lock stands.
package struct GetLockStatus: AgentCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.state"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}
}

/// The state of the lock, and what locks by itself.
package struct LockStatus: AgentCoded, Codable {
    package var lock: String
    package var passcode: Bool
    @OrNull
    package var lockAfterMinutes: Int?

    package init(lock: String = "unlocked", passcode: Bool = false, lockAfterMinutes: Int? = nil) {
        self.lock = lock
        self.passcode = passcode
        self.lockAfterMinutes = lockAfterMinutes
    }
}

/// Locks the device.
package struct LockDevice: AgentCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.lock"
    package static let permission = AgentPermission.anyProgram

    package init() {}
}

/// Unlocks the device.
package struct UnlockDevice: AgentCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.unlock"
    package static let permission = AgentPermission.seesAll

    package var passcode: [UInt8]?

    package init(passcode: [UInt8]? = nil) { self.passcode = passcode }
}

/// Sets, changes or removes the passcode: what is nil is not there.
package struct ChangePasscode: AgentCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.passcode"
    package static let permission = AgentPermission.seesAll

    package var old: [UInt8]?
    package var new: [UInt8]?

    package init(old: [UInt8]? = nil, new: [UInt8]? = nil) {
        self.old = old
        self.new = new
    }
}

/// Locks after so many minutes without use; nil for never.
package struct LockAfter: AgentCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.lockAfter"
    package static let permission = AgentPermission.seesAll

    package var minutes: Int64?

    package init(minutes: Int64? = nil) { self.minutes = minutes }
}

/// Seals a file.
package struct ProtectFile: AgentCall, Codable {
    package static let name = "file.protect"
    package static let permission = AgentPermission.hasAccessGroup

    package var path: String
    /// Nil: it takes the file's place.
    package var output: String?
    package var `class`: String

    package init(path: String, output: String? = nil, `class`: String) {
        self.path = path
        self.output = output
        self.class = `class`
    }
}

/// Opens a sealed file.
package struct UnprotectFile: AgentCall, Codable {
    package static let name = "file.unprotect"
    package static let permission = AgentPermission.hasAccessGroup

    package var path: String
    package var output: String?

    package init(path: String, output: String? = nil) {
        self.path = path
        self.output = output
    }
}

/// What a sealed file holds.
package struct ReadProtectedFile: AgentCall, Codable {
    package typealias Answer = ProtectedContents
    package static let name = "file.contents"
    package static let permission = AgentPermission.hasAccessGroup
    package var mayRepeat: Bool { true }

    package var path: String

    package init(path: String) { self.path = path }
}

/// What a sealed file holds.
package struct ProtectedContents: AgentCoded, Codable {
    package var contents: [UInt8]

    package init(contents: [UInt8]) { self.contents = contents }
}

/// Writes a backup.
package struct BackUp: AgentCall, Codable {
    package typealias Answer = BackedUp
    package static let name = "backup"
    package static let permission = AgentPermission.seesAll

    package var path: String
    package var passphrase: [UInt8]

    package init(path: String, passphrase: [UInt8]) {
        self.path = path
        self.passphrase = passphrase
    }
}

/// How many items are in a backup, and how many entries of key-value stores.
package struct BackedUp: AgentCoded, Codable {
    package var items: Int
    package var entries: Int

    package init(items: Int, entries: Int) {
        self.items = items
        self.entries = entries
    }
}

/// Puts the items of a backup beside what is here.
package struct Restore: AgentCall, Codable {
    package typealias Answer = Restored
    package static let name = "restore"
    package static let permission = AgentPermission.seesAll

    package var path: String
    package var passphrase: [UInt8]

    package init(path: String, passphrase: [UInt8]) {
        self.path = path
        self.passphrase = passphrase
    }
}

/// How many items of a backup were added, replaced, kept or unchanged.
package struct Restored: AgentCoded, Codable {
    package var added: Int
    package var replaced: Int
    package var kept: Int
    package var unchanged: Int
    package var keyValues: RestoredCounts

    package init(
        added: Int,
        replaced: Int,
        kept: Int,
        unchanged: Int,
        keyValues: RestoredCounts = RestoredCounts()
    ) {
        self.added = added
        self.replaced = replaced
        self.kept = kept
        self.unchanged = unchanged
        self.keyValues = keyValues
    }
}

/// The same of the entries of key-value stores.
package struct RestoredCounts: Codable, Equatable, Sendable {
    package var added: Int
    package var replaced: Int
    package var kept: Int
    package var unchanged: Int

    package init(added: Int = 0, replaced: Int = 0, kept: Int = 0, unchanged: Int = 0) {
        self.added = added
        self.replaced = replaced
        self.kept = kept
        self.unchanged = unchanged
    }
}

/// Ends the daemon, once it has answered.
package struct StopDaemon: AgentCall, Codable {
    package static let name = "stop"
    package static let permission = AgentPermission.anyProgram

    package init() {}
}

extension ProtectedContents: Redacted {}
