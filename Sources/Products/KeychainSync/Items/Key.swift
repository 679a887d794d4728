public import Foundation

/// A cryptographic key.
///
/// ```swift
/// try await keychain.add(Key(privateKeyBytes, keyClass: .privateKey, type: .ellipticCurve))
/// ```
public struct Key: SecretItem {
    /// The class of keys.
    public static let itemClass = KeychainItemClass.key

    /// Whether a key is public, private or symmetric; programs may have stored other values.
    public struct KeyClass: RawRepresentable, Hashable, Sendable {
        /// The number, as text.
        public let rawValue: String

        /// The class with this number.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The public key of a pair.
        public static let publicKey = KeyClass(rawValue: "0")
        /// The private key of a pair.
        public static let privateKey = KeyClass(rawValue: "1")
        /// A symmetric key.
        public static let symmetric = KeyClass(rawValue: "2")
    }

    /// An algorithm, by Apple's number.
    public struct KeyType: RawRepresentable, Hashable, Sendable {
        /// The number, as text.
        public let rawValue: String

        /// The algorithm with this number.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// RSA; the bytes are PKCS #1.
        public static let rsa = KeyType(rawValue: "42")
        /// An elliptic curve over a prime field; the bytes are X9.63.
        public static let ellipticCurve = KeyType(rawValue: "73")
        /// Ed25519.
        public static let ed25519 = KeyType(rawValue: "105")
        /// X25519.
        public static let x25519 = KeyType(rawValue: "106")
        /// AES.
        public static let aes = KeyType(rawValue: "2147483649")
    }

    /// The key itself; nil when it was not asked for.
    public var bytes: Data?
    /// Whether the key is public, private or symmetric.
    public var keyClass: KeyClass
    /// Its algorithm.
    public var type: KeyType
    /// How many bits it has.
    public var bits: Int?
    /// SHA-1 of the public key, by which key and certificate are matched.
    public var applicationLabel: Data?
    /// The program's own name for the key.
    public var applicationTag: Data?
    /// The properties that items of all classes have.
    public var details: ItemDetails

    /// A key with these bytes.
    public init(
        _ bytes: Data,
        keyClass: KeyClass,
        type: KeyType,
        bits: Int? = nil,
        details: ItemDetails = ItemDetails()
    ) {
        self.bytes = bytes
        self.keyClass = keyClass
        self.type = type
        self.bits = bits
        self.details = details
    }

    /// All properties that are not nil, as attributes.
    public var attributes: KeychainAttributes {
        var attributes = primaryKey
        attributes.set("v_Data", bytes)
        details.write(to: &attributes)
        return attributes
    }

    /// The attributes of its primary key, which no other item shares.
    public var primaryKey: KeychainAttributes {
        var attributes = KeychainAttributes()
        attributes.set("kcls", keyClass.rawValue)
        attributes.set("type", type.rawValue)
        attributes.set("bsiz", bits)
        attributes.set("klbl", applicationLabel)
        attributes.set("atag", applicationTag)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// Makes the key from its stored attributes; nil if its class or type is missing.
    public init?(_ attributes: KeychainAttributes) {
        guard let keyClass = attributes.number("kcls"), let type = attributes.number("type")
        else { return nil }
        self.keyClass = KeyClass(rawValue: keyClass)
        self.type = KeyType(rawValue: type)
        bytes = attributes.data("v_Data")
        bits = attributes.integer("bsiz")
        applicationLabel = attributes.data("klbl")
        applicationTag = attributes.data("atag")
        details = ItemDetails(attributes)
    }
}
