package import KSAgent
package import KSKeychain

/// Apple's four `SecItem` functions over a keychain, with the meaning they have on iOS.
///
/// Dictionary keys are the values of Apple's constants (`acct`, `r_Data`, …). Calls are
/// synchronous, like those of ``Keychain``. Of several faults the status reports the first in
/// Apple's order: no access group at all; for update and delete a foreign group; an unreadable
/// query; for add and search a foreign group; a senseless query; an error of the keychain.
package struct SecItemService {
    let keychain: ItemStore

    package init(keychain: ItemStore) {
        self.keychain = keychain
    }

    /// Carries out one of Apple's four calls, or an update of exactly one item.
    package func answer(_ call: SecItemCall, client: ProgramAccess) -> SecItemReply {
        SecItemReply { () throws(ItemStoreError) in
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

    /// Searches over the connection that changes the keychain.
    var finder: SecItemFinder {
        SecItemFinder(reader: keychain.reader) { [keychain] unreadable in
            do throws(ItemStoreError) {
                try keychain.quarantine(unreadable)
            } catch {
                // The rows stay unreadable where they are; the next search tries again.
            }
        }
    }
}

extension SecItemReply {
    init(_ body: () throws(ItemStoreError) -> AgentValue?) {
        do throws(ItemStoreError) {
            self.init(status: 0, result: try body())
        } catch {
            self.init(status: error.status)
        }
    }
}
