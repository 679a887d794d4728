internal import KSAgent
public import Foundation

/// A certificate.
///
/// Its subject, issuer, serial number and the like become attributes by themselves.
///
/// ```swift
/// try await keychain.add(Certificate(der: data))
/// ```
public struct Certificate: KeychainItem {
    /// The class of all of them.
    public static let itemClass = KeychainItemClass.certificate

    /// The certificate in DER; nil when it was not asked for.
    public var der: Data?
    /// What items of all classes have; the label is the subject's summary unless it says otherwise.
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
        // It says more than the names below, such as the certificate's version.
        attributes.values["v_Ref"] = object
        attributes.set("issr", issuer)
        attributes.set("slnr", serialNumber)
        details.writeKey(to: &attributes)
        return attributes
    }

    /// The certificate of what the keychain knows about it.
    public init?(_ attributes: KeychainAttributes) {
        der = attributes.data("v_Data")
        subject = attributes.data("subj")
        issuer = attributes.data("issr")
        serialNumber = attributes.data("slnr")
        publicKeyHash = attributes.data("pkhh")
        details = ItemDetails(attributes)
    }

    /// Nil when the certificate was not asked for.
    private var object: AgentValue? {
        der.map { ["$ref": "cert", "certificate": .data([UInt8]($0))] }
    }
}
