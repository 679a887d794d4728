import KSAgent
import KSDaemon
import KSKeychain
import KSKeychainFiles
import Testing

/// Requests are checked strictly: any program may be faulty or hostile.
struct ItemRequestTests {
    static let access = KeychainFile.access

    static let hostileQueries: [(AgentDictionary, ItemStoreError)] = [
        ([:], .noSuchClass),
        (["class": 5], .noSuchClass),
        (["class": "apls"], .noSuchClass),
        (["class": "genp", "attributes": "acct"], .parameter),
        (["class": "genp", "attributes": ["acct": ["x"]]], .parameter),
        (["class": "genp", "attributes": ["acct": .double(1)]], .parameter),
        (["class": "genp", "attributes": ["cdat": .date(.nan)]], .parameter),
        (["class": "genp", "attributes": ["account": "x"]], .noSuchAttribute),
        (["class": "genp", "attributes": ["": "x"]], .noSuchAttribute),
        (["class": "genp", "attributes": ["srvr": "x"]], .noSuchAttribute),
        (["class": "genp", "attributes": ["a\u{0}ct": "x"]], .noSuchAttribute),
        (["class": "genp", "synchronizable": true], .parameter),
        (["class": "genp", "synchronizable": "maybe"], .parameter),
        (["class": "genp", "limit": -1], .parameter),
        (["class": "genp", "limit": "all"], .parameter),
        (["class": "genp", "wantsSecret": 1], .parameter),
    ]

    @Test(arguments: hostileQueries)
    func `an invalid query is refused`(
        arguments: AgentDictionary,
        error: ItemStoreError
    ) {
        #expect(throws: error) { try KeychainQuery(arguments, access: Self.access) }
    }

    static let hostileAdds: [(AgentDictionary, ItemStoreError)] = [
        (["class": "inet", "secret": "text"], .parameter),
        (["class": "inet", "synchronizable": "yes"], .parameter),
        (["class": "inet", "update": 1], .parameter),
        // An update without criteria would change the first item of any kind.
        (["class": "inet", "update": true], .parameter),
        (["class": "inet", "update": true, "match": [:]], .parameter),
        (["class": "inet", "update": true, "match": ["sync": 1]], .parameter),
    ]

    @Test(arguments: hostileAdds)
    func `an invalid item to add is refused`(
        arguments: AgentDictionary,
        error: ItemStoreError
    ) {
        #expect(throws: error) { try ItemAddRequest(arguments) }
    }

    @Test
    func `every field of an item to add is read`() throws {
        let request = try ItemAddRequest([
            "class": "inet",
            "attributes": ["srvr": "example.com", "acct": .data([0xFF]), "port": 8080, "sync": 0],
            "secret": .data([1, 2]), "synchronizable": true, "update": true,
            "match": ["srvr": "example.com", "port": .null, "path": .null],
        ])
        #expect(request.item.itemClass == .internetPassword)
        #expect(request.item.attributes[.server] == .string("example.com"))
        #expect(request.item.attributes[.account] == .data([0xFF]))
        #expect(request.item.attributes[.port] == .integer(8080))
        #expect(request.item.isSynchronizable)
        #expect(request.item.secret == [1, 2])
        #expect(request.match[.port] == .integer(0))
        #expect(request.match[.path] == .string(""))
    }

    @Test
    func `no limit and a limit of 0 mean all`() throws {
        #expect(try KeychainQuery(["class": "genp"], access: Self.access).limit == nil)
        #expect(try KeychainQuery(["class": "genp", "limit": 0], access: Self.access).limit == nil)
        #expect(try KeychainQuery(["class": "genp", "limit": 3], access: Self.access).limit == 3)
    }

    static let hostileJoins: [AgentDictionary] = [
        [:], ["server": "https://h"],
        ["server": 1, "account": "a", "device": "d", "password": .data(Array("12345678".utf8))],
        [
            "server": "https://h", "account": "a", "device": "d", "password": "12345678",
        ],
        [
            "server": "https://h", "account": "a", "device": "d", "pins": [1],
            "password": .data(Array("12345678".utf8)),
        ],
    ]

    @Test(arguments: hostileJoins)
    func `an incomplete sign-up is refused`(arguments: AgentDictionary) {
        #expect(throws: CommandFailure.malformedCall) {
            try CheckedAccountForm(arguments, isLogin: false)
        }
    }

    @Test(arguments: [[], Array("1234567".utf8), [0xFF, 0xFE]])
    func `bytes that cannot be a password are refused at sign-up`(password: [UInt8]) {
        #expect(throws: CommandFailure.self) {
            try CheckedAccountForm.check(password: password, isNew: true)
        }
    }

    @Test
    func `a login accepts a short password`() {
        #expect(throws: Never.self) {
            try CheckedAccountForm.check(password: Array("short".utf8), isNew: false)
        }
        // But an empty password is refused without asking the server.
        #expect(throws: CommandFailure.self) {
            try CheckedAccountForm.check(password: [], isNew: false)
        }
    }
}
