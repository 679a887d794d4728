package import KSAgent
internal import KSKeychain

// What Apple's keychain has beside the four calls.

extension SecItemService {
    /// Groups that no program's end may take away.
    private static let lastingGroups: Set<String> = [
        "*", "apple", "com.apple.security.sos", "lockdown-identities",
    ]

    /// `SecItemDeleteAllWithAccessGroups`: everything of these groups goes, as when the program
    /// that had them is removed; success also when there was nothing.
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
