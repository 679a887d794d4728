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
        SecItemReply { () throws(KeychainError) in
            try client.require(Entitlement.uninstalling)
            guard Self.lastingGroups.isDisjoint(with: accessGroups) else {
                throw KeychainError.parameter
            }
            for itemClass in ItemClass.allCases {
                for group in accessGroups {
                    do throws(KeychainError) {
                        try keychain.delete(
                            ItemQuery(
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
