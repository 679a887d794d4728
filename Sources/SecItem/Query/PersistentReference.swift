internal import KSAgent
internal import KSKeychain

/// What a program keeps to find an item again, whatever becomes of its attributes.
struct PersistentReference {
    let target: SecItemQuery.Target
    /// 16 random bytes; nil for the form of old, a row's number, which this keychain never gave.
    let name: [UInt8]?

    /// - Throws: ``KeychainError/parameter`` for what no keychain has given.
    init(_ value: AgentValue) throws(KeychainError) {
        guard let bytes = value.data else { throw .parameter }
        let letters = String(decoding: bytes.prefix(4), as: UTF8.self)
        if letters == identityLetters {
            target = .identities
        } else {
            guard let itemClass = ItemClass(rawValue: letters) else { throw .parameter }
            target = .items(itemClass)
        }
        switch bytes.count {
        case 20: name = Array(bytes.dropFirst(4))
        case 12: name = nil
        default: throw .parameter
        }
    }

    /// The reference as the keychain knows it; an identity's is its certificate's.
    ///
    /// - Throws: ``KeychainError/itemNotFound`` for the form of old.
    func bytes(of itemClass: ItemClass) throws(KeychainError) -> [UInt8] {
        guard let name else { throw .itemNotFound }
        return Array(itemClass.rawValue.utf8) + name
    }
}

/// `kSecClassIdentity`.
let identityLetters = "idnt"
