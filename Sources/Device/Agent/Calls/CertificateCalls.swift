internal import KSRedaction

/// Finds certificates.
package struct FindCertificates: KeychainsCall {
    package typealias Answer = [FoundCertificate]
    package static let name = "keychains.certificates"
    package static let permission = AgentPermission.seesAll

    /// Nil for those of the search list.
    package var keychains: [String]?
    /// A part of the common name.
    package var name: String?
    package var email: String?
    /// SHA-1 or SHA-256.
    package var hash: [UInt8]?

    package init() {}
}

/// A certificate: its item without the secret, and what commands show of it.
package struct FoundCertificate: AgentCoded, Codable {
    package var item: FoundItem {
        FoundItem(class: `class`, attributes: attributes, keychain: keychain)
    }
    package var `class`: String
    package var attributes: AgentDictionary
    package var keychain: String?
    package var pem: String
    package var sha1: [UInt8]
    package var sha256: [UInt8]
    package var emails: [String]

    package init(_ item: FoundItem, pem: String, sha1: [UInt8], sha256: [UInt8], emails: [String]) {
        `class` = item.class
        attributes = item.attributes
        keychain = item.keychain
        (self.pem, self.sha1, self.sha256, self.emails) = (pem, sha1, sha256, emails)
    }
}

/// Finds certificates that have their private key beside them.
package struct FindIdentities: KeychainsCall {
    package typealias Answer = [FoundIdentity]
    package static let name = "keychains.identities"
    package static let permission = AgentPermission.seesAll

    /// Nil for those of the search list.
    package var keychains: [String]?
    /// What `find-identity -p` names.
    package var policy: String?
    package var host: String?

    package init() {}
}

/// A certificate that has its private key beside it.
package struct FoundIdentity: AgentCoded, Codable {
    package var sha1: [UInt8]
    package var label: String
    /// `valid`, `expired` or `notYetValid`.
    package var standing: String

    package init(sha1: [UInt8], label: String, standing: String) {
        (self.sha1, self.label, self.standing) = (sha1, label, standing)
    }
}

/// Deletes the one certificate that matches, and its key if that is wanted.
package struct DeleteCertificate: KeychainsCall {
    package static let name = "keychains.deleteCertificate"
    package static let permission = AgentPermission.seesAll

    /// Nil for those of the search list.
    package var keychains: [String]?
    package var name: String?
    package var email: String?
    package var hash: [UInt8]?
    package var identity: Bool?

    package init() {}
}

/// Adds the keys and certificates of a file.
package struct ImportKeys: KeychainsCall {
    package typealias Answer = ImportedKeys
    package static let name = "keychains.import"
    package static let permission = AgentPermission.seesAll

    package var file: [UInt8]
    package var format: String?
    package var kind: String?
    package var passphrase: [UInt8]?
    package var extractable: Bool?
    /// Nil for the default keychain.
    package var keychain: String?

    package init(file: [UInt8]) { self.file = file }
}

/// The counts of an import.
package struct ImportedKeys: AgentCoded, Codable {
    package var identities = 0
    package var keys = 0
    package var certificates = 0

    package init() {}
}

/// Writes keys and certificates into one file.
package struct ExportKeys: KeychainsCall {
    package typealias Answer = ExportedKeys
    package static let name = "keychains.export"
    package static let permission = AgentPermission.seesAll

    /// Nil for those of the search list.
    package var keychains: [String]?
    package var format: String?
    package var kind: String?
    package var armoured: Bool?
    package var passphrase: [UInt8]?

    package init() {}
}

/// The file, and how many keys were left out of it.
package struct ExportedKeys: AgentCoded, Codable, Redacted {
    package var file: [UInt8]
    package var leftOut: Int

    package init(file: [UInt8], leftOut: Int) {
        self.file = file
        self.leftOut = leftOut
    }
}
