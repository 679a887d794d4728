internal import KSBytes
internal import KSSealing
internal import KSAgent
internal import KSKeychain

/// Parses a call's dictionary: a key's length and first character decide its kind.
struct QueryParser {
    private static let entriesMax = 128

    private var query: SecItemQuery

    /// - Throws: ``KeychainError/noSuchClass``, ``KeychainError/noSuchAttribute`` or, for all else
    ///   that is wrong, ``KeychainError/parameter``.
    static func query(
        _ dictionary: AgentDictionary,
        _ access: CallerAccess
    ) throws(ItemStoreError) -> SecItemQuery {
        guard dictionary.count <= entriesMax else { throw .parameter }
        var parser = QueryParser(query: try start(dictionary, access))
        for entry in dictionary.entries { try parser.read(entry.key, entry.value) }
        return try parser.finished()
    }

    /// The query with its target, which the class and the objects in it must agree on.
    private static func start(
        _ dictionary: AgentDictionary,
        _ access: CallerAccess
    ) throws(ItemStoreError) -> SecItemQuery {
        let named = try dictionary["class"].map(target)
        let reference = try dictionary["v_Ref"].map(ItemReference.init)
        let persistent = try dictionary["v_PersistentRef"].map(PersistentReference.init)
        let targets = [named, reference?.target, persistent?.target].compactMap(\.self)
        guard let target = targets.first, targets.allSatisfy({ $0 == target }) else {
            throw .parameter
        }
        var query = SecItemQuery(target: target, access: access)
        query.reference = reference
        query.persistentReference = persistent
        return query
    }

    private static func target(_ value: AgentValue) throws(ItemStoreError) -> SecItemQuery.Target {
        guard case .string(let letters) = value else { throw .parameter }
        if letters == identityLetters { return .identities }
        guard let itemClass = ItemClass(rawValue: letters) else { throw .noSuchClass }
        return .items(itemClass)
    }

    private mutating func read(_ key: String, _ value: AgentValue) throws(ItemStoreError) {
        let length = key.utf16.count
        guard length != 4 else { return try readAttribute(key, value) }
        guard length > 1, let first = key.utf8.first else { throw .parameter }
        switch first {
        case UInt8(ascii: "c"):
            guard key == "class" else { throw .parameter }
        case UInt8(ascii: "m"): try query.matches.read(key, value)
        case UInt8(ascii: "r"): try readReturn(key, value)
        case UInt8(ascii: "u"): try readUse(key, value)
        case UInt8(ascii: "v"): try readValue(key, value)
        case UInt8(ascii: "f"): break
        default: throw .parameter
        }
    }

    private mutating func readAttribute(_ key: String, _ value: AgentValue) throws(ItemStoreError) {
        switch key {
        case "nleg", "dspk": break
        case "clip": throw .parameter
        case "sync": query.synchronizable = try KeychainQuery.Synchronizable(value)
        case "accc": query.accessControl = try AccessControl(value)
        default:
            let description = try query.target.attribute(key)
            query.attributes[description.name] = try AttributeValue(value, description)
        }
    }

    private mutating func readReturn(_ key: String, _ value: AgentValue) throws(ItemStoreError) {
        let kinds: [String: ReturnKinds] = [
            "r_Data": .data, "r_Attributes": .attributes, "r_Ref": .reference,
            "r_PersistentRef": .persistentReference,
        ]
        guard let kind = kinds[key], case .bool(let flag) = value else { throw .parameter }
        if flag { query.returns.insert(kind) }
    }

    private mutating func readUse(_ key: String, _ value: AgentValue) throws(ItemStoreError) {
        switch (key, value) {
        case ("u_Tomb", .bool(let flag)): query.leavesTombstones = flag
        case ("u_NoAuthUI", .bool(let flag)):
            if flag { query.authentication = .fails }
        case ("u_AuthUI", .string("u_AuthUIA")): query.authentication = .allowed
        case ("u_AuthUI", .string("u_AuthUIF")): query.authentication = .fails
        case ("u_AuthUI", .string("u_AuthUIS")): query.authentication = .skips
        case ("u_OpPrompt", _), ("u_AuthCtx", _), ("u_CredRef", _), ("u_SystemKeychain", _),
            ("u_SyncBubbleKeychain", _), ("u_SystemKeychainAlways", _),
            ("u_UserIndependentKeychain", _), ("u_CallerName", _), ("u_TokenRawItems", _),
            ("u_CertsWithMatchIssuers", _):
            // Ignored: they choose keychains and prompts that do not exist here.
            break
        default: throw .parameter
        }
    }

    private mutating func readValue(_ key: String, _ value: AgentValue) throws(ItemStoreError) {
        switch (key, value) {
        case ("v_Data", .data(let bytes)): query.data = bytes
        case ("v_Ref", _), ("v_PersistentRef", _): break
        default: throw .parameter
        }
    }

    private consuming func finished() throws(ItemStoreError) -> SecItemQuery {
        if let accessControl = query.accessControl {
            let accessible = AttributeValue.string(accessControl.accessibility.letters)
            guard query.attributes[.accessible] ?? accessible == accessible else {
                throw .parameter
            }
            query.attributes[.accessible] = accessible
        }
        return query
    }
}

extension KeychainQuery.Synchronizable {
    /// - Throws: ``KeychainError/parameter`` for anything but yes, no and any.
    init(_ value: AgentValue) throws(ItemStoreError) {
        switch value {
        case .bool(true), .integer(1), .string("1"): self = .yes
        case .bool(false), .integer(0), .string("0"): self = .no
        case .string("syna"): self = .any
        default: throw .parameter
        }
    }
}

extension SecItemQuery.Target {
    /// The description of an attribute; an identity has those of its certificate and its key.
    ///
    /// - Throws: ``KeychainError/noSuchAttribute``.
    func attribute(_ key: String) throws(ItemStoreError) -> AttributeDescription {
        guard let name = AttributeName(key) else { throw .noSuchAttribute }
        let description =
            switch self {
            case .items(let itemClass): itemClass[name]
            case .identities: ItemClass.certificate[name] ?? ItemClass.key[name]
            }
        guard let description else { throw .noSuchAttribute }
        return description
    }
}

extension AttributeValue {
    /// The value as the keychain keeps it.
    ///
    /// - Throws: ``KeychainError/parameter`` for a type that the attribute does not take.
    init(_ value: AgentValue, _ description: AttributeDescription) throws(ItemStoreError) {
        let given: AttributeValue
        switch value {
        case .string(let text):
            given = description.kind == .uuid ? try Self.identifier(text) : .string(text)
        case .data(let bytes): given = .data(bytes)
        case .integer(let number): given = .integer(number)
        case .double(let number): given = try Self.number(number, description.kind)
        case .bool(let flag):
            // Only attributes that are numbers or flags take a boolean.
            guard description.kind == .number || description.kind == .flag else { throw .parameter }
            given = .boolean(flag)
        case .date(let seconds): given = .date(seconds)
        case .null:
            guard description.kind == .uuid else { throw .parameter }
            given = .data([])
        case .array, .dictionary: throw .parameter
        }
        self = try description.kind.converted(given)
    }

    /// A whole number as an integer; a fraction as text if the attribute takes text for a number.
    private static func number(
        _ number: Double,
        _ kind: AttributeKind
    ) throws(ItemStoreError) -> AttributeValue {
        if let whole = Int64(exactly: number) { return .integer(whole) }
        guard number.isFinite else { throw .parameter }
        switch kind {
        case .blob, .number: return .string("\(number)")
        // The whole part, as Apple's conversion to a 32-bit integer keeps it.
        case .data: return .integer(Int64(exactly: number.rounded(.towardZero)) ?? 0)
        default: throw .parameter
        }
    }

    /// Parses the text form of a UUID, in which programs send UUID objects.
    private static func identifier(_ text: String) throws(ItemStoreError) -> AttributeValue {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { throw .parameter }
        guard let bytes = [UInt8](hexadecimal: groups.joined().utf8) else { throw .parameter }
        return .data(bytes)
    }
}
