internal import KSAgent
internal import KSKeychain

extension SecItemService {
    func remove(
        _ dictionary: AgentDictionary,
        _ client: ProgramAccess
    ) throws(SecItemError) {
        let access = try client.access(for: .writing)
        try access.checkExplicitGroup(dictionary)
        let query = try QueryParser.query(dictionary)
        guard !query.matches.isNamed, query.authentication != .skips else { throw .parameter }
        switch query.target {
        case .items(let itemClass):
            let match = try query.match(itemClass, access)
            try perform { () throws(KeychainError) in
                if query.authentication == .fails { try refuseDemanding(match) }
                try keychain.delete(match, tombstones: query.tombstones)
            }
        case .identities:
            try deleteIdentities(query, access)
        }
    }
}
