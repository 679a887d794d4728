internal import KSAgent
internal import KSDigests
internal import KSKeychain
internal import KSPrivateKeys

/// An object that stands for an item: what `kSecValueRef` takes and `kSecReturnRef` gives.
enum ItemReference {
    case certificate([UInt8])
    case key(KeyReference)
    case identity(certificate: [UInt8], KeyReference)

    /// - Throws: ``KeychainError/parameter`` for any other object.
    init(_ value: AgentValue) throws(ItemStoreError) {
        guard let object = value.dictionary else { throw .parameter }
        switch object["$ref"] {
        case .string("cert"): self = .certificate(try object.bytes("certificate"))
        case .string("keys"): self = .key(try KeyReference(object).labeled())
        case .string("idnt"):
            self = .identity(certificate: try object.bytes("certificate"), try KeyReference(object))
        default: throw .parameter
        }
    }

    var target: SecItemQuery.Target {
        switch self {
        case .certificate: .items(.certificate)
        case .key: .items(.key)
        case .identity: .identities
        }
    }
}

extension AgentDictionary {
    fileprivate func bytes(_ key: String) throws(ItemStoreError) -> [UInt8] {
        guard case .data(let bytes) = self[key] else { throw .parameter }
        return bytes
    }
}

/// A key object and its attributes.
struct KeyReference {
    /// Its external form.
    let bytes: [UInt8]
    /// 0 public, 1 private, 2 symmetric.
    let keyClass: Int64
    var attributes: [AttributeName: AttributeValue]

    fileprivate init(_ object: AgentDictionary) throws(ItemStoreError) {
        bytes = try object.bytes("key")
        attributes = [:]
        for name in ["kcls", "type", "bsiz", "klbl", "atag", "labl"] {
            guard let value = object[name] else { continue }
            let description = try SecItemQuery.Target.items(.key).attribute(name)
            attributes[description.name] = try AttributeValue(value, description)
        }
        guard case .integer(let keyClass) = attributes[.keyClass], (0...2).contains(keyClass)
        else { throw .parameter }
        self.keyClass = keyClass
    }

    /// The key with its application label, computed from its bytes if it is missing.
    ///
    /// - Throws: ``KeychainError/parameter`` if the bytes are not a key: without a label the
    ///   object would match every key of its kind.
    fileprivate func labeled() throws(ItemStoreError) -> KeyReference {
        guard attributes[.applicationLabel] ?? .data([]) == .data([]) else { return self }
        guard let label else { throw .parameter }
        var key = self
        key.attributes[.applicationLabel] = .data(label)
        return key
    }

    /// SHA-1 of the public key, which links the keys of a pair and their certificate.
    ///
    /// For a symmetric key, SHA-1 of the key itself. Nil if the bytes are not a key.
    private var label: [UInt8]? {
        guard keyClass == 1 else { return bytes.isEmpty ? nil : SHA1.hash(bytes) }
        guard case .integer(let type) = attributes[.type],
            let kind = PrivateKey.Kind(rawValue: String(type))
        else { return nil }
        // The caller reports the same error, whatever is wrong with the bytes.
        return try? PrivateKey(external: bytes, kind: kind).publicKeyHash
    }

    /// The attributes that identify the key.
    var criteria: [AttributeName: AttributeValue] {
        attributes.filter { $0.key != .label }
    }

    /// The attributes of an item for this key: its own, and the operations that it allows.
    var itemAttributes: [AttributeName: AttributeValue] {
        var item = attributes
        item[.effectiveKeySize] = attributes[.keySize]
        let isPrivate = keyClass == 1
        // A symmetric key does the operations of both halves of a pair.
        let doesPublic = keyClass != 1
        let doesPrivate = keyClass != 0
        let flags: [(AttributeName, Bool)] = [
            (.isPermanent, true), (.isPrivate, isPrivate), (.isModifiable, true),
            (.isSensitive, false), (.wasAlwaysSensitive, false), (.isExtractable, true),
            (.wasNeverExtractable, false), (.canEncrypt, doesPublic), (.canDecrypt, doesPrivate),
            (.canDerive, true), (.canSign, doesPrivate), (.canVerify, doesPublic),
            (.canSignRecoverably, false), (.canVerifyRecoverably, false), (.canWrap, doesPublic),
            (.canUnwrap, doesPrivate),
        ]
        for (name, flag) in flags { item[name] = .boolean(flag) }
        return item
    }
}
