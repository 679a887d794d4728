internal import KSAgent
internal import Foundation

/// The keychain of this device, as this program may see it.
///
/// It talks to the device's daemon, which is started when none runs. A value of this type is cheap:
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

    // MARK: Items

    /// Adds an item.
    ///
    /// - Parameter item: what to add; its dates are set by the keychain.
    /// - Returns: the item as it is kept, with its dates and reference.
    /// - Throws: ``KeychainError/duplicateItem`` when there is one with the same key.
    @discardableResult
    public func add<Item: KeychainItem>(_ item: Item) async throws(KeychainError) -> Item {
        var query = item.attributes.values
        // One that was listed without its bytes: an item of nothing would be made of it.
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
    ///   - query: which.
    ///   - withSecrets: whether the secrets are wanted too. Without, none is opened, and the items
    ///     hold none.
    /// - Returns: the items of this device alone, then those that are synchronizable; none is no
    ///   error.
    /// - Throws: ``KeychainError/interactionNotAllowed`` when one of them is locked.
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
    ///   - query: which.
    ///   - change: changes the item, which comes with its secret. What was nil and stays nil is
    ///     left alone; a value cannot be taken away.
    /// - Throws: ``KeychainError/itemNotFound``; ``KeychainError/duplicateItem`` when the change
    ///   gives it the key of another.
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

    /// Adds an item, or gives the one with the same key the new item's values.
    ///
    /// What the item leaves out of its key is part of it as well: no port is a port of 0, and no
    /// access group the program's first. Items that differ in any of that are left alone.
    ///
    /// - Parameter item: what is to be kept.
    /// - Throws: ``KeychainError/parameter`` for a certificate without its bytes;
    ///   ``KeychainError/interactionNotAllowed`` while its class is locked;
    ///   ``KeychainError/duplicateItem`` for a certificate that has issuer and serial number in
    ///   common with one that is kept and is another one all the same; and others.
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
                // What has the same key is not the same: certificates are told apart by more.
                throw .duplicateItem
            }
        }
    }

    /// Deletes all items that match.
    ///
    /// Those of a host or below it (``ItemQuery/internetPasswords(ofHostOrSubdomain:)``) are found
    /// first and then deleted one after the other.
    ///
    /// - Parameter query: which; its limit does not count.
    /// - Returns: whether there were any.
    /// - Throws: ``KeychainError``; that there is none is no error.
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
        // The data of an identity are its key; the certificate comes with the object alone.
        if itemClass == .identity { query["r_Ref"] = true }
    }

    /// What finds an item that was found, and no other; nil for one that was not.
    private static func query<Item: KeychainItem>(for found: Item) -> AgentDictionary? {
        guard let reference = found.persistentReference else { return nil }
        guard Item.itemClass == .identity else {
            return ["v_PersistentRef": .data([UInt8](reference))]
        }
        // As on Apple's systems, an update does not take the reference of an identity.
        var query = found.primaryKey.values
        // What was found has names and numbers, also where its bytes are no certificate.
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

    /// What a search finds, which may be nothing.
    private func found(_ query: AgentDictionary) async throws(KeychainError) -> [AgentValue] {
        do {
            let result = try await call(SecItemCall(.copy, query))
            // One item that was asked for as one comes bare.
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

    /// What the daemon answers to a call.
    func answer<Call: AgentCall>(to call: Call) async throws(KeychainError) -> Call.Answer {
        let result = await withCheckedContinuation { continuation in
            Self.queue.async { [link] in
                let result: Result<Call.Answer, KeychainError>
                do throws(AgentError) {
                    result = .success(try link.call(call))
                } catch {
                    result = .failure(KeychainError(status: error.status))
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }
}
