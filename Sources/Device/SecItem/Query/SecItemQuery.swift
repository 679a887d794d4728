internal import KSSealing
internal import KSAgent
internal import KSKeychain

/// The parsed dictionary of a call.
struct SecItemQuery {
    /// What the query searches for.
    enum Target: Equatable {
        case items(ItemClass)
        /// Pairs of a certificate and its private key.
        case identities
    }

    /// Whether the user may be asked to authenticate.
    enum Authentication: Equatable {
        case allowed
        /// No: an item that requires authentication makes the call fail.
        case fails
        /// No: items that require authentication are left out.
        case skips
    }

    let target: Target
    /// What its caller may use.
    let access: CallerAccess
    /// In their stored form, without `sync` and `accc`, which have properties of their own.
    var attributes: [AttributeName: AttributeValue] = [:]
    /// Nil if the query does not name it.
    var synchronizable: KeychainQuery.Synchronizable?
    var accessControl: AccessControl?
    var data: [UInt8]?
    var reference: ItemReference?
    var persistentReference: PersistentReference?
    var returns: ReturnKinds = []
    var matches = MatchKeys()
    /// `kSecUseTombstones`; nil = synchronizable items leave tombstones.
    var leavesTombstones: Bool?
    var authentication = Authentication.allowed

    /// Whether the query names an identity object: as on Apple systems, it gives no data then.
    var isByIdentity: Bool {
        if case .identity = reference { true } else { false }
    }

    /// Whether synchronizable items match; a persistent reference finds its item either way.
    var matchedSynchronizable: KeychainQuery.Synchronizable {
        synchronizable ?? (persistentReference == nil ? .no : .any)
    }
}

/// The forms of result that a call asks for.
struct ReturnKinds: OptionSet {
    let rawValue: UInt8

    static let data = ReturnKinds(rawValue: 1)
    static let attributes = ReturnKinds(rawValue: 2)
    static let reference = ReturnKinds(rawValue: 4)
    static let persistentReference = ReturnKinds(rawValue: 8)
}

/// The protection class of an item and its further access conditions.
struct AccessControl: Equatable {
    let accessibility: ProtectionClass
    /// The bits of `SecAccessControlCreateFlags`.
    let flags: Int64

    /// - Throws: ``KeychainError/parameter`` for any other object.
    init(_ value: AgentValue) throws(ItemStoreError) {
        guard let dictionary = value.dictionary, dictionary["$ref"] == .string("accc"),
            let letters = dictionary["protection"]?.string,
            let accessibility = ProtectionClass(letters: letters)
        else { throw .parameter }
        self.accessibility = accessibility
        switch dictionary["flags"] {
        case .none: flags = 0
        case .integer(let flags): self.flags = flags
        default: throw .parameter
        }
    }
}

extension Item {
    /// Whether reading the secret requires the device's owner to authenticate.
    ///
    /// The flags for private key usage and for combining constraints demand nothing by themselves.
    var demandsAuthentication: Bool {
        guard case .integer(let flags) = attributes[.accessControl] else { return false }
        return flags & ~(1 << 14 | 1 << 15 | 1 << 30) != 0
    }
}
