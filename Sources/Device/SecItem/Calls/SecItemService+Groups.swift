package import KSAgent
internal import KSKeychain

// Apple's keychain calls besides the four `SecItem` functions.

extension SecItemService {
    /// Groups whose items stay when a program is removed.
    private static let lastingGroups: Set<String> = [
        "*", "apple", "com.apple.security.sos", "lockdown-identities",
    ]

    /// `SecItemDeleteAllWithAccessGroups`: deletes all items of these groups, as when their
    /// program is removed; succeeds even if the groups are empty.
    package func deleteAll(accessGroups: [String], client: ProgramAccess) -> SecItemReply {
        SecItemReply { () throws(ItemStoreError) in
            try client.require(Entitlement.uninstalling)
            guard Self.lastingGroups.isDisjoint(with: accessGroups) else {
                throw ItemStoreError.parameter
            }
            for itemClass in ItemClass.allCases {
                for group in accessGroups {
                    do throws(ItemStoreError) {
                        try keychain.delete(
                            KeychainQuery(
                                itemClass,
                                attributes: [.accessGroup: .string(group)],
                                synchronizable: .any,
                                access: .all(defaultGroup: group)
                            )
                        )
                    } catch .itemNotFound {
                        continue
                    }
                }
            }
            return nil
        }
    }
}
