import KSAgent
import Foundation
import KeychainSync
import Testing

/// Saving changes the item with exactly the same key, not one with further attributes in its key.
struct SaveTests {
    typealias Change<Item> = @Sendable (inout Item) -> Void

    /// Everything else that makes another item of the same server and account.
    private static let passwordChanges: [Change<InternetPassword>] = [
        { $0.port = 8443 }, { $0.path = "/mail" }, { $0.protocolCode = "htps" },
        { $0.authenticationType = "form" }, { $0.securityDomain = "realm" },
        { $0.details.isSynchronizable = true }, { $0.details.accessGroup = "shared" },
    ]

    @Test
    func `a password with a port, a path or a protocol is not that without`() async throws {
        try await KeychainHome.with(groups: ["mine", "shared"]) { home in
            let keychain = home.keychain
            func item(_ password: String) -> InternetPassword {
                InternetPassword(server: "example.com", account: "ada", password: password)
            }
            var secrets = ["plain"]
            try await keychain.save(item("plain"))
            for (index, change) in Self.passwordChanges.enumerated() {
                var neighbour = item("neighbour \(index)")
                change(&neighbour)
                try await keychain.save(neighbour)
                secrets.append("neighbour \(index)")
            }
            try home.secItem(
                "add",
                [
                    "class": "inet", "srvr": "example.com", "acct": "ada", "vwht": "view",
                    "v_Data": .data(Array("of a view".utf8)),
                ]
            )
            secrets.append("of a view")
            func kept() async throws -> [String] {
                try await keychain.all(.internetPasswords(), withSecrets: true)
                    .compactMap(\.password).sorted()
            }
            #expect(try await kept() == secrets.sorted())

            try await keychain.save(item("plain, changed"))
            secrets[0] = "plain, changed"
            #expect(try await kept() == secrets.sorted())
            // A property that is left out has a default, which may also be given.
            var explicit = item("plain, said")
            explicit.port = 0
            explicit.path = ""
            explicit.authenticationType = ""
            explicit.securityDomain = ""
            explicit.details.accessGroup = "mine"
            try await keychain.save(explicit)
            secrets[0] = "plain, said"
            #expect(try await kept() == secrets.sorted())

            for (index, change) in Self.passwordChanges.enumerated() {
                var neighbour = item("changed \(index)")
                change(&neighbour)
                try await keychain.save(neighbour)
                secrets[index + 1] = "changed \(index)"
                #expect(try await kept() == secrets.sorted(), "\(index)")
            }
        }
    }

    @Test
    func `a generic password of another group or view keeps its secret`() async throws {
        try await KeychainHome.with(groups: ["mine", "shared"]) { home in
            let keychain = home.keychain
            var item = GenericPassword(service: "mail", account: "ada", password: "mine")
            var shared = item
            shared.details.accessGroup = "shared"
            shared.password = "shared"
            try await keychain.save(shared)
            try await keychain.save(item)
            for name in ["vwht", "tkid"] {
                try home.secItem(
                    "add",
                    [
                        "class": "genp", "svce": "mail", "acct": "ada",
                        "v_Data": .data(Array(name.utf8)),
                    ],
                    adding: name,
                    "x"
                )
            }
            item.password = "mine, changed"
            try await keychain.save(item)
            let all = try await keychain.all(.genericPasswords(), withSecrets: true)
            #expect(
                all.compactMap(\.password).sorted() == ["mine, changed", "shared", "tkid", "vwht"]
            )
            #expect(all.first { $0.password == "shared" }?.details.accessGroup == "shared")
        }
    }

    private static let keyChanges: [Change<Key>] = [
        { $0.applicationTag = Data("db".utf8) }, { $0.applicationLabel = Data([1]) },
        { $0.bits = 256 }, { $0.keyClass = .privateKey }, { $0.type = .rsa },
        { $0.details.isSynchronizable = true }, { $0.details.accessGroup = "shared" },
    ]

    @Test
    func `a key with a tag, a label or a size is not that without`() async throws {
        try await KeychainHome.with(groups: ["mine", "shared"]) { home in
            let keychain = home.keychain
            func key(_ byte: Int) -> Key {
                Key(Data([UInt8(byte)]), keyClass: .symmetric, type: .aes)
            }
            var bytes = [100]
            try await keychain.save(key(100))
            for (index, change) in Self.keyChanges.enumerated() {
                var neighbour = key(index)
                change(&neighbour)
                try await keychain.save(neighbour)
                bytes.append(index)
            }
            for (index, entry) in [("crtr", 5), ("esiz", 6), ("sdat", 7)].enumerated() {
                let value = AgentValue.integer(Int64(entry.1))
                try home.secItem(
                    "add",
                    [
                        "class": "keys", "kcls": "2", "type": "2147483649",
                        "v_Data": .data([UInt8(50 + index)]),
                    ],
                    adding: entry.0,
                    entry.0 == "sdat" ? .date(7) : value
                )
                bytes.append(50 + index)
            }
            func kept() async throws -> [Int] {
                try await keychain.all(.keys(), withSecrets: true)
                    .compactMap { $0.bytes?.first.map(Int.init) }.sorted()
            }
            #expect(try await kept() == bytes.sorted())
            try await keychain.save(key(200))
            bytes[0] = 200
            #expect(try await kept() == bytes.sorted())
            for (index, change) in Self.keyChanges.enumerated() {
                var neighbour = key(201 + index)
                change(&neighbour)
                try await keychain.save(neighbour)
                bytes[index + 1] = 201 + index
                #expect(try await kept() == bytes.sorted(), "\(index)")
            }
        }
    }

    @Test
    func `a certificate of another group, view or account keeps its label`() async throws {
        try await KeychainHome.with(groups: ["mine", "shared"]) { home in
            let keychain = home.keychain
            func item(_ label: String) throws -> Certificate {
                var item = try Certificate.fixture()
                item.details.label = label
                return item
            }
            var shared = try item("shared")
            shared.details.accessGroup = "shared"
            var synced = try item("synced")
            synced.details.isSynchronizable = true
            try await keychain.save(shared)
            try await keychain.save(synced)
            try await keychain.save(try item("mine"))
            let object = try item("").primaryKey.values["v_Ref"]
            try home.secItem(
                "add",
                ["vwht": "view", "labl": "of a view"],
                adding: "v_Ref",
                object
            )
            try await keychain.save(try item("mine, changed"))
            func labels() async throws -> [String] {
                try await keychain.all(.certificates()).compactMap(\.details.label).sorted()
            }
            #expect(try await labels() == ["mine, changed", "of a view", "shared", "synced"])
            // A found item is saved in its own place.
            let query = ItemQuery<Certificate>.certificates().labeled("shared")
            var found = try #require(try await keychain.first(query))
            found.details.label = "shared, changed"
            try await keychain.save(found)
            #expect(
                try await labels() == ["mine, changed", "of a view", "shared, changed", "synced"]
            )
        }
    }

    @Test
    func `a certificate that was listed without its bytes is not saved as one`() async throws {
        try await withKeychain { keychain in
            try await keychain.save(try Certificate.fixture())
            let listed = try #require(try await keychain.all(.certificates()).first)
            await #expect(throws: KeychainError.parameter) { try await keychain.save(listed) }
            #expect(try await keychain.all(.certificates()).count == 1)
        }
    }

    @Test
    func `an identity leaves another key of its certificate alone`() async throws {
        try await withKeychain { keychain in
            var one = try Identity.fixture(tag: "one")
            one.details.label = "one"
            var other = try Identity.fixture(tag: "other")
            other.details.label = "other"
            try await keychain.save(one)
            try await keychain.save(other)
            one.details.label = "one, changed"
            try await keychain.save(one)
            let keys = try await keychain.all(.keys())
            #expect(keys.compactMap(\.details.label).sorted() == ["one, changed", "other"])
        }
    }
}
