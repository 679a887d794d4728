internal import KSAgent
public import Foundation

/// A certificate.
///
/// The keychain reads its subject, issuer, serial number and the like from its bytes.
///
/// ```swift
/// try await keychain.add(Certificate(der: data))
/// ```
public struct Certificate: KeychainItem {
    /// The class of certificates.
    public static let itemClass = KeychainItemClass.certificate

    /// The certificate in DER; nil when it was not asked for.
    public var der: Data?
    /// The properties that items of all classes have; the default label is the subject's summary.
    public var details: ItemDetails
    /// The subject's name in DER.
    public private(set) var subject: Data?
    /// The issuer's name in DER.
    public private(set) var issuer: Data?
    /// The serial number's bytes.
    public private(set) var serialNumber: Data?
    /// SHA-1 of the public key, by which private keys are matched.
    public private(set) var publicKeyHash: Data?

    /// A certificate in DER.
    public init(der: Data, details: ItemDetails = ItemDetails()) {
        self.der = der
        self.details = details
    }

    /// All properties that can be set, as attributes.
    public var attributes: KeychainAttributes {
        var attributes = KeychainAttributes()
        details.write(to: &attributes)
        attributes.values["v_Ref"] = object
        return attributes
    }

    /// The attributes of its primary key, which no other certificate shares.
    public var primaryKey: KeychainAttributes {
        var attributes = KeychainAttributes()
        // The object tells more than the attributes below, such as the certificate's version.
        attributes.values["v_Ref"] = object
        attributes.set("issr", issuer)
        attributes.set("slnr", serialNumber)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// Makes the certificate from its stored attributes.
    public init?(_ attributes: KeychainAttributes) {
        der = attributes.data("v_Data")
        subject = attributes.data("subj")
        issuer = attributes.data("issr")
        serialNumber = attributes.data("slnr")
        publicKeyHash = attributes.data("pkhh")
        details = ItemDetails(attributes)
    }

    /// Nil if the bytes of the certificate are missing.
    private var object: AgentValue? {
        der.map { ["$ref": "cert", "certificate": .data([UInt8]($0))] }
    }
}
