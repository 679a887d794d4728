internal import KSKeychainFiles
package import KSAgent
internal import KSKeychain
internal import KSSecItem

/// Look-ups of one password, answered on the thread that reads the sockets.
///
/// They take some twenty microseconds, and waking two threads up for each would take more. Whatever
/// could take longer goes the way of all other calls: a search for many, one through several
/// keychains, and any at a moment at which the keychain is at work. Only a transaction of sync,
/// which has the same database, can hold one up, and everybody else with it, until it is over.
extension CallHandler {
    /// - Returns: nil when the call has to go the long way.
    package func answerAtOnce(_ request: AgentRequest, of peer: AgentPeer) -> AgentReply? {
        guard request.call == "secitem" || request.call == "item.find" else { return nil }
        do {
            let program = try entitlements.access(of: peer.executable)
            let value =
                request.call == "secitem"
                ? try copiedAtOnce(request.arguments, SecItemClient(program))
                : try foundAtOnce(request.arguments, program.callerAccess)
            guard let value else { return nil }
            deviceLock.noteUse()
            return .result(value)
        } catch {
            deviceLock.noteUse()
            return reply(to: Self.withStatus(error))
        }
    }

    private func copiedAtOnce(
        _ arguments: AgentDictionary,
        _ client: SecItemClient
    ) throws -> AgentValue? {
        let call = try SecItemCall(arguments)
        guard call.looksOnePasswordUp else { return nil }
        return owner.borrowed { $0.answer(call, client: client) }.map(AgentValue.init)
    }

    private func foundAtOnce(
        _ arguments: AgentDictionary,
        _ access: CallerAccess
    ) throws -> AgentValue? {
        guard arguments["skip"] == nil else { return nil }
        let query = try ItemQuery(arguments, access: access)
        guard query.limit == 1, query.itemClass.isPassword else { return nil }
        if case .all = access {
            guard arguments["keychains"] == nil,
                try KeychainSearchList.load(home: shelf.places.homePath).search
                    == [shelf.places.homePath]
            else { return nil }
        }
        guard let items = try owner.borrowed({ try $0.find(query) }) else { return nil }
        return .array(items.map { AgentValue($0, keychain: shelf.places.shownPath(of: .home)) })
    }
}

extension SecItemCall {
    /// Whether it is a copy of one password at most.
    fileprivate var looksOnePasswordUp: Bool {
        guard function == .copy, let name = query["class"]?.string,
            ItemClass(rawValue: name)?.isPassword == true,
            // What is matched beyond attributes may open every item there is.
            !query.entries.contains(where: { $0.key.hasPrefix("m_") && $0.key != "m_Limit" })
        else { return false }
        switch query["m_Limit"] {
        case .none, .string("m_LimitOne"), .integer(1): return true
        default: return false
        }
    }
}

extension ItemClass {
    fileprivate var isPassword: Bool {
        self == .genericPassword || self == .internetPassword
    }
}
