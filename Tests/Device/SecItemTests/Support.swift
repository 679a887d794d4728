import KSSealing
import KSAgent
import GRDB
import KSKeychain
import KSKeychainTestSupport
import KSSecItem
import KSTestSupport

/// The four calls over a keychain in memory.
final class Fixture {
    let sealing = TestSealing()
    let database: DatabaseQueue
    let keychain: ItemStore
    var client = ProgramAccess(accessGroups: ["group"])
    /// Seconds since 2001.
    let clock = Clock()

    final class Clock {
        var seconds = 800_000_000.0
    }

    init(seed: UInt64 = 1) throws {
        database = try KeychainDatabase.openInMemory()
        let clock = clock
        keychain = ItemStore(
            database: database,
            sealing: sealing,
            clock: { clock.seconds + 978_307_200 },
            random: SeededRandomSource(seed: seed)
        )
    }

    private var service: SecItemService { SecItemService(keychain: keychain) }

    func add(_ query: AgentDictionary) -> SecItemReply {
        service.add(query, client: client)
    }

    func copy(_ query: AgentDictionary) -> SecItemReply {
        service.copyMatching(query, client: client)
    }

    func update(_ query: AgentDictionary, _ attributes: AgentDictionary) -> Int32 {
        service.update(query, attributes, client: client).status
    }

    func updateExactly(_ query: AgentDictionary, _ attributes: AgentDictionary) -> Int32 {
        service.updateExactly(query, attributes, client: client).status
    }

    func delete(_ query: AgentDictionary) -> Int32 {
        service.delete(query, client: client).status
    }

    func deleteAll(_ groups: [String]) -> Int32 {
        service.deleteAll(accessGroups: groups, client: client).status
    }

    /// Adds an item, which must succeed.
    @discardableResult
    func put(_ query: AgentDictionary) throws -> AgentValue? {
        let reply = add(query)
        guard reply.status == 0 else { throw Refusal(status: reply.status) }
        return reply.result
    }

    /// Locks the device, or restarts it; an unlock also completes what was written meanwhile.
    func enter(_ state: DeviceState) throws {
        switch state {
        case .unlocked:
            sealing.unlock()
            try keychain.completeAlwaysDigests()
        case .locked:
            for accessibility in [
                .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
            ] as [ProtectionClass] {
                sealing.lock(accessibility)
            }
        case .beforeFirstUnlock:
            sealing.reboot()
        }
    }

    /// Runs SQL behind the keychain's back, as a fault would.
    func execute(_ sql: String) throws {
        try database.write { try $0.execute(sql: sql) }
    }

    func count(_ table: String) throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }
}

extension SecItemService {
    func add(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        answer(SecItemCall(.add, query), client: client)
    }

    func copyMatching(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        answer(SecItemCall(.copy, query), client: client)
    }

    func update(
        _ query: AgentDictionary,
        _ attributes: AgentDictionary,
        client: ProgramAccess
    ) -> SecItemReply {
        answer(SecItemCall(.update, query, update: attributes), client: client)
    }

    func updateExactly(
        _ query: AgentDictionary,
        _ attributes: AgentDictionary,
        client: ProgramAccess
    ) -> SecItemReply {
        answer(SecItemCall(.updateExactly, query, update: attributes), client: client)
    }

    func delete(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        answer(SecItemCall(.delete, query), client: client)
    }
}

enum DeviceState: String, CaseIterable {
    case unlocked
    case locked
    case beforeFirstUnlock

    /// Whether items of a protection class can be read and written.
    func opens(_ accessible: String) -> Bool {
        switch self {
        case .unlocked: true
        case .locked: ["ck", "dk", "cku", "dku"].contains(accessible)
        case .beforeFirstUnlock: ["dk", "dku"].contains(accessible)
        }
    }
}

struct Refusal: Error {
    let status: Int32
}

/// Apple's status codes, by Apple's names.
enum Status {
    static let success: Int32 = 0
    static let unimplemented: Int32 = -4
    static let parameter: Int32 = -50
    static let duplicateItem: Int32 = -25299
    static let itemNotFound: Int32 = -25300
    static let noSuchAttribute: Int32 = -25303
    static let noSuchClass: Int32 = -25306
    static let interactionNotAllowed: Int32 = -25308
    static let internalFailure: Int32 = -26276
    static let missingEntitlement: Int32 = -34018
    static let restricted: Int32 = -34020
}

extension AgentDictionary {
    /// A generic password.
    static func password(
        _ account: String = "a",
        _ service: String = "s",
        data: String? = nil,
        _ more: AgentDictionary = [:]
    ) -> AgentDictionary {
        var query: AgentDictionary = [
            "class": "genp", "acct": .string(account), "svce": .string(service),
        ]
        query["v_Data"] = data.map { .data(Array($0.utf8)) }
        return query + more
    }

    static func + (left: AgentDictionary, right: AgentDictionary) -> AgentDictionary {
        var sum = left
        for entry in right.entries { sum[entry.key] = entry.value }
        return sum
    }

    static func - (left: AgentDictionary, names: [String]) -> AgentDictionary {
        var rest = left
        for name in names { rest[name] = nil }
        return rest
    }
}

extension AgentValue {
    static func bytes(_ text: String) -> AgentValue { .data(Array(text.utf8)) }
}
