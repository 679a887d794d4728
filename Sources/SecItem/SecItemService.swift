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
        SecItemReply { () throws(KeychainError) in
            switch call.function {
            case .add: return try add(call.query, client)
            case .copy: return try finder.find(call.query, client)
            case .update: try update(call.query, call.update, client)
            case .updateExactly: try update(client.completed(call.query), call.update, client)
            case .delete: try delete(call.query, client)
            }
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
}

extension SecItemReply {
    init(_ body: () throws(KeychainError) -> AgentValue?) {
        do throws(KeychainError) {
            self.init(status: 0, result: try body())
        } catch {
            self.init(status: error.status)
        }
    }
}
