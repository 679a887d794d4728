internal import KSAgent
internal import KSKeychain

/// A reference by which a program finds an item again after its attributes have changed.
struct PersistentReference {
    let target: SecItemQuery.Target
    /// 16 random bytes; nil for Apple's old form, a row number, which this keychain never made.
    let name: [UInt8]?

    /// - Throws: ``KeychainError/parameter`` if the value is not a persistent reference.
    init(_ value: AgentValue) throws(ItemStoreError) {
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

    /// The reference in its stored form; that of an identity is its certificate's.
    ///
    /// - Throws: ``KeychainError/itemNotFound`` for the old form.
    func bytes(of itemClass: ItemClass) throws(ItemStoreError) -> [UInt8] {
        guard let name else { throw .itemNotFound }
        return Array(itemClass.rawValue.utf8) + name
    }
}

/// `kSecClassIdentity`.
let identityLetters = "idnt"
