import Foundation
import KeychainSync
import KSTestSupport
import Testing

/// The keychain as Swift types, with a daemon that starts itself.
struct KeychainTests {
    @Test
    func `a generic password is added, found, changed and deleted`() async throws {
        try await withKeychain { keychain in
            var item = GenericPassword(service: "mail", account: "ada", password: "secret")
            item.details.label = "Mail"
            item.comment = "a comment"
            item.details.accessibility = .afterFirstUnlock
            let added = try await keychain.add(item)
            #expect(added.details.creationDate != nil)
            #expect(added.persistentReference?.count == 20)

            let query = ItemQuery.genericPasswords(service: "mail", account: "ada")
            let found = try #require(try await keychain.first(query))
            #expect(found.password == "secret")
            #expect(found.comment == "a comment")
            #expect(found.details.label == "Mail")
            #expect(found.details.accessibility == .afterFirstUnlock)
            #expect(!found.details.isSynchronizable)

            try await keychain.update(query) { $0.password = "new" }
            #expect(try await keychain.first(query)?.password == "new")
            #expect(try await keychain.first(query)?.comment == "a comment")
            #expect(try await keychain.all(query).first?.secret == nil)
            #expect(try await keychain.delete(query))
            #expect(try await !keychain.delete(query))
            #expect(try await keychain.first(query) == nil)
        }
    }

    @Test
    func `an error carries Apple's number`() async throws {
        try await withKeychain { keychain in
            let item = GenericPassword(service: "s", account: "a", password: "p")
            try await keychain.add(item)
            await #expect(throws: KeychainError.duplicateItem) { try await keychain.add(item) }
            let missing = ItemQuery.genericPasswords(service: "nobody's")
            do throws(KeychainError) {
                try await keychain.update(missing) { $0.comment = "x" }
                Issue.record("there is nothing to change")
            } catch {
                #expect(error.status == -25300)
                #expect(
                    error.message == "The specified item could not be found in the keychain."
                )
            }
        }
    }

    @Test
    func `saving adds a new item and changes an existing one`() async throws {
        try await withKeychain { keychain in
            var item = InternetPassword(server: "example.com", account: "ada", password: "one")
            item.port = 443
            item.protocolCode = "htps"
            item.details.isSynchronizable = true
            try await keychain.save(item)
            item.password = "two"
            try await keychain.save(item)
            try await keychain.save(
                InternetPassword(server: "mail.example.com", account: "ada", password: "three")
            )
            let all = try await keychain.all(.internetPasswords(), withSecrets: true)
            // Local items come first.
            #expect(all.map(\.password) == ["three", "two"])
            #expect(all.last?.port == 443)
            #expect(all.last?.details.isSynchronizable == true)
            let below = ItemQuery.internetPasswords(ofHostOrSubdomain: "example.com")
            #expect(try await keychain.all(below).count == 2)
            let local = ItemQuery<InternetPassword>.internetPasswords().synchronizable(false)
            #expect(try await keychain.all(local).map(\.server) == ["mail.example.com"])
        }
    }

    @Test
    func `a key is stored with its type and found by its tag`() async throws {
        try await withKeychain { keychain in
            var key = Key(Data(repeating: 7, count: 32), keyClass: .symmetric, type: .aes)
            key.bits = 256
            key.applicationTag = Data("tag".utf8)
            try await keychain.add(key)
            let found = try await keychain.first(
                .keys(.symmetric, applicationTag: Data("tag".utf8))
            )
            #expect(found?.bytes == key.bytes)
            #expect(found?.type == .aes)
            #expect(found?.bits == 256)
        }
    }

    // MARK: Certificates and identities

    @Test
    func `a certificate is saved once, whatever is said of it`() async throws {
        try await withKeychain { keychain in
            try await keychain.save(try Certificate.fixture(KeyFixtures.rsaCertificate))
            var item = try Certificate.fixture()
            try await keychain.save(item)
            try await keychain.save(item)
            #expect(try await keychain.all(.certificates()).count == 2)
            item.details.label = "mine"
            item.details.accessibility = .afterFirstUnlock
            try await keychain.save(item)
            let mine = ItemQuery<Certificate>.certificates().labeled("mine")
            var found = try #require(try await keychain.first(mine))
            #expect(found.der == item.der)
            #expect(found.details.accessibility == .afterFirstUnlock)
            #expect(found.subject != nil && found.issuer != nil && found.serialNumber != nil)
            #expect(try await keychain.all(.certificates()).count == 2)
            // A found item can be saved as well.
            found.details.label = "yours"
            try await keychain.save(found)
            #expect(try await keychain.first(mine) == nil)
            try await keychain.update(.certificates(publicKeyHash: found.publicKeyHash)) {
                $0.details.label = "mine"
            }
            #expect(try await keychain.first(mine)?.der == item.der)
        }
    }

    @Test
    func `an identity is a certificate and its key`() async throws {
        try await withKeychain { keychain in
            #expect(try await keychain.first(.identities()) == nil)
            let item = try Identity.fixture()
            let added = try await keychain.add(item)
            #expect(added.certificate.der == item.certificate.der)
            await #expect(throws: KeychainError.duplicateItem) { try await keychain.add(item) }

            let found = try #require(try await keychain.first(.identities()))
            #expect(found.certificate.der == item.certificate.der)
            #expect(found.privateKey.bytes == item.privateKey.bytes)
            #expect(found.privateKey.applicationTag == Data("tag".utf8))
            #expect(found.details.label == found.certificate.details.label)
            #expect(found.persistentReference?.prefix(4) == Data("idnt".utf8))
            let certificate = try await keychain.first(.certificates())
            #expect(certificate?.der == item.certificate.der)
            #expect(
                certificate?.persistentReference == found.certificate.persistentReference
            )
            let key = try await keychain.first(.keys(.privateKey))
            #expect(key?.bytes == item.privateKey.bytes)
            #expect(key?.applicationLabel == certificate?.publicKeyHash)
            let hash = certificate?.publicKeyHash
            let listed = try await keychain.all(.identities(publicKeyHash: hash))
            #expect(listed.map(\.certificate.subject) == [certificate?.subject])
            #expect(listed.map(\.privateKey.bytes) == [nil])
            #expect(try await keychain.all(.identities(publicKeyHash: Data([1]))).isEmpty)
        }
    }

    @Test
    func `an identity is saved, changed and deleted as one`() async throws {
        try await withKeychain { keychain in
            // One half may exist already.
            try await keychain.save(try Certificate.fixture())
            var item = try Identity.fixture()
            item.details.label = "mine"
            try await keychain.save(item)
            #expect(try await keychain.all(.identities()).count == 1)
            try await keychain.save(item)
            #expect(try await keychain.first(.identities())?.details.label == "mine")
            try await keychain.update(.identities()) { $0.details.label = "yours" }
            #expect(try await keychain.all(.identities()).map(\.details.label) == ["yours"])
            #expect(try await keychain.first(.certificates())?.details.label == "yours")
            #expect(try await keychain.first(.keys())?.details.label == "yours")
            let reference = try #require(try await keychain.first(.identities()))
                .persistentReference
            let exact = ItemQuery<Identity>(persistentReference: try #require(reference))
            #expect(try await keychain.first(exact)?.privateKey.bytes == item.privateKey.bytes)
            #expect(try await keychain.delete(.identities()))
            #expect(try await keychain.all(.identities()).isEmpty)
            #expect(try await keychain.all(.certificates()).isEmpty)
            #expect(try await keychain.all(.keys()).isEmpty)
        }
    }

    @Test(arguments: FileProtection.allCases)
    func `a file is sealed, read and opened again`(level: FileProtection) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "files-\(UUID().uuidString.prefix(8))"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Leftovers are in the temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "notes.txt")
        let sealed = folder.appending(path: "notes.sealed")
        let text = Data("a text".utf8)
        try text.write(to: file)
        try await withKeychain { keychain in
            try await keychain.protect(file, as: level, to: sealed)
            #expect(try Data(contentsOf: file) == text)
            #expect(try Data(contentsOf: sealed) != text)
            #expect(try await keychain.contents(ofProtected: sealed) == text)
            try await keychain.protect(file, as: level)
            #expect(try Data(contentsOf: file) != text)
            try await keychain.unprotect(file)
            #expect(try Data(contentsOf: file) == text)

            var damaged = try Data(contentsOf: sealed)
            damaged[damaged.count - 1] ^= 1
            try damaged.write(to: sealed)
            await #expect(throws: KeychainError.decode) { try await keychain.unprotect(sealed) }
            await #expect(throws: KeychainError.decode) { try await keychain.unprotect(file) }
            await #expect(throws: KeychainError.inputOutput) {
                try await keychain.contents(ofProtected: folder.appending(path: "none"))
            }
        }
    }
}
