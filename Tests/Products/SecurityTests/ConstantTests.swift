import Foundation
import Security
import KSSecurityNames
import Testing

/// Apple's constants, compared with the table of names.
struct ConstantTests {
    @Test
    func `no name is in the tables twice`() {
        #expect(Set(SecConstants.all.map(\.name)).count == SecConstants.all.count)
        #expect(Set(SecStatus.all.map(\.name)).count == SecStatus.all.count)
    }

    @Test
    func `each constant has the value of the table`() {
        let constants: [(CFString, String)] = [
            (kSecClass, "kSecClass"), (kSecClassGenericPassword, "kSecClassGenericPassword"),
            (kSecAttrAccount, "kSecAttrAccount"), (kSecMatchLimitAll, "kSecMatchLimitAll"),
            (kSecAttrSynchronizableAny, "kSecAttrSynchronizableAny"),
            (kSecReturnData, "kSecReturnData"), (kSecValueData, "kSecValueData"),
            (kSecUseDataProtectionKeychain, "kSecUseDataProtectionKeychain"),
        ]
        for (constant, name) in constants {
            #expect(constant as String == SecConstants.value(of: name))
        }
    }

    /// Reads the declarations: a program cannot list a module's constants.
    @Test
    func `the module declares the whole table and nothing else`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Products/Security/Generated")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: nil
        )
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let constants = text.matches(of: /let (k\w+): CFString =\s+"([^"]*)"/)
        let declared = constants.map { "\($0.1)=\($0.2)" }.sorted()
        #expect(declared == SecConstants.all.map { "\($0.name)=\($0.value)" }.sorted())
        let statuses = text.matches(of: /let (errS\w+): OSStatus = (-?\d+)/)
        let declaredStatuses = statuses.map { "\($0.1)=\($0.2)" }.sorted()
        #expect(declaredStatuses == SecStatus.all.map { "\($0.name)=\($0.status)" }.sorted())
    }

    @Test
    func `a status has Apple's sentence, and an unknown one its number`() {
        let message = SecCopyErrorMessageString(errSecItemNotFound, nil) as String?
        #expect(message == "The specified item could not be found in the keychain.")
        #expect(SecCopyErrorMessageString(-1, nil) as String? == "OSStatus -1")
    }
}
