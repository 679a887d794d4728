// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
internal import KSCertificates
public import Foundation

/// A cryptographic key: its bytes and its kind.
///
/// Its bytes are in this program's memory, so every key can be exported.
public final class SecKey: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it has only constants.
    static let referenceKind = "keys"

    enum KeyClass: String {
        case publicKey = "0"
        case privateKey = "1"
        case symmetric = "2"
    }

    let bytes: [UInt8]
    let keyClass: KeyClass
    let type: String
    let bits: Int
    /// SHA-1 of the public key, for both halves of a pair.
    let applicationLabel: [UInt8]?
    let applicationTag: [UInt8]?
    let label: String?

    init(
        bytes: [UInt8],
        keyClass: KeyClass,
        type: String,
        bits: Int,
        applicationLabel: [UInt8]?,
        applicationTag: [UInt8]? = nil,
        label: String? = nil
    ) {
        self.bytes = bytes
        self.keyClass = keyClass
        self.type = type
        self.bits = bits
        self.applicationLabel = applicationLabel
        self.applicationTag = applicationTag
        self.label = label
    }

    convenience init(_ key: PublicKeyInfo) {
        self.init(
            bytes: key.external,
            keyClass: .publicKey,
            type: key.type,
            bits: key.bits,
            applicationLabel: key.hash
        )
    }

    convenience init?(_ reference: AgentDictionary) {
        guard let bytes = reference["key"]?.data,
            let keyClass = reference.constant("kcls").flatMap(KeyClass.init),
            let type = reference.constant("type")
        else { return nil }
        let form = KeyForm(type: type, keyClass: keyClass, bytes: bytes)
        // The size of an item that was added by its bytes alone is 0.
        let size = form?.bits ?? reference["bsiz"]?.integer.map(Int.init)
        self.init(
            bytes: bytes,
            keyClass: keyClass,
            type: type,
            bits: size ?? bytes.count * 8,
            applicationLabel: reference["klbl"]?.data ?? form?.hash,
            applicationTag: reference["atag"]?.data
                ?? reference["atag"]?.string.map { Array($0.utf8) },
            label: reference["labl"]?.string
        )
    }

    var reference: AgentDictionary {
        var reference: AgentDictionary = [
            AgentValue.referenceKey: .string(Self.referenceKind),
            "key": .data(bytes),
            "kcls": .string(keyClass.rawValue),
            "type": .string(type),
            "bsiz": .integer(Int64(bits)),
        ]
        reference["klbl"] = applicationLabel.map(AgentValue.data)
        reference["atag"] = applicationTag.map(AgentValue.data)
        reference["labl"] = label.map(AgentValue.string)
        return reference
    }

    /// Whether another object is the same key.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        return bytes == other.bytes && keyClass == other.keyClass && type == other.type
    }

    /// Equal for equal keys.
    public override var hash: Int { bytes.hashValue }

    /// The key's kind and size, never its bytes.
    public override var description: String {
        "<SecKey class \(keyClass.rawValue), type \(type), \(bits) bits>"
    }
}

/// Makes a key from its bytes: PKCS #1 for RSA, X9.63 for elliptic curves, otherwise the raw key.
///
/// - Parameters:
///   - keyData: the bytes.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; optionally a label and a tag.
///   - error: where to put the error.
/// - Returns: the key; nil if the bytes are not such a key.
public func SecKeyCreateWithData(
    _ keyData: CFData,
    _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    var reference = AgentDictionary(attributes)
    reference["key"] = .data(keyData.copiedBytes)
    guard let key = SecKey(reference) else {
        unsafe error.give(errSecParam)
        return nil
    }
    guard KeyForm(type: key.type, keyClass: key.keyClass, bytes: key.bytes) != nil else {
        unsafe error.give(errSecDecode)
        return nil
    }
    return key
}

/// The key's bytes, as `SecKeyCreateWithData` takes them.
///
/// - Parameters:
///   - key: the key.
///   - error: never used, since every key can be exported.
/// - Returns: the bytes.
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    Data(key.bytes) as NSData
}

/// The key's kind, its names and the operations that it can be used for.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    let isPrivate = key.keyClass == .privateKey
    let isSymmetric = key.keyClass == .symmetric
    var attributes: [CFString: Any] = [
        kSecAttrKeyClass: key.keyClass.rawValue,
        kSecAttrKeyType: key.type,
        kSecAttrKeySizeInBits: key.bits,
        kSecAttrEffectiveKeySize: key.bits,
        kSecAttrIsPermanent: false,
        kSecAttrCanEncrypt: !isPrivate,
        kSecAttrCanDecrypt: isPrivate || isSymmetric,
        kSecAttrCanDerive: true,
        kSecAttrCanSign: isPrivate || isSymmetric,
        kSecAttrCanVerify: !isPrivate,
        kSecAttrCanWrap: !isPrivate,
        kSecAttrCanUnwrap: isPrivate || isSymmetric,
        kSecValueData: Data(key.bytes),
    ]
    attributes[kSecAttrApplicationLabel] = key.applicationLabel.map { Data($0) }
    attributes[kSecAttrApplicationTag] = key.applicationTag.map { Data($0) }
    attributes[kSecAttrLabel] = key.label
    return attributes as NSDictionary
}

/// The public half of a pair, from either half; nil for a symmetric or unreadable key.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    // The reason is lost, since Apple's function gives none.
    guard let half = try? key.publicInfo() else { return nil }
    return SecKey(half)
}

/// The block size of the key, in bytes.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { (key.bits + 7) / 8 }

/// The type identifier of keys.
public func SecKeyGetTypeID() -> CFTypeID { ObjectType.key }

extension AgentDictionary {
    /// A constant that Apple keeps as a string and that programs also give as a number.
    fileprivate func constant(_ key: String) -> String? {
        self[key]?.string ?? self[key]?.integer.map { String($0) }
    }
}
