internal import KSAgent
internal import KSKeychain

// What a query of Apple's leaves out matches anything, also in what makes items different. Whoever
// means the one item that stands in the way of another has to name its whole key.

extension ProgramAccess {
    /// The query with all of the key that it leaves out, as an add would keep it.
    func completed(_ query: AgentDictionary) throws(KeychainError) -> AgentDictionary {
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
                completed[description.name.text] = .string(try access.defaultGroup())
            case .none, .now: break
            }
        }
        return completed
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
