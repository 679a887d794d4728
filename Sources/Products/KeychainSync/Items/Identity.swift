internal import KSAgent
internal import Foundation

/// A certificate and its private key.
///
/// An identity is not stored: it exists if the keychain holds a certificate and the private key to
/// its public key. Adding an identity adds the missing halves; deleting it keeps the key if
/// another certificate has the same public key.
///
/// ```swift
/// let key = Key(keyBytes, keyClass: .privateKey, type: .ellipticCurve)
/// try await keychain.add(Identity(certificate: Certificate(der: data), privateKey: key))
/// for identity in try await keychain.all(.identities()) {
///     print(identity.details.label ?? "without a name")
/// }
/// ```
public struct Identity: SecretItem {
    /// The class of identities.
    public static let itemClass = KeychainItemClass.identity

    /// The public half.
    public private(set) var certificate: Certificate
    /// The secret half.
    public private(set) var privateKey: Key
    /// The properties of both items; the label is the certificate's.
    public var details: ItemDetails

    /// An identity of a certificate in DER and a private key with its bytes.
    public init(certificate: Certificate, privateKey: Key, details: ItemDetails = ItemDetails()) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.details = details
    }

    /// All properties that can be set, as attributes.
    public var attributes: KeychainAttributes {
        var attributes = KeychainAttributes()
        details.write(to: &attributes)
        attributes.values["v_Ref"] = object
        return attributes
    }

    /// The attributes of its primary key, which no other identity shares.
    public var primaryKey: KeychainAttributes {
        var attributes = KeychainAttributes()
        attributes.values["v_Ref"] = object
        attributes.set("issr", certificate.issuer)
        attributes.set("slnr", certificate.serialNumber)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// Makes the identity from its stored attributes; nil if either half is missing.
    public init?(_ attributes: KeychainAttributes) {
        guard var key = Key(attributes), var certificate = Certificate(attributes) else {
            return nil
        }
        details = ItemDetails(attributes)
        let object = attributes.values["v_Ref"]?.dictionary
        certificate.der = object?["certificate"]?.data.map { Data($0) }
        // The references of an identity and of its certificate differ only in the class letters.
        certificate.details.persistentReference = details.persistentReference.map {
            Data(KeychainItemClass.certificate.rawValue.utf8) + $0.dropFirst(4)
        }
        key.details.persistentReference = nil
        self.certificate = certificate
        privateKey = key
    }

    /// Nil if the bytes of either half are missing.
    private var object: AgentValue? {
        guard let der = certificate.der, let bytes = privateKey.bytes else { return nil }
        var object: AgentDictionary = [
            "$ref": "idnt", "certificate": .data([UInt8](der)), "key": .data([UInt8](bytes)),
            "kcls": .string(privateKey.keyClass.rawValue),
            "type": .string(privateKey.type.rawValue),
        ]
        object["bsiz"] = privateKey.bits.map { .integer(Int64($0)) }
        object["atag"] = privateKey.applicationTag.map { .data([UInt8]($0)) }
        return .dictionary(object)
    }
}
