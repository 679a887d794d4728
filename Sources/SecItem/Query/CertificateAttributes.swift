internal import Keychain

/// What an item has of the certificate in it.
enum CertificateAttributes {
    static func ofItem(_ bytes: [UInt8]) -> [AttributeName: AttributeValue]? { nil }
    static func criteria(_ bytes: [UInt8]) -> [AttributeName: AttributeValue]? { nil }
}

extension MatchKeys {
    func admits(certificate: [UInt8]) -> Bool { !wantsTrusted }
}
