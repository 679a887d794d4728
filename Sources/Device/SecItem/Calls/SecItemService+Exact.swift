internal import KSAgent
internal import KSKeychain

// An attribute that an Apple query leaves out matches any value, even if it is part of the primary
// key. To match only the item that a new item conflicts with, a query must name the whole key.

extension ProgramAccess {
    /// The query with the missing key attributes filled in, as an add would store them.
    func completed(_ query: AgentDictionary) throws(ItemStoreError) -> AgentDictionary {
        let access = try access(for: .writing)
        let parsed = try QueryParser.query(query, access)
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
    /// The primary key: the attributes in which two items of a class must differ.
    ///
    /// An identity is found by its certificate, and its key by the certificate's public key hash.
    fileprivate var key: [AttributeDescription] {
        switch self {
        case .items(let itemClass): itemClass.attributes.filter(\.isInPrimaryKey)
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
    /// The primary key attributes that the object itself determines.
    fileprivate var keyParts: [AttributeName: AttributeValue] {
        switch self {
        case .certificate(let bytes): CertificateAttributes.criteria(bytes) ?? [:]
        case .key(let key): key.itemAttributes
        case .identity(let bytes, let key):
            (CertificateAttributes.criteria(bytes) ?? [:])
                .merging(key.itemAttributes) { certificate, _ in certificate }
        }
    }
}
