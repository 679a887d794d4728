internal import KSRedaction

/// A call of `keychain` about keychains as a whole, or about certificates and keys in them.
package protocol KeychainsCall: AgentCall, Codable {}

extension KeychainsCall {
    package static var failsByStatus: Bool { true }
}

/// Which keychains are searched, and which one takes new items.
package struct ListKeychains: KeychainsCall {
    package typealias Answer = KeychainList
    package static let name = "keychains.list"
    package static let permission = AgentPermission.seesAll

    package init() {}
}

/// The paths of keychains, as they are shown.
package struct KeychainList: AgentCoded, Codable {
    package var search: [String]
    @OrNull
    package var `default`: String?
    package var login: String?

    package init(search: [String], `default`: String? = nil, login: String? = nil) {
        self.search = search
        self.default = `default`
        self.login = login
    }
}

/// Sets which keychains are searched.
package struct SetSearchList: KeychainsCall {
    package static let name = "keychains.setSearch"
    package static let permission = AgentPermission.seesAll

    package var keychains: [String]?

    package init(keychains: [String]? = nil) { self.keychains = keychains }
}

/// Sets the keychain that takes new items; nil for none.
package struct SetDefaultKeychain: KeychainsCall {
    package static let name = "keychains.setDefault"
    package static let permission = AgentPermission.seesAll

    package var keychain: String?

    package init(keychain: String? = nil) { self.keychain = keychain }
}

/// Gives the folder of keychains the name that it has on macOS.
package struct NameKeychainFolder: KeychainsCall {
    package static let name = "keychains.nameFolder"
    package static let permission = AgentPermission.seesAll

    package var path: String

    package init(path: String) { self.path = path }
}

/// Makes a keychain.
package struct CreateKeychain: KeychainsCall {
    package static let name = "keychains.create"
    package static let permission = AgentPermission.seesAll

    package var keychain: String
    package var password: [UInt8]

    package init(keychain: String, password: [UInt8]) {
        self.keychain = keychain
        self.password = password
    }
}

/// Deletes a keychain, and takes it off the search list.
package struct DeleteKeychain: KeychainsCall {
    package static let name = "keychains.delete"
    package static let permission = AgentPermission.seesAll

    package var keychain: String

    package init(keychain: String) { self.keychain = keychain }
}

/// Locks a keychain, or all.
package struct LockKeychain: KeychainsCall {
    package static let name = "keychains.lock"
    package static let permission = AgentPermission.seesAll

    /// Nil for the default keychain.
    package var keychain: String?
    package var all: Bool?

    package init(keychain: String? = nil, all: Bool? = nil) {
        self.keychain = keychain
        self.all = all
    }
}

/// Unlocks a keychain.
package struct UnlockKeychain: KeychainsCall {
    package static let name = "keychains.unlock"
    package static let permission = AgentPermission.seesAll

    /// Nil for the default keychain.
    package var keychain: String?
    package var password: [UInt8]

    package init(keychain: String? = nil, password: [UInt8]) {
        self.keychain = keychain
        self.password = password
    }
}

/// Changes the password of a keychain; an empty one means no password.
package struct SetKeychainPassword: KeychainsCall {
    package static let name = "keychains.setPassword"
    package static let permission = AgentPermission.seesAll

    /// Nil for the default keychain.
    package var keychain: String?
    package var old: [UInt8]
    package var new: [UInt8]

    package init(keychain: String? = nil, old: [UInt8], new: [UInt8]) {
        (self.keychain, self.old, self.new) = (keychain, old, new)
    }
}

/// When a keychain locks itself.
package struct GetKeychainSettings: KeychainsCall {
    package typealias Answer = KeychainSettingsAnswer
    package static let name = "keychains.settings"
    package static let permission = AgentPermission.seesAll

    /// Nil for the default keychain.
    package var keychain: String?

    package init(keychain: String? = nil) { self.keychain = keychain }
}

/// When a keychain locks itself, and whether it is locked now.
package struct KeychainSettingsAnswer: AgentCoded, Codable {
    package var lockOnSleep: Bool
    package var useInterval: Bool
    @OrNull
    package var seconds: Int?
    package var locked: Bool

    package init(lockOnSleep: Bool, useInterval: Bool, seconds: Int? = nil, locked: Bool) {
        (self.lockOnSleep, self.useInterval, self.seconds) = (lockOnSleep, useInterval, seconds)
        self.locked = locked
    }
}

/// Sets when a keychain locks itself.
package struct SetKeychainSettings: KeychainsCall {
    package static let name = "keychains.setSettings"
    package static let permission = AgentPermission.seesAll

    /// Nil for the default keychain.
    package var keychain: String?
    package var lockOnSleep: Bool?
    package var useInterval: Bool?
    package var seconds: Int64?

    package init() {}
}
