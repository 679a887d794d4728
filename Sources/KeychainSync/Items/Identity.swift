internal import KSAgent
internal import Foundation

/// A certificate and the private key to it.
///
/// It is no item of its own: there is one wherever both are in the keychain, which find each other
/// by the public key. Adding one adds whichever half is missing; deleting one leaves the key when
/// another certificate is for it.
///
/// ```swift
/// let key = Key(keyBytes, keyClass: .privateKey, type: .ellipticCurve)
/// try await keychain.add(Identity(certificate: Certificate(der: data), privateKey: key))
/// for identity in try await keychain.all(.identities()) {
///     print(identity.details.label ?? "without a name")
/// }
/// ```
public struct Identity: KeychainItem {
    /// The class of all of them.
    public static let itemClass = KeychainItemClass.identity

    /// The half that others may see.
    public private(set) var certificate: Certificate
    /// The half that nobody else may have.
    public private(set) var privateKey: Key
    /// What the items of both halves have; the label is the certificate's.
    public var details: ItemDetails

    /// A certificate in DER and its private key, with its bytes.
    public init(
        certificate: Certificate,
        privateKey: Key,
        details: ItemDetails = ItemDetails()
    ) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.details = details
    }

    /// Everything about it that can be set.
    public var attributes: KeychainAttributes {
        var attributes = KeychainAttributes()
        details.write(to: &attributes)
        attributes.values["v_Ref"] = object
        return attributes
    }

    /// What no other has in common with it.
    public var primaryKey: KeychainAttributes {
        var attributes = KeychainAttributes()
        attributes.values["v_Ref"] = object
        attributes.set("issr", certificate.issuer)
        attributes.set("slnr", certificate.serialNumber)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// The identity of what the keychain knows about it.
    public init?(_ attributes: KeychainAttributes) {
        guard var key = Key(attributes), var certificate = Certificate(attributes) else {
            return nil
        }
        details = ItemDetails(attributes)
        let object = attributes.values["v_Ref"]?.dictionary
        certificate.der = object?["certificate"]?.data.map { Data($0) }
        // The pair is named by its certificate, under letters of its own.
        certificate.details.persistentReference = details.persistentReference.map {
            Data(KeychainItemClass.certificate.rawValue.utf8) + $0.dropFirst(4)
        }
        key.details.persistentReference = nil
        self.certificate = certificate
        privateKey = key
    }

    /// Nil when either half was not asked for.
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

extension Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}
