public import Foundation

/// A cryptographic key.
///
/// ```swift
/// try await keychain.add(Key(privateKeyBytes, keyClass: .privateKey, type: .ellipticCurve))
/// ```
public struct Key: KeychainItem {
    /// The class of all of them.
    public static let itemClass = KeychainItemClass.key

    /// Which key of a pair it is, or that it is none; programs may also have kept others.
    public struct KeyClass: RawRepresentable, Hashable, Sendable {
        /// The number, as text.
        public let rawValue: String

        /// The class of a number.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The one that others may know.
        public static let publicKey = KeyClass(rawValue: "0")
        /// The one that nobody else may know.
        public static let privateKey = KeyClass(rawValue: "1")
        /// One key for both sides.
        public static let symmetric = KeyClass(rawValue: "2")
    }

    /// An algorithm, by Apple's number.
    public struct KeyType: RawRepresentable, Hashable, Sendable {
        /// The number, as text.
        public let rawValue: String

        /// The algorithm of a number.
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
    /// Which key of a pair it is.
    public var keyClass: KeyClass
    /// Its algorithm.
    public var type: KeyType
    /// How many bits it has.
    public var bits: Int?
    /// SHA-1 of the public key, by which key and certificate are matched.
    public var applicationLabel: Data?
    /// What the program calls it.
    public var applicationTag: Data?
    /// What items of all classes have.
    public var details: ItemDetails

    /// A key of its bytes.
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

    /// Everything about it that is not nil.
    public var attributes: KeychainAttributes {
        var attributes = primaryKey
        attributes.set("v_Data", bytes)
        details.write(to: &attributes)
        return attributes
    }

    /// What no other has in common with it.
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

    /// The key of what the keychain knows about it.
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

extension Key: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}
