internal import KSAgent
public import Foundation

/// The conditions that items have to meet.
///
/// Synchronizable and other items match alike, unless the query names one kind.
public struct ItemQuery<Item: KeychainItem>: Sendable {
    private(set) var attributes = KeychainAttributes()
    private(set) var limit: Int?

    /// All items of the class that the program may see.
    public init() {
        attributes.set("class", Item.itemClass.rawValue)
        attributes.set("sync", "syna")
    }

    /// The item with this persistent reference.
    ///
    /// A reference of another class fails with ``KeychainError/parameter``.
    public init(persistentReference: Data) {
        attributes.set("class", Item.itemClass.rawValue)
        attributes.set("v_PersistentRef", persistentReference)
    }

    /// Items of this label only.
    public func labeled(_ label: String) -> ItemQuery {
        with { $0.attributes.set("labl", label) }
    }

    /// Items of this access group only.
    public func inAccessGroup(_ accessGroup: String) -> ItemQuery {
        with { $0.attributes.set("agrp", accessGroup) }
    }

    /// Only items that are synchronizable, or only those that are not.
    public func synchronizable(_ isSynchronizable: Bool) -> ItemQuery {
        with { $0.attributes.set("sync", isSynchronizable) }
    }

    /// At most this many items.
    public func limited(to limit: Int) -> ItemQuery {
        with { $0.limit = limit }
    }

    var values: AgentDictionary { attributes.values }

    /// Whether the query has match keys, which a delete does not take.
    var matchesBeyondAttributes: Bool {
        attributes.values.entries.contains { $0.key.hasPrefix("m_") }
    }

    fileprivate func with(_ change: (inout ItemQuery) -> Void) -> ItemQuery {
        var changed = self
        change(&changed)
        return changed
    }
}

extension ItemQuery where Item == GenericPassword {
    /// Generic passwords, all or of a service and an account.
    public static func genericPasswords(service: String? = nil, account: String? = nil) -> Self {
        ItemQuery().with {
            $0.attributes.set("svce", service)
            $0.attributes.set("acct", account)
        }
    }
}

extension ItemQuery where Item == InternetPassword {
    /// Internet passwords, all or of a server, an account, a port and a path.
    public static func internetPasswords(
        server: String? = nil,
        account: String? = nil,
        port: Int? = nil,
        path: String? = nil
    ) -> ItemQuery {
        ItemQuery().with {
            $0.attributes.set("srvr", server)
            $0.attributes.set("acct", account)
            $0.attributes.set("port", port)
            $0.attributes.set("path", path)
        }
    }

    /// Internet passwords of a host and its subdomains.
    public static func internetPasswords(ofHostOrSubdomain host: String) -> ItemQuery {
        ItemQuery().with { $0.attributes.set("m_HostOrSubdomainOfHost", host) }
    }
}

extension ItemQuery where Item == Certificate {
    /// Certificates, all or those of a public key.
    public static func certificates(publicKeyHash: Data? = nil) -> ItemQuery {
        ItemQuery().with { $0.attributes.set("pkhh", publicKeyHash) }
    }
}

extension ItemQuery where Item == Key {
    /// Keys, all or those of a class and a tag.
    public static func keys(_ keyClass: Key.KeyClass? = nil, applicationTag: Data? = nil) -> Self {
        ItemQuery().with {
            $0.attributes.set("kcls", keyClass?.rawValue)
            $0.attributes.set("atag", applicationTag)
        }
    }
}

extension ItemQuery where Item == Identity {
    /// Certificates with their private keys, all or those of a public key.
    public static func identities(publicKeyHash: Data? = nil) -> ItemQuery {
        ItemQuery().with { $0.attributes.set("pkhh", publicKeyHash) }
    }
}
