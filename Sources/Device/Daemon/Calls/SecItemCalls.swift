internal import KSAgent
internal import KSKeychain
internal import KSSecItem

/// Apple's four SecItem calls; their answer reports a refusal by its status.
extension SecItemCall: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> SecItemReply {
        let client = caller.program
        guard function == .copy else {
            return try await daemon.owner.with { keychain in
                SecItemService(keychain: keychain).answer(self, client: client)
            }
        }
        let found = await daemon.lookUps.copyMatching(query, client: client)
        await daemon.owner.quarantine(found.unreadable)
        return found.reply
    }

    func answerAtOnce(on daemon: CallHandler, _ caller: Caller) -> SecItemReply? {
        guard looksOnePasswordUp else { return nil }
        let found = daemon.lookUps.borrowed { $0.copyMatching(query, client: caller.program) }
        // Unreadable rows are quarantined, which is a change.
        guard let found, found.unreadable.isEmpty else { return nil }
        return found.reply
    }

    /// Whether the call is a `SecItemCopyMatching` for at most one password.
    private var looksOnePasswordUp: Bool {
        guard function == .copy, let name = query["class"]?.string,
            ItemClass(rawValue: name)?.isPassword == true,
            // Any other match option may have to open every item.
            !query.entries.contains(where: { $0.key.hasPrefix("m_") && $0.key != "m_Limit" })
        else { return false }
        switch query["m_Limit"] {
        case .none, .string("m_LimitOne"), .integer(1): return true
        default: return false
        }
    }
}
