import KSAgent
import KSDaemon
import KSKeychain
import KSKeychainFiles
import Testing

/// A search through several keychains of which one cannot be read.
struct LockedSearchTests {
    private static let locked: Int32 = -25308

    private func item(_ secret: String, in keychain: String) -> AgentDictionary {
        [
            "class": "genp", "attributes": ["svce": "both", "acct": "ada"],
            "secret": .data(Array(secret.utf8)), "keychain": .string(keychain),
        ]
    }

    private func query(_ keychains: [AgentValue] = []) -> AgentDictionary {
        [
            "class": "genp", "attributes": ["svce": "both"], "limit": 1, "wantsSecret": true,
            "keychains": .array(keychains),
        ]
    }

    /// The login keychain and another one, each with a matching item.
    private func world() async throws -> HandlerWorld {
        let world = try HandlerWorld()
        _ = try await world.value(
            "keychains.create",
            ["keychain": "archive.kc", "password": .data([])]
        )
        _ = try await world.value("item.add", item("current", in: "login"))
        _ = try await world.value("item.add", item("archived", in: "archive.kc"))
        _ = try await world.value(
            "keychains.setSearch",
            ["keychains": ["login", "archive.kc"]]
        )
        return world
    }

    private func archived(_ world: HandlerWorld) async -> [UInt8]? {
        await found(world, ["archive.kc"])
    }

    private func found(_ world: HandlerWorld, _ keychains: [AgentValue] = []) async -> [UInt8]? {
        let reply = await world.answer("item.find", query(keychains), of: HandlerWorld.keychain)
        guard case .result(let found) = reply else { return nil }
        return found.array?.first?.dictionary?["secret"]?.data
    }

    @Test
    func `while the login keychain is locked, delete does not fall back to another keychain`()
        async throws
    {
        let world = try await world()
        _ = try await world.value("device.lock")
        #expect(await world.failure("item.delete", query())?.code == Self.locked)
        #expect(await archived(world) == Array("archived".utf8))
        _ = try await world.value("device.unlock")
        let deleted = try await world.value("item.delete", query())
        #expect(
            deleted["keychain"]?.string == world.home.path + "/keychains/login.keychain-db"
        )
        #expect(await archived(world) == Array("archived".utf8))
    }

    @Test
    func `an update without a keychain changes the item that find shows`() async throws {
        let world = try await world()
        func update(_ secret: String, in keychain: String? = nil) -> AgentDictionary {
            var arguments = item(secret, in: "")
            arguments["keychain"] = keychain.map { .string($0) }
            arguments["update"] = true
            arguments["match"] = arguments["attributes"]
            return arguments
        }
        let order: AgentDictionary = ["keychains": ["archive.kc", "login"]]
        _ = try await world.value("keychains.setSearch", order)
        _ = try await world.value("item.add", update("changed"))
        #expect(await found(world) == Array("changed".utf8))
        #expect(await archived(world) == Array("changed".utf8))
        // The other keychain is unchanged, though it is the default.
        _ = try await world.value("keychains.setSearch", ["keychains": ["login"]])
        #expect(await found(world) == Array("current".utf8))
        _ = try await world.value("item.add", update("named", in: "archive.kc"))
        #expect(await archived(world) == Array("named".utf8))
        #expect(await found(world) == Array("current".utf8))
        // A locked keychain may have the item, so none is added beside it.
        _ = try await world.value("keychains.setSearch", order)
        _ = try await world.value("keychains.lock", ["keychain": "archive.kc"])
        #expect(await world.failure("item.add", update("lost"))?.code == Self.locked)
        // No keychain has such an item, so it is added to the default one.
        _ = try await world.value("keychains.setSearch", ["keychains": ["login"]])
        var other = update("new")
        other["attributes"] = ["svce": "new", "acct": "ada"]
        other["match"] = other["attributes"]
        _ = try await world.value("item.add", other)
        let deleting: AgentDictionary = ["class": "genp", "attributes": ["svce": "new"]]
        let added = try await world.value("item.delete", deleting)
        #expect(added["keychain"]?.string?.hasSuffix("login.keychain-db") == true)
    }

    @Test
    func `while the login keychain is locked, find does not fall back to another keychain`()
        async throws
    {
        let world = try await world()
        _ = try await world.value("device.lock")
        #expect(await world.failure("item.find", query())?.code == Self.locked)
        #expect(await archived(world) == Array("archived".utf8))
    }

    /// The result of a search for one item if the first keychain fails and the second has it.
    private func outcome(
        _ purpose: KeychainSearch.Purpose,
        _ error: any Error
    ) async -> String {
        var search = KeychainSearch(purpose)
        do {
            let first: Int? = try await search.looking(isNamed: false) { throw error }
            let second = try await search.looking(isNamed: false) { 2 }
            return "\(first ?? second ?? 0)"
        } catch {
            return "ends"
        }
    }

    @Test
    func `delete stops at an unreadable keychain, find only at a locked one`()
        async
    {
        for purpose in [KeychainSearch.Purpose.finding, .deleting] {
            #expect(await outcome(purpose, ItemStoreError.itemNotFound) == "2")
            #expect(await outcome(purpose, KeychainFileError.noSuchKeychain) == "2")
            #expect(await outcome(purpose, ItemStoreError.interactionNotAllowed) == "ends")
        }
        let others: [any Error] = [
            ItemStoreError.decode, ItemStoreError.fileDamaged, KeychainFileError.invalidKeychain,
            KeychainFileError.unavailable(errno: 5),
        ]
        for error in others {
            #expect(await outcome(.finding, error) == "2")
            #expect(await outcome(.deleting, error) == "ends")
        }
    }
}
