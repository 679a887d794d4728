internal import KSSealing
internal import KSAgent
internal import KSKeychain

/// A call's dictionary, read.
struct SecItemQuery {
    /// What it is about.
    enum Target: Equatable {
        case items(ItemClass)
        /// Pairs of a certificate and its private key.
        case identities
    }

    /// What may be asked of the person at the device.
    enum Authentication: Equatable {
        case allowed
        /// Nothing: what needs it fails the call.
        case fails
        /// Nothing: what needs it is left out.
        case skips
    }

    let target: Target
    /// As kept, all but `sync`, and `accc` when it demands something.
    var attributes: [AttributeName: AttributeValue] = [:]
    /// Nil where the query does not say.
    var synchronizable: ItemQuery.Synchronizable?
    var accessControl: AccessControl?
    var data: [UInt8]?
    var reference: ItemReference?
    var persistentReference: PersistentReference?
    var returns: ReturnKinds = []
    var matches = MatchKeys()
    var tombstones = TombstoneRule.whenSynchronizable
    var authentication = Authentication.allowed

    /// Which items match; a reference names its item alone.
    var matchedSynchronizable: ItemQuery.Synchronizable {
        synchronizable ?? (persistentReference == nil ? .no : .any)
    }
}

/// What a call is to give back.
struct ReturnKinds: OptionSet {
    let rawValue: UInt8

    static let data = ReturnKinds(rawValue: 1)
    static let attributes = ReturnKinds(rawValue: 2)
    static let reference = ReturnKinds(rawValue: 4)
    static let persistentReference = ReturnKinds(rawValue: 8)
}

/// When an item may be read, and what it demands besides.
struct AccessControl: Equatable {
    let accessibility: ProtectionClass
    /// The bits of `SecAccessControlCreateFlags`.
    let flags: Int64

    /// - Throws: ``KeychainError/parameter`` for any other object.
    init(_ value: AgentValue) throws(KeychainError) {
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
    /// Whether its secret is for whoever proves to be the device's owner.
    ///
    /// The bits for private keys' use and for joining others ask for nothing by themselves.
    var demandsAuthentication: Bool {
        guard case .integer(let flags) = attributes[.accessControl] else { return false }
        return flags & ~(1 << 14 | 1 << 15 | 1 << 30) != 0
    }
}
