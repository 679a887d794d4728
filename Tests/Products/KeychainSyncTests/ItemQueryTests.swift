import KSAgent
import Foundation
import KeychainSync
import Testing

/// The meaning of a typed query in every call that takes one.
struct ItemQueryTests {
    private func password(_ server: String, _ account: String) -> InternetPassword {
        InternetPassword(server: server, account: account, password: "p")
    }

    /// Adds some passwords, deletes by a query, and expects that these accounts are left.
    private func expect(
        _ left: [String],
        after query: ItemQuery<InternetPassword>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await KeychainHome.with(groups: ["mine", "shared"]) { home in
            let keychain = home.keychain
            try await keychain.add(password("example.com", "top"))
            var below = password("mail.example.com", "below")
            below.port = 993
            below.path = "/in"
            below.details.label = "label"
            try await keychain.add(below)
            var synced = password("example.com", "synced")
            synced.details.isSynchronizable = true
            try await keychain.add(synced)
            var shared = password("www.example.com", "shared")
            shared.details.accessGroup = "shared"
            try await keychain.add(shared)
            try await keychain.add(password("notexample.com", "other"))
            #expect(try await keychain.delete(query), sourceLocation: sourceLocation)
            #expect(try await !keychain.delete(query), sourceLocation: sourceLocation)
            let kept = try await keychain.all(.internetPasswords()).map(\.account).sorted()
            #expect(kept == left, sourceLocation: sourceLocation)
        }
    }

    @Test
    func `a delete takes all passwords of a host and those below`() async throws {
        let host = ItemQuery.internetPasswords(ofHostOrSubdomain: "example.com")
        try await expect(["other"], after: host)
        try await expect(["other"], after: host.limited(to: 1))
        try await expect(["other", "shared", "synced", "top"], after: host.labeled("label"))
        try await expect(["below", "other", "synced", "top"], after: host.inAccessGroup("shared"))
        try await expect(["below", "other", "shared", "top"], after: host.synchronizable(true))
        try await expect(["other", "synced"], after: host.synchronizable(false))
    }

    @Test
    func `a delete takes all that any other query finds`() async throws {
        typealias Query = ItemQuery<InternetPassword>
        try await expect([], after: .internetPasswords())
        try await expect([], after: Query().limited(to: 1))
        try await expect(
            ["below", "other", "shared"],
            after: .internetPasswords(server: "example.com")
        )
        try await expect(
            ["below", "other", "shared", "synced"],
            after: .internetPasswords(server: "example.com", account: "top")
        )
        try await expect(
            ["other", "shared", "synced", "top"],
            after: .internetPasswords(port: 993)
        )
        try await expect(
            ["other", "shared", "synced", "top"],
            after: .internetPasswords(path: "/in")
        )
        try await expect(["other", "shared", "synced", "top"], after: Query().labeled("label"))
        try await expect(
            ["below", "other", "synced", "top"],
            after: Query().inAccessGroup("shared")
        )
        try await expect(["below", "other", "shared", "top"], after: Query().synchronizable(true))
    }

    @Test
    func `a delete removes the items that a query of its class finds`() async throws {
        try await withKeychain { keychain in
            for account in ["a", "b", "c"] {
                try await keychain.add(
                    GenericPassword(service: "s" + account, account: account, password: "p")
                )
            }
            #expect(try await keychain.delete(.genericPasswords(service: "sa")))
            #expect(try await keychain.delete(.genericPasswords(service: "sb", account: "b")))
            #expect(try await !keychain.delete(.genericPasswords(service: "sc", account: "b")))
            #expect(try await keychain.all(.genericPasswords()).map(\.account) == ["c"])

            try await keychain.add(try Identity.fixture())
            var key = Key(Data([1]), keyClass: .symmetric, type: .aes)
            key.applicationTag = Data("tag".utf8)
            try await keychain.add(key)
            #expect(try await keychain.delete(.keys(.symmetric, applicationTag: Data("tag".utf8))))
            #expect(try await !keychain.delete(.keys(.symmetric)))
            #expect(try await !keychain.delete(.certificates(publicKeyHash: Data([1]))))
            #expect(try await !keychain.delete(.identities(publicKeyHash: Data([1]))))
            let hash = try #require(try await keychain.first(.certificates())?.publicKeyHash)
            #expect(try await keychain.delete(.identities(publicKeyHash: hash)))
            try await keychain.add(try Certificate.fixture())
            #expect(try await keychain.delete(.certificates(publicKeyHash: hash)))
            #expect(try await keychain.all(.keys()).isEmpty)
        }
    }

    @Test
    func `a reference finds, changes and deletes nothing as one of another class`() async throws {
        try await withKeychain { keychain in
            try await keychain.add(GenericPassword(service: "s", account: "a", password: "p"))
            try await keychain.add(password("example.com", "a"))
            try await keychain.add(try Identity.fixture())
            let references = [
                try await keychain.first(.genericPasswords())?.persistentReference,
                try await keychain.first(.internetPasswords())?.persistentReference,
                try await keychain.first(.certificates())?.persistentReference,
                try await keychain.first(.keys())?.persistentReference,
                try await keychain.first(.identities())?.persistentReference,
            ]
            for (index, reference) in references.enumerated() {
                let reference = try #require(reference)
                if index != 0 { try await refuse(GenericPassword.self, reference, keychain) }
                if index != 1 { try await refuse(InternetPassword.self, reference, keychain) }
                if index != 2 { try await refuse(Certificate.self, reference, keychain) }
                if index != 3 { try await refuse(Key.self, reference, keychain) }
                if index != 4 { try await refuse(Identity.self, reference, keychain) }
            }
            func query<Item>(_ index: Int) throws -> ItemQuery<Item> {
                ItemQuery(persistentReference: try #require(references[index]))
            }
            let password: GenericPassword? = try await keychain.first(try query(0))
            #expect(password?.account == "a")
            let login: InternetPassword? = try await keychain.first(try query(1))
            #expect(login?.server == "example.com")
            let certificate: Certificate? = try await keychain.first(try query(2))
            #expect(certificate?.der != nil)
            let key: Key? = try await keychain.first(try query(3))
            #expect(key?.bytes != nil)
            #expect(try await keychain.delete(try query(4) as ItemQuery<Identity>))
            #expect(try await keychain.all(.keys()).isEmpty)
            #expect(try await keychain.delete(try query(1) as ItemQuery<InternetPassword>))
            #expect(try await keychain.all(.internetPasswords()).isEmpty)
            #expect(try await keychain.delete(try query(0) as ItemQuery<GenericPassword>))
        }
    }

    private func refuse<Item: KeychainItem>(
        _: Item.Type,
        _ reference: Data,
        _ keychain: Keychain
    ) async throws {
        let query = ItemQuery<Item>(persistentReference: reference)
        await #expect(throws: KeychainError.parameter) { try await keychain.first(query) }
        await #expect(throws: KeychainError.parameter) { try await keychain.all(query) }
        await #expect(throws: KeychainError.parameter) { try await keychain.update(query) { _ in } }
        await #expect(throws: KeychainError.parameter) { try await keychain.delete(query) }
    }

    @Test
    func `keys of a class or a type that no one knows are found like any other`() async throws {
        try await KeychainHome.with { home in
            let keychain = home.keychain
            try await keychain.add(Key(Data([1]), keyClass: .symmetric, type: .aes))
            let odd: [(AgentValue, AgentValue, UInt8)] = [
                (7, 42, 2), ("x", 42, 3), ("017", "42", 4), ("1", "none", 5), (2, -1, 6),
            ]
            for (keyClass, type, byte) in odd {
                try home.secItem(
                    "add",
                    ["class": "keys", "kcls": keyClass, "type": type, "v_Data": .data([byte])]
                )
            }
            let all = try await keychain.all(.keys(), withSecrets: true)
            #expect(all.compactMap(\.bytes?.first).sorted() == [1, 2, 3, 4, 5, 6])
            #expect(all.map(\.keyClass.rawValue).sorted() == ["017", "1", "2", "2", "7", "x"])
            for key in all {
                let found = try await keychain.all(.keys(key.keyClass), withSecrets: true)
                #expect(found.contains { $0.bytes == key.bytes }, "\(key.keyClass)")
                // The class is part of the key, so saving the item finds it again.
                var changed = key
                changed.details.label = "changed"
                try await keychain.save(changed)
            }
            let changed = ItemQuery<Key>.keys().labeled("changed")
            #expect(try await keychain.all(changed).count == 6)
            #expect(try await keychain.all(.keys()).count == 6)
            #expect(try await keychain.delete(.keys(Key.KeyClass(rawValue: "7"))))
            #expect(try await keychain.all(.keys()).count == 5)
        }
    }
}
