package import KSAgent
internal import KSKeychain

// What a query of Apple's leaves out matches anything, also in what makes items different. Whoever
// means the one item that stands in the way of another has to name its whole key.

extension SecItemService {
    /// `SecItemUpdate` of the one item in whose place the query, added, would be a duplicate.
    package func updateExactly(
        _ query: AgentDictionary,
        _ attributes: AgentDictionary,
        client: ProgramAccess
    ) -> SecItemReply {
        SecItemReply { () throws(SecItemError) in
            try change(client.completed(query), attributes, client)
            return nil
        }
    }
}

extension ProgramAccess {
    /// The query with all of the key that it leaves out, as an add would keep it.
    fileprivate func completed(_ query: AgentDictionary) throws(SecItemError) -> AgentDictionary {
        let access = try access(for: .writing)
        let parsed = try QueryParser.query(query)
        let known = parsed.reference?.keyParts ?? [:]
        var completed = query
        for description in parsed.target.key where query[description.name.text] == nil {
            if let part = known[description.name] {
                completed[description.name.text] = AgentValue(part)
                continue
            }
            switch description.defaultValue {
            case .value(let value): completed[description.name.text] = AgentValue(value)
            case .absentAsEmpty: completed[description.name.text] = ""
            case .callersGroup:
                completed[description.name.text] = access.firstGroup.map { .string($0) }
            case .none, .now: break
            }
        }
        return completed
    }
}

extension CallerAccess {
    /// The group that an item without one is added to.
    fileprivate var firstGroup: String? {
        switch self {
        case .all(let group): group
        case .groups(let groups): groups.first
        }
    }
}

extension SecItemQuery.Target {
    /// What makes two of a class different.
    ///
    /// A pair is found by its certificate, and its key by the certificate's hash.
    fileprivate var key: [AttributeDescription] {
        switch self {
        case .items(let itemClass):
            itemClass.attributes.filter(\.isInPrimaryKey)
        case .identities:
            ItemClass.certificate.attributes.filter(\.isInPrimaryKey)
                + ItemClass.key.attributes.filter { description in
                    description.isInPrimaryKey && description.name != .applicationLabel
                        && ItemClass.certificate[description.name] == nil
                }
        }
    }
}

extension ItemReference {
    /// What an item of this object has of its own in its key.
    fileprivate var keyParts: [AttributeName: AttributeValue] {
        switch self {
        case .certificate(let bytes):
            CertificateAttributes.criteria(bytes) ?? [:]
        case .key(let key):
            key.itemAttributes
        case .identity(let bytes, let key):
            (CertificateAttributes.criteria(bytes) ?? [:])
                .merging(key.itemAttributes) { certificate, _ in certificate }
        }
    }
}
