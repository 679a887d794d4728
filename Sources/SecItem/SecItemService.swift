package import KSAgent
package import KSKeychain

/// Apple's four calls over a keychain, with the meaning they have on iOS.
///
/// Dictionaries are keyed by what Apple's constants hold (`acct`, `r_Data`, …). It is as plain and
/// synchronous as the ``Keychain`` it works on. Errors are told by status, in the order in which
/// Apple's keychain looks: no access group at all; for update and delete a foreign group; what
/// cannot be read; for add and search a foreign group; what makes no sense; the keychain itself.
package struct SecItemService {
    let keychain: Keychain

    package init(keychain: Keychain) {
        self.keychain = keychain
    }

    /// One of Apple's four calls, or an update of exactly one item.
    package func answer(_ call: SecItemCall, client: ProgramAccess) -> SecItemReply {
        switch call.function {
        case .add: add(call.query, client: client)
        case .copy: copyMatching(call.query, client: client)
        case .update: update(call.query, call.update, client: client)
        case .updateExactly: updateExactly(call.query, call.update, client: client)
        case .delete: delete(call.query, client: client)
        }
    }

    /// `SecItemAdd`.
    package func add(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        SecItemReply { () throws(SecItemError) in try added(query, client) }
    }

    /// `SecItemCopyMatching`.
    package func copyMatching(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        finder.copyMatching(query, client: client)
    }

    /// `SecItemUpdate`.
    package func update(
        _ query: AgentDictionary,
        _ attributes: AgentDictionary,
        client: ProgramAccess
    ) -> SecItemReply {
        SecItemReply { () throws(SecItemError) in
            try change(query, attributes, client)
            return nil
        }
    }

    /// `SecItemDelete`.
    package func delete(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        SecItemReply { () throws(SecItemError) in
            try remove(query, client)
            return nil
        }
    }

    /// Finds over the connection that changes the keychain.
    var finder: SecItemFinder {
        SecItemFinder(reader: keychain.reader) { [keychain] unreadable in
            do throws(KeychainError) {
                try keychain.quarantine(unreadable)
            } catch {
                // It stays where it is, as unreadable as before; the next search tries again.
            }
        }
    }

    /// Works on the keychain, whose file has to be there.
    @discardableResult
    func perform<Result>(
        _ body: () throws(KeychainError) -> Result
    ) throws(SecItemError) -> Result {
        try finder.perform(body)
    }
}

extension SecItemReply {
    init(_ body: () throws(SecItemError) -> AgentValue?) {
        do throws(SecItemError) {
            self.init(status: 0, result: try body())
        } catch {
            self.init(status: error.status)
        }
    }
}
