import KSAgent
import KSRPC
import KSTestBench
import Testing

/// The objects of `rpc --test`, its deletion of whole groups, and its answers without the file.
struct RPCObjectTests {
    /// A keychain, and the status of a call by its function and arguments.
    private struct Session {
        private let session: RPCSession

        init() throws {
            session = RPCSession(keychain: try TestKeychain())
        }

        func answer(_ function: String, _ request: AgentDictionary) throws -> AgentDictionary {
            var request = request
            request["fn"] = .string(function)
            return try RPCJSON.object(session.answer(JSONText.text(.dictionary(request))))
        }

        func status(_ function: String, _ query: AgentDictionary = [:]) throws -> Int64? {
            var request: AgentDictionary = ["query": .dictionary(query)]
            if function == "SecItemUpdate" { request["update"] = ["kSecAttrLabel": "l"] }
            return try answer(function, request)["status"]?.integer
        }
    }

    private func object(_ name: String) -> AgentDictionary {
        ["kSecValueRef": ["$ref": .string(name)]]
    }

    private static let keys = [
        "key:A", "key:B", "key-of-identity:A", "key-of-identity:B", "key-of-identity:C",
        "public-key:A", "public-key:B",
    ]

    @Test
    func `every object can be read, and a key has its label`() throws {
        for name in Self.keys + ["identity:A", "identity:B", "identity:C"] {
            let object = try #require(TestObjects.shared.object(named: name))
            #expect(object["klbl"]?.data?.count == 20, "\(name)")
        }
        let labels = Set(
            Self.keys.compactMap { TestObjects.shared.object(named: $0)?["klbl"]?.data }
        )
        // A certificate and its key have one name.
        #expect(labels.count == Self.keys.count - 2)
    }

    @Test
    func `each key is an item of its own`() throws {
        let session = try Session()
        for name in Self.keys {
            for call in ["SecItemCopyMatching", "SecItemUpdate", "SecItemDelete"] {
                #expect(try session.status(call, object(name)) == -25300, "\(call) \(name)")
            }
            #expect(try session.status("SecItemAdd", object(name)) == 0, "\(name)")
            #expect(try session.status("SecItemAdd", object(name)) == -25299, "\(name)")
        }
        for name in Self.keys {
            #expect(try session.status("SecItemDelete", object(name)) == 0, "\(name)")
            #expect(try session.status("SecItemDelete", object(name)) == -25300, "\(name)")
        }
    }

    @Test
    func `an identity and its halves are the same two items`() throws {
        let apart = try Session()
        for name in ["cert-of-identity:A", "key-of-identity:A"] {
            #expect(try apart.status("SecItemAdd", object(name)) == 0)
        }
        let find: AgentDictionary = ["kSecClass": "kSecClassIdentity", "kSecReturnRef": true]
        let found = try apart.answer("SecItemCopyMatching", ["query": .dictionary(find)])
        #expect(found["result"] == ["$ref": "identity:A"])
        #expect(try apart.status("SecItemAdd", object("identity:A")) == -25299)
        let whole = try Session()
        #expect(try whole.status("SecItemAdd", object("identity:A")) == 0)
        for name in ["cert-of-identity:A", "key-of-identity:A"] {
            #expect(try whole.status("SecItemAdd", object(name)) == -25299)
        }
        #expect(try whole.status("SecItemDelete", object("key-of-identity:B")) == -25300)
        #expect(try whole.status("SecItemDelete", object("identity:A")) == 0)
        for name in ["cert-of-identity:A", "key-of-identity:A"] {
            #expect(try whole.status("SecItemDelete", object(name)) == -25300)
        }
    }

    private let password: AgentDictionary = [
        "kSecClass": "kSecClassGenericPassword", "kSecAttrService": "s", "kSecAttrAccount": "a",
    ]

    @Test
    func `whole groups are emptied, whosever they are, but for those that last`() throws {
        let session = try Session()
        func deleteAll(_ groups: AgentValue) throws -> Int64? {
            try session.answer("SecItemDeleteAllWithAccessGroups", ["accessGroups": groups])[
                "status"
            ]?.integer
        }
        for group in ["*", "apple", "com.apple.security.sos", "lockdown-identities"] {
            #expect(try session.status("SecItemAdd", password) == 0)
            #expect(try deleteAll([.string(group)]) == -50, "\(group)")
            #expect(try deleteAll(["test", .string(group)]) == -50, "\(group)")
            #expect(try session.status("SecItemDelete", password) == 0)
        }
        #expect(try deleteAll("test") == -50)
        #expect(try deleteAll(["nobody"]) == 0)
        #expect(try session.status("SecItemAdd", password) == 0)
        _ = try session.answer("Env.setClient", ["accessGroups": ["other"]])
        #expect(try session.status("SecItemAdd", password) == 0)
        #expect(try deleteAll(["test"]) == 0)
        #expect(try session.status("SecItemCopyMatching", password) == 0)
        _ = try session.answer("Env.setClient", ["accessGroups": ["test"]])
        #expect(try session.status("SecItemCopyMatching", password) == -25300)
    }

    @Test
    func `invalid queries are refused even without the database`() throws {
        let session = try Session()
        let wrong = password.merging("kSecAttrServer", "h")
        let foreign = password.merging("kSecAttrAccessGroup", "foreign")
        let calls = ["SecItemAdd", "SecItemCopyMatching", "SecItemUpdate", "SecItemDelete"]
        func check() throws {
            for call in calls {
                #expect(try session.status(call, password) == -25291, "\(call)")
                #expect(try session.status(call, wrong) == -25303, "\(call)")
                #expect(try session.status(call, foreign) == -34018, "\(call)")
            }
        }
        #expect(try session.status("SecItemAdd", password) == 0)
        #expect(try session.status("Env.makeDatabaseFileUnreadable") == 0)
        try check()
        #expect(try session.status("Env.makeDatabaseFileReadable") == 0)
        #expect(try session.status("SecItemCopyMatching", password) == 0)
        #expect(try session.status("Env.corruptDatabaseFile") == 0)
        try check()
    }

    @Test
    func `items of the Always classes are there before the first unlock`() throws {
        let session = try Session()
        func item(_ account: String, _ accessible: String) -> AgentDictionary {
            password.merging("kSecAttrAccount", .string(account))
                .merging("kSecAttrAccessible", .string("kSecAttrAccessible" + accessible))
        }
        func named(_ account: String) -> AgentDictionary {
            password.merging("kSecAttrAccount", .string(account))
        }
        for (account, accessible) in [
            ("d", "AlwaysPrivate"), ("k", "WhenUnlocked"), ("c", "AfterFirstUnlock"),
        ] {
            #expect(try session.status("SecItemAdd", item(account, accessible)) == 0)
        }
        #expect(try session.status("Env.reboot") == 0)
        let all = named("d").merging("kSecMatchLimit", "kSecMatchLimitAll")
        #expect(try session.status("SecItemCopyMatching", all) == 0)
        #expect(try session.status("SecItemUpdate", named("d")) == 0)
        #expect(try session.status("SecItemAdd", item("d", "AlwaysPrivate")) == -25299)
        #expect(try session.status("SecItemAdd", item("e", "AlwaysPrivate")) == 0)
        #expect(try session.status("SecItemAdd", object("cert:A")) == 0)
        #expect(try session.status("SecItemAdd", object("cert:A")) == -25299)
        #expect(try session.status("SecItemDelete", object("cert:B")) == -25300)
        #expect(try session.status("SecItemAdd", item("x", "WhenUnlocked")) == -25308)
        #expect(try session.status("SecItemCopyMatching", named("k")) == -25308)
        #expect(try session.status("Env.unlock") == 0)
        for account in ["d", "e", "k", "c"] {
            #expect(try session.status("SecItemCopyMatching", named(account)) == 0, "\(account)")
            #expect(try session.status("SecItemDelete", named(account)) == 0, "\(account)")
        }
        #expect(try session.status("SecItemDelete", object("cert:A")) == 0)
    }
}

extension AgentDictionary {
    fileprivate func merging(_ key: String, _ value: AgentValue) -> AgentDictionary {
        var merged = self
        merged[key] = value
        return merged
    }
}
