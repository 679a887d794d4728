import Foundation
import KeychainSync
import Testing

/// A program that prints an item into its log does not reveal the secret.
struct RedactionTests {
    private static let secret = "correct horse battery"

    static let items: [any Sendable] = [
        GenericPassword(service: "mail", account: "ada", password: secret),
        InternetPassword(server: "example.org", account: "ada", password: secret),
        Key(Data(secret.utf8), keyClass: .privateKey, type: .aes),
        Identity(
            certificate: Certificate(der: Data()),
            privateKey: Key(Data(secret.utf8), keyClass: .privateKey, type: .rsa)
        ),
    ]

    @Test(arguments: items)
    func `an item does not show its secret`(item: any Sendable) {
        var dumped = ""
        dump(item, to: &dumped)
        let shown = "\(item)" + String(reflecting: item) + "\([item])" + dumped
        #expect(!shown.contains("correct"))
        #expect(!shown.contains("99, 111"))
        #expect(shown.contains("(redacted)"))
        #expect(Mirror(reflecting: item).children.isEmpty)
    }
}
