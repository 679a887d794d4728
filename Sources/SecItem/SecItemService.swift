package import KSAgent
package import KSKeychain

/// What a call answers.
package struct SecItemReply: Sendable, Equatable {
    /// Apple's number; 0 is success.
    package var status: Int32
    /// Nil where Apple's function leaves the result alone.
    package var result: AgentValue?

    package init(status: Int32, result: AgentValue? = nil) {
        self.status = status
        self.result = result
    }
}

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

    /// `SecItemAdd`.
    package func add(_ query: AgentDictionary, client: SecItemClient) -> SecItemReply {
        answer { () throws(SecItemError) in try added(query, client) }
    }

    /// `SecItemCopyMatching`.
    package func copyMatching(_ query: AgentDictionary, client: SecItemClient) -> SecItemReply {
        answer { () throws(SecItemError) in try found(query, client) }
    }

    /// `SecItemUpdate`.
    package func update(
        _ query: AgentDictionary,
        _ attributes: AgentDictionary,
        client: SecItemClient
    ) -> SecItemReply {
        answer { () throws(SecItemError) in
            try change(query, attributes, client)
            return nil
        }
    }

    /// `SecItemDelete`.
    package func delete(_ query: AgentDictionary, client: SecItemClient) -> SecItemReply {
        answer { () throws(SecItemError) in
            try remove(query, client)
            return nil
        }
    }

    /// Works on the keychain, whose file has to be there.
    @discardableResult
    func perform<Result>(
        _ body: () throws(KeychainError) -> Result
    ) throws(SecItemError) -> Result {
        try rethrowing { () throws(KeychainError) in
            try keychain.checkFile()
            return try body()
        }
    }

    private func answer(_ body: () throws(SecItemError) -> AgentValue?) -> SecItemReply {
        do throws(SecItemError) {
            return SecItemReply(status: 0, result: try body())
        } catch {
            return SecItemReply(status: error.status)
        }
    }
}
