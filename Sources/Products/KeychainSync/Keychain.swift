package import KSAgent
internal import Foundation

/// The keychain of this device, with the items that this program may access.
///
/// Calls go to the device's daemon, which is started if none runs. A value of this type is cheap:
/// keep one, or make one where you need it.
///
/// ```swift
/// let keychain = Keychain()
/// try await keychain.add(GenericPassword(service: "mail", account: "ada", password: "secret"))
/// let found = try await keychain.first(.genericPasswords(service: "mail", account: "ada"))
/// print(found?.password ?? "none")
/// ```
public struct Keychain: Sendable {
    private let link: AgentLink
    /// Calls block, so they wait on threads of their own.
    private static let queue = DispatchQueue(label: "keychain-sync.calls", attributes: .concurrent)

    /// The keychain of a home directory.
    ///
    /// - Parameter home: the directory; by default the one that `KEYCHAIN_SYNC_HOME` names, else
    ///   the user's own.
    public init(home: String? = nil) {
        link = AgentLink(home: home)
    }

    /// The keychain of a device in this process, which answers in the task of the caller.
    package init(of device: any DeviceStandIn) {
        link = AgentLink(to: device)
    }

    // MARK: Items

    /// Adds an item.
    ///
    /// - Parameter item: the item to add; the keychain sets its dates.
    /// - Returns: the stored item, with its dates and persistent reference.
    /// - Throws: ``KeychainError/duplicateItem`` if an item has the same key.
    @discardableResult
    public func add<Item: KeychainItem>(_ item: Item) async throws(KeychainError) -> Item {
        var query = item.attributes.values
        // A certificate that was listed without its bytes would become an empty item.
        if Item.itemClass == .certificate, query["v_Ref"] == nil { throw .parameter }
        query["class"] = .string(Item.itemClass.rawValue)
        Self.ask(for: true, of: Item.itemClass, in: &query)
        return try Self.item(try await call(SecItemCall(.add, query)))
    }

    /// The first item that matches, with its secret; nil when there is none.
    public func first<Item: KeychainItem>(
        _ query: ItemQuery<Item>
    ) async throws(KeychainError) -> Item? {
        try await all(query.limited(to: 1), withSecrets: true).first
    }

    /// All items that match.
    ///
    /// - Parameters:
    ///   - query: the conditions.
    ///   - withSecrets: whether to return the secrets too; otherwise they are not opened, and the
    ///     items have none.
    /// - Returns: the non-synchronizable items, then the synchronizable ones; empty if none
    ///   matches.
    /// - Throws: ``KeychainError/interactionNotAllowed`` if one of them is locked.
    public func all<Item: KeychainItem>(
        _ query: ItemQuery<Item>,
        withSecrets: Bool = false
    ) async throws(KeychainError) -> [Item] {
        var values = query.values
        values["m_Limit"] = query.limit.map { .integer(Int64($0)) } ?? "m_LimitAll"
        Self.ask(for: withSecrets, of: Item.itemClass, in: &values)
        return try await found(values).map { value throws(KeychainError) in try Self.item(value) }
    }

    /// Changes the first item that matches.
    ///
    /// ```swift
    /// try await keychain.update(.genericPasswords(service: "mail", account: "ada")) { item in
    ///     item.password = "new secret"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: the conditions.
    ///   - change: changes the item, which has its secret too. A property that is nil keeps its
    ///     stored value: values cannot be removed.
    /// - Throws: ``KeychainError/itemNotFound``; ``KeychainError/duplicateItem`` if another item
    ///   has the key of the changed one.
    public func update<Item: KeychainItem>(
        _ query: ItemQuery<Item>,
        _ change: (inout Item) -> Void
    ) async throws(KeychainError) {
        guard let found = try await first(query) else { throw .itemNotFound }
        guard let exact = Self.query(for: found) else { throw .decode }
        var changed = found
        change(&changed)
        let before = found.attributes.values
        var update = AgentDictionary()
        for entry in changed.attributes.values.entries where before[entry.key] != entry.value {
            update[entry.key] = entry.value
        }
        guard !update.isEmpty else { return }
        _ = try await call(SecItemCall(.update, exact, update: update))
    }

    /// Adds an item, or updates the stored item that has the same key.
    ///
    /// A key property that is left out has its default: a missing port is 0, and a missing access
    /// group is the program's first one. Items with other keys are not changed.
    ///
    /// - Parameter item: the item to store.
    /// - Throws: ``KeychainError/parameter`` for a certificate without its bytes;
    ///   ``KeychainError/interactionNotAllowed`` while its class is locked;
    ///   ``KeychainError/duplicateItem`` for a certificate that differs from a stored one with the
    ///   same issuer and serial number; and others.
    public func save<Item: KeychainItem>(_ item: Item) async throws(KeychainError) {
        do {
            try await add(item)
        } catch .duplicateItem {
            var query = item.primaryKey.values
            query["class"] = .string(Item.itemClass.rawValue)
            let update = item.attributes.update(of: Item.itemClass)
            do {
                _ = try await call(SecItemCall(.updateExactly, query, update: update))
            } catch .itemNotFound {
                // The stored certificate has the same key, but is a different certificate.
                throw .duplicateItem
            }
        }
    }

    /// Deletes all items that match.
    ///
    /// Items of a host and its subdomains (``ItemQuery/internetPasswords(ofHostOrSubdomain:)``) are
    /// found first and then deleted one by one.
    ///
    /// - Parameter query: the conditions; its limit is ignored.
    /// - Returns: whether any item matched.
    /// - Throws: ``KeychainError``, but not if no item matches.
    @discardableResult
    public func delete<Item: KeychainItem>(
        _ query: ItemQuery<Item>
    ) async throws(KeychainError) -> Bool {
        guard query.matchesBeyondAttributes else { return try await delete(query.values) }
        var wanted = query.values
        wanted["m_Limit"] = "m_LimitAll"
        wanted["r_PersistentRef"] = true
        var hasDeleted = false
        for reference in try await found(wanted) {
            let exact: AgentDictionary = [
                "class": .string(Item.itemClass.rawValue), "v_PersistentRef": reference,
            ]
            if try await delete(exact) { hasDeleted = true }
        }
        return hasDeleted
    }

    private func delete(_ query: AgentDictionary) async throws(KeychainError) -> Bool {
        do {
            _ = try await call(SecItemCall(.delete, query))
            return true
        } catch .itemNotFound {
            return false
        }
    }
}

// MARK: Calls

extension Keychain {
    private static func ask(
        for secrets: Bool,
        of itemClass: KeychainItemClass,
        in query: inout AgentDictionary
    ) {
        query["r_Attributes"] = true
        query["r_PersistentRef"] = true
        guard secrets else { return }
        query["r_Data"] = true
        // The data of an identity is its key; only the object contains the certificate.
        if itemClass == .identity { query["r_Ref"] = true }
    }

    /// The query that matches only this item; nil if it has no persistent reference.
    private static func query<Item: KeychainItem>(for found: Item) -> AgentDictionary? {
        guard let reference = found.persistentReference else { return nil }
        guard Item.itemClass == .identity else {
            return ["v_PersistentRef": .data([UInt8](reference))]
        }
        // As on Apple's systems, an update does not take the reference of an identity.
        var query = found.primaryKey.values
        // A found identity has issuer and serial number, even if its bytes are not a certificate.
        query["v_Ref"] = nil
        query["class"] = .string(Item.itemClass.rawValue)
        return query
    }

    private static func item<Item: KeychainItem>(
        _ value: AgentValue?
    ) throws(KeychainError) -> Item {
        guard let values = value?.dictionary,
            let item = Item(KeychainAttributes(values: values))
        else { throw .decode }
        return item
    }

    /// The results of a search; empty if nothing matches.
    private func found(_ query: AgentDictionary) async throws(KeychainError) -> [AgentValue] {
        do {
            let result = try await call(SecItemCall(.copy, query))
            // With a limit of one, the result is the item itself, not an array.
            return result?.array ?? result.map { [$0] } ?? []
        } catch .itemNotFound {
            return []
        }
    }

    private func call(_ call: SecItemCall) async throws(KeychainError) -> AgentValue? {
        let reply = try await answer(to: call)
        guard reply.status == 0 else { throw KeychainError(status: reply.status) }
        return reply.result
    }

    /// Calls the daemon and returns its answer.
    func answer<Call: AgentCall>(to call: Call) async throws(KeychainError) -> Call.Answer {
        let link = link
        guard link.standIn == nil else {
            do throws(AgentError) {
                return try link.call(call)
            } catch {
                throw KeychainError(status: error.status)
            }
        }
        let result = await withCheckedContinuation { continuation in
            Self.queue.async {
                let result = Result { () throws(AgentError) in try link.call(call) }
                continuation.resume(returning: result.mapError { KeychainError(status: $0.status) })
            }
        }
        return try result.get()
    }
}
