package import KSKeychain

/// What one program may do with the keychain, and which key-value store it has.
package struct ProgramAccess: Equatable, Sendable {
    /// In the order of the entitlements that name them.
    ///
    /// A new item goes to the first group if it names none. The group `*` stands for all groups.
    package var accessGroups: [String]
    /// Whether the program may use every group, whatever ``accessGroups`` holds.
    package var seesAllGroups: Bool
    /// The names of the other Apple entitlements that the program has.
    package var entitlements: Set<String>
    /// The key-value store of a program that names none; nil for that of its executable.
    package var keyValueStore: String?

    package init(
        accessGroups: [String],
        seesAllGroups: Bool = false,
        entitlements: Set<String> = [],
        keyValueStore: String? = nil
    ) {
        self.accessGroups = accessGroups
        self.seesAllGroups = seesAllGroups
        self.entitlements = entitlements
        self.keyValueStore = keyValueStore
    }

    private static let wildcard = "*"

    /// The same access, in the form that ``Keychain`` takes.
    package var callerAccess: CallerAccess {
        if seesAllGroups || accessGroups.contains(Self.wildcard), let first = accessGroups.first {
            return .all(defaultGroup: first)
        }
        return .groups(accessGroups)
    }
}

/// Entitlements that some attributes and calls require.
package enum Entitlement {
    /// Items that never leave this device (`kSecAttrSysBound`).
    package static let systemBound = "com.apple.private.keychain.sysbound"
    /// The attributes that Apple's sync sends in the clear (`kSecAttrPCSPlaintext…`).
    package static let plaintextFields = "com.apple.private.ckks-plaintext-fields"
    /// Further secrets of an internet password (`binn`, `bini`, `bin0` to `bin3`).
    package static let internetPasswordFields = "com.apple.private.keychain.inet_expansion_fields"
    /// An identifier made of the item's key (`kSecAttrDeriveSyncIDFromItemAttributes`).
    package static let derivedIdentifiers = "com.apple.private.ckks-derive-sync-id"
    /// Items of a sharing group.
    package static let sharing = "com.apple.private.keychain.sharing-groups"
    /// A program that is part of another one, as an App Clip is.
    package static let appClip = "com.apple.developer.on-demand-install-capable"
    /// Deleting all items of some groups at once.
    package static let uninstalling = "com.apple.private.uninstall.deletion"
    /// Having writes on the disk before the call returns.
    package static let durableWrites = "com.apple.private.keychain.performance_impacting_api"
}

extension ProgramAccess {
    /// The group of smart cards' items, which can be read but not written.
    static let tokenGroup = "com.apple.token"

    enum Purpose {
        case reading
        case writing
    }

    var isAppClip: Bool { entitlements.contains(Entitlement.appClip) }

    /// The groups that the program may use for this purpose.
    ///
    /// - Throws: ``KeychainError/missingEntitlement`` when the program has none;
    ///   ``KeychainError/restricted`` when it is part of another program and claims another group.
    func access(for purpose: Purpose) throws(ItemStoreError) -> CallerAccess {
        let writable = accessGroups.filter { $0 != Self.tokenGroup }
        let groups = purpose == .reading ? accessGroups : writable
        if seesAllGroups { return .all(defaultGroup: groups.first ?? "keychain") }
        guard let first = groups.first else { throw .missingEntitlement }
        if isAppClip, writable.count != 1 { throw .restricted }
        return groups.contains(Self.wildcard) ? .all(defaultGroup: first) : .groups(groups)
    }

    /// - Throws: ``KeychainError/missingEntitlement``.
    func require(_ entitlement: String) throws(ItemStoreError) {
        guard entitlements.contains(entitlement) else { throw .missingEntitlement }
    }
}
