import KSAgent
import KSDaemon
import KSKeychain
import KSKeychainFiles
import KSSealing
import Testing

/// Passwords that the same options of `keychain` find: a forgotten --sync, a forgotten -U.
struct TwinTests {
    enum Kind: String, CaseIterable, Sendable {
        case generic = "genp"
        case internet = "inet"

        var place: String { self == .generic ? "svce" : "srvr" }
    }

    private let device: EnrolledOwner
    private let world: HandlerWorld

    init() async throws {
        device = try await EnrolledOwner()
        world = try HandlerWorld(files: device.files, owner: device.owner)
    }

    // MARK: Commands

    /// As `keychain add-…-password` with these options.
    ///
    /// - Returns: the twins.
    @discardableResult
    private func add(
        _ kind: Kind,
        _ secret: String?,
        sync: Bool = false,
        update: Bool = false,
        more: AgentDictionary = [:],
        of peer: AgentPeer = HandlerWorld.keychain
    ) async throws -> [FoundItem] {
        // Dates are kept to the millisecond, and an item is newer only from the next one on.
        let start = ContinuousClock.now
        while ContinuousClock.now < start + .milliseconds(2) {}
        var call = AddItem(class: kind.rawValue)
        var attributes: AgentDictionary = [kind.place: "mail", "acct": "ada"]
        for entry in more.entries { attributes[entry.key] = entry.value }
        call.attributes = attributes
        call.match = attributes
        call.match?["icmt"] = nil
        call.match?["labl"] = nil
        if kind == .internet { call.defaults = ["atyp": "dflt"] }
        call.secret = secret.map { Array($0.utf8) }
        call.synchronizable = sync
        call.update = update
        return try await world.handler.answer(call, of: peer)
    }

    private func search(
        _ kind: Kind,
        sync: String = "any",
        more: AgentDictionary = [:]
    ) -> ItemSearch {
        var attributes: AgentDictionary = [kind.place: "mail", "acct": "ada"]
        for entry in more.entries { attributes[entry.key] = entry.value }
        return ItemSearch(class: kind.rawValue, attributes: attributes, synchronizable: sync)
    }

    /// As `keychain find-…-password -w`.
    private func find(_ search: ItemSearch) async throws -> String {
        let call = FindItems(search, limit: 1, wantsSecret: true)
        let found = try await world.handler.answer(call, of: HandlerWorld.keychain)
        return String(decoding: found.first?.secret ?? [], as: UTF8.self)
    }

    /// All items of this place and account, as their secrets, with a star where they sync.
    private func all(_ kind: Kind) async throws -> [String] {
        let call = FindItems(search(kind), wantsSecret: true)
        return try await world.handler.answer(call, of: HandlerWorld.keychain).map { item in
            let secret = String(decoding: item.secret ?? [], as: UTF8.self)
            return secret + (item.attributes["sync"] == 1 ? "*" : "")
        }
    }

    private func history(_ kind: Kind) async throws -> [String] {
        let query = try KeychainQuery(
            FindItems(search(kind, sync: "yes")),
            access: KeychainFile.access
        )
        let item = try #require(try await device.owner.find(query).first)
        return try await device.history(of: item)
    }

    // MARK: Adding

    @Test(arguments: Kind.allCases, [false, true])
    func `an item beside one that differs in sync is shown, and its twin is named`(
        kind: Kind,
        isSynced: Bool
    ) async throws {
        #expect(try await add(kind, "old", sync: !isSynced).isEmpty)
        let twins = try await add(kind, "new", sync: isSynced)
        #expect(twins.map { $0.attributes["sync"] } == [isSynced ? 0 : 1])
        #expect(twins.allSatisfy { $0.secret == nil })
        #expect(try await find(search(kind)) == "new")
        #expect(try await find(search(kind, sync: isSynced ? "no" : "yes")) == "old")
    }

    @Test(arguments: [false, true])
    func `an item without a protocol beside an imported one is shown, and its twin is named`(
        isSynced: Bool
    ) async throws {
        try await add(.internet, "imported", sync: true, more: ["ptcl": "htps"])
        let twins = try await add(.internet, "typed", sync: isSynced)
        #expect(twins.map { $0.attributes["ptcl"] } == ["htps"])
        #expect(try await find(search(.internet)) == "typed")
        // What was asked for decides first.
        #expect(try await find(search(.internet, more: ["ptcl": "htps"])) == "imported")
    }

    @Test
    func `the older of two twins is shown once it is changed`() async throws {
        try await add(.internet, "imported", sync: true, more: ["ptcl": "htps"])
        try await add(.internet, "typed")
        try await add(.internet, "changed", update: true, more: ["ptcl": "htps"])
        #expect(try await find(search(.internet)) == "changed")
        #expect(try await all(.internet) == ["typed", "changed*"])
    }

    @Test
    func `two protocols, accounts or groups are no twins`() async throws {
        try await add(.internet, "one", more: ["ptcl": "http"])
        #expect(try await add(.internet, "two", more: ["ptcl": "htps"]).isEmpty)
        try await add(.generic, "one")
        #expect(try await add(.generic, "two", more: ["acct": "bob"]).isEmpty)
        #expect(try await add(.generic, "three", of: HandlerWorld.program).isEmpty)
        #expect(try await find(search(.generic)) == "one")
    }

    @Test
    func `without an account in the search, the first account's newest item is shown`()
        async throws
    {
        try await add(.generic, "of ada")
        try await add(.generic, "of bob", more: ["acct": "bob"])
        try await add(.generic, "newest of ada", sync: true)
        let anyone = ItemSearch(class: "genp", attributes: ["svce": "mail"])
        #expect(try await find(anyone) == "newest of ada")
    }

    // MARK: Updating

    @Test(arguments: Kind.allCases)
    func `an update with sync makes the unsynced item the synced one`(kind: Kind) async throws {
        try await add(kind, "old", more: ["icmt": "a note"])
        #expect(try await add(kind, "new", sync: true, update: true).isEmpty)
        #expect(try await all(kind) == ["new*"])
        #expect(try await history(kind) == ["new", "old"])
        let item = try await world.handler.answer(
            FindItems(search(kind), limit: 1),
            of: HandlerWorld.keychain
        )
        #expect(item.first?.attributes["icmt"] == "a note")
        // Without a secret it keeps its own.
        try await add(kind, nil, sync: true, update: true)
        #expect(try await all(kind) == ["new*"])
    }

    @Test(arguments: Kind.allCases)
    func `an update with sync joins an older unsynced item into the synced one`(
        kind: Kind
    ) async throws {
        try await add(kind, "local")
        try await add(kind, "synced", sync: true)
        #expect(try await add(kind, "new", sync: true, update: true).isEmpty)
        #expect(try await all(kind) == ["new*"])
        #expect(try await history(kind).sorted() == ["local", "new", "synced"])
        #expect(try await history(kind).first == "new")
    }

    @Test(arguments: Kind.allCases)
    func `an update without a secret keeps that of the newer twin`(kind: Kind) async throws {
        try await add(kind, "synced", sync: true, more: ["icmt": "first"])
        try await add(kind, "local", more: ["icmt": "second"])
        try await add(kind, nil, sync: true, update: true)
        #expect(try await all(kind) == ["local*"])
        #expect(try await history(kind) == ["local", "synced"])
        let call = FindItems(search(kind), limit: 1)
        let found = try await world.handler.answer(call, of: HandlerWorld.keychain)
        #expect(found.first?.attributes["icmt"] == "first\nsecond")
    }

    @Test
    func `an item without a protocol is joined into an imported one`() async throws {
        try await add(.internet, "imported", sync: true, more: ["ptcl": "htps"])
        try await add(.internet, "typed")
        try await add(.internet, "new", sync: true, update: true)
        #expect(try await all(.internet) == ["new*"])
        #expect(try await find(search(.internet, more: ["ptcl": "htps"])) == "new")
        #expect(try await history(.internet).sorted() == ["imported", "new", "typed"])
    }

    @Test(arguments: Kind.allCases)
    func `an update without sync changes the item that is shown, and names its twin`(
        kind: Kind
    ) async throws {
        try await add(kind, "local")
        try await add(kind, "synced", sync: true)
        let twins = try await add(kind, "new", update: true)
        #expect(twins.map { $0.attributes["sync"] } == [0])
        #expect(try await all(kind) == ["local", "new*"])
        #expect(try await find(search(kind)) == "new")
    }

    @Test
    func `another program's item, and one that is bound to the device, stay unsynced`()
        async throws
    {
        try await add(.generic, "the program's", of: HandlerWorld.program)
        try await add(.generic, "new", sync: true, update: true)
        #expect(try await all(.generic) == ["the program's", "new*"])

        let bound = Item(
            .internetPassword,
            attributes: [
                .server: .string("mail"), .account: .string("ada"),
                .authenticationType: .string("dflt"), .accessGroup: .string(KeychainFile.group),
                .accessible: .string(ProtectionClass.whenUnlockedThisDeviceOnly.letters),
            ],
            secret: Array("bound".utf8)
        )
        try await device.owner.with { keychain in
            _ = try keychain.add(bound, access: KeychainFile.access)
        }
        let twins = try await add(.internet, "new", sync: true, update: true)
        #expect(twins.count == 1)
        #expect(try await all(.internet) == ["bound", "new*"])
    }

    // MARK: Deleting

    @Test(arguments: Kind.allCases)
    func `a deletion takes the item that is shown, and names the twin that is left`(
        kind: Kind
    ) async throws {
        try await add(kind, "local")
        try await add(kind, "synced", sync: true)
        let call = DeleteItem(search(kind))
        let deleted = try await world.handler.answer(call, of: HandlerWorld.keychain)
        #expect(deleted.attributes["sync"] == 1)
        #expect(deleted.twins.map { $0.attributes["sync"] } == [0])
        #expect(try await all(kind) == ["local"])
        let last = try await world.handler.answer(call, of: HandlerWorld.keychain)
        #expect(last.attributes["sync"] == 0 && last.twins.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `SecItem's searches still take the first match`(kind: Kind) async throws {
        try await add(kind, "local")
        try await add(kind, "synced", sync: true)
        let call = SecItemCall(
            .copy,
            [
                "class": .string(kind.rawValue), kind.place: "mail", "acct": "ada",
                "sync": "syna", "r_Data": true,
            ]
        )
        let reply = try await world.handler.answer(call, of: HandlerWorld.keychain)
        #expect(reply.result == .data(Array("local".utf8)), "\(reply.status)")
    }
}
