import GRDB
import KSAgent
import KSDaemon
import KSDigests
import KSKeychain
import KSKeyValueRecords
import KSKeyValues
import KSSealing
import Testing

/// The limits that the owner of an account sets, and stores in a backup.
struct KeyValueLimitTests {
    private typealias Home = (stores: KeyValueStores, database: DatabaseQueue)

    private let stores: KeyValueStores
    private let app: StoreIdentifier

    init() throws {
        stores = try KeyValueStores.inMemory().stores
        app = try #require(StoreIdentifier("app"))
    }

    private func set(_ key: String, _ value: PropertyValue) -> KeyWrite {
        KeyWrite(key: key, .write(.set(value, base: nil)))
    }

    private func setLimits(
        _ values: [LimitSettings.Field: Int],
        of store: StoreIdentifier? = nil
    ) throws {
        let writes = try LimitSettings.writes(of: store, values)
        #expect(try stores.write(writes, to: .limitSettings).isEmpty)
    }

    /// A text with an encoding of this many bytes.
    private func text(encodedBytes count: Int) -> PropertyValue {
        let frame = PropertyValue.string(String(repeating: "x", count: count)).encoded.count - count
        return .string(String(repeating: "x", count: count - frame))
    }

    @Test(arguments: [-1, 0, 1])
    func `a value may have 1 MiB by default`(excess: Int) throws {
        let value = text(encodedBytes: (1 << 20) + excess)
        try #require(value.encoded.count == (1 << 20) + excess)
        let refusals = try stores.write([set("k", value)], to: app)
        let error = KeyValueError.limitExceeded(.valueBytes, wanted: 1 + (1 << 20), max: 1 << 20)
        #expect(refusals[0] == (excess > 0 ? error : nil))
    }

    @Test(arguments: [-1, 0, 1])
    func `limits that were set apply to the next write`(excess: Int) throws {
        try setLimits([.keys: 2, .valueBytes: 100, .totalBytes: 150])
        #expect(
            try stores.write([set("a", text(encodedBytes: 100 + excess))], to: app).isEmpty
                == (excess <= 0)
        )
        #expect(try stores.write([set("a", text(encodedBytes: 100))], to: app).isEmpty)
        #expect(
            try stores.write([set("b", text(encodedBytes: 50 + excess))], to: app).isEmpty
                == (excess <= 0)
        )
        #expect(try stores.write([set("b", text(encodedBytes: 50))], to: app).isEmpty)
        try setLimits([.totalBytes: 1000])
        let third = try stores.write([set("c", .integer(1))], to: app)
        #expect(third[0] == .limitExceeded(.keys, wanted: 3, max: 2))
    }

    @Test(arguments: [false, true])
    func `a transaction may exceed a limit before its last write`(removesFirst: Bool) throws {
        try setLimits([.keys: 2, .totalBytes: 60])
        for key in ["a", "b"] {
            #expect(try stores.write([set(key, text(encodedBytes: 30))], to: app).isEmpty)
        }
        let writes = [
            set("new", text(encodedBytes: 10)), set("b", text(encodedBytes: 50)),
            KeyWrite(key: "a", .delete),
        ]
        let ordered = removesFirst ? writes.reversed() : writes
        #expect(try stores.write(ordered, to: app, isAtomic: true).isEmpty)
        #expect(try stores.entries(of: app).map(\.name.key) == ["b", "new"])
        #expect(try stores.size(of: app).bytes == 60)
    }

    @Test
    func `a transaction that exceeds a limit in the end changes nothing`() throws {
        try setLimits([.keys: 2, .totalBytes: 60])
        for key in ["a", "b"] {
            #expect(try stores.write([set(key, text(encodedBytes: 30))], to: app).isEmpty)
        }
        func refusals(_ writes: KeyWrite...) throws -> [Int: KeyValueError] {
            let before = try stores.entries(of: app)
            let refusals = try stores.write(writes, to: app, isAtomic: true)
            #expect(try stores.entries(of: app) == before)
            return refusals
        }
        let removal = KeyWrite(key: "a", .delete)
        #expect(
            try refusals(removal, set("new", text(encodedBytes: 31)))
                == [1: .limitExceeded(.storeBytes, wanted: 61, max: 60)]
        )
        #expect(
            try refusals(set("n", .bool(true)), set("m", .bool(true)), removal)
                == [0: .limitExceeded(.keys, wanted: 3, max: 2)]
        )
        try setLimits([.valueBytes: 40])
        #expect(
            try refusals(removal, set("b", text(encodedBytes: 41)))
                == [1: .limitExceeded(.valueBytes, wanted: 41, max: 40)]
        )
    }

    /// A limit of the store, with what would exceed it by `excess`.
    private func write(reaching limit: KeyValueError.Limit, excess: Int) -> KeyWrite {
        switch limit {
        case .keyUnits: set(String(repeating: "k", count: 128 + excess), .bool(true))
        case .valueBytes: set("c", text(encodedBytes: 60 + excess))
        case .keys: set("c", .bool(true))
        // The store has 40 bytes already.
        default: set("c", text(encodedBytes: 50 + excess))
        }
    }

    @Test(arguments: [KeyValueError.Limit.keyUnits, .keys, .valueBytes, .storeBytes], [-1, 0, 1])
    func `each limit applies by itself, and a refused write alters nothing`(
        limit: KeyValueError.Limit,
        excess: Int
    ) throws {
        for key in ["a", "b"] {
            #expect(try stores.write([set(key, text(encodedBytes: 20))], to: app).isEmpty)
        }
        let max: Int
        switch limit {
        case .keyUnits: max = 128
        case .keys:
            max = 3 - excess
            try setLimits([.keys: max])
        case .valueBytes:
            max = 60
            try setLimits([.valueBytes: max])
        default:
            max = 90
            try setLimits([.totalBytes: max])
        }
        let before = try stores.entries(of: app)
        let write = write(reaching: limit, excess: excess)
        let refusals = try stores.write([write], to: app)
        guard excess > 0 else {
            #expect(refusals.isEmpty)
            #expect(try stores.entries(of: app).map(\.name.key) == ["a", "b", write.key])
            return
        }
        #expect(refusals == [0: .limitExceeded(limit, wanted: max + 1, max: max)])
        #expect(try stores.entries(of: app) == before)
    }

    @Test
    func `a store's own limits precede those of all stores, until they are reset`() throws {
        try setLimits([.keys: 5, .valueBytes: 200])
        try setLimits([.keys: 7], of: app)
        var limits = try stores.limits(of: app)
        #expect(limits.keysMax == 7 && limits.valueBytesMax == 200 && limits.keyUnitsMax == 128)
        try setLimits([:], of: app)
        limits = try stores.limits(of: app)
        #expect(limits.keysMax == 5)
        try setLimits([:])
        #expect(try stores.limits(of: app) == KeyValueLimits())
    }

    @Test
    func `lower limits keep existing values, and accept writes that do not grow them`() throws {
        let before = text(encodedBytes: 1000)
        #expect(try stores.write([set("a", before), set("b", before)], to: app).isEmpty)
        try setLimits([.keys: 1, .valueBytes: 10, .totalBytes: 10])
        #expect(try stores.entries(of: app).map(\.value) == [before, before])
        #expect(try stores.write([set("a", text(encodedBytes: 900))], to: app).isEmpty)
        let larger = try stores.write([set("a", text(encodedBytes: 901))], to: app)
        #expect(larger[0] == .limitExceeded(.valueBytes, wanted: 901, max: 10))
        #expect(try stores.write([KeyWrite(key: "b", .delete)], to: app).isEmpty)
    }

    @Test(arguments: LimitSettings.Field.allCases)
    func `a limit has bounds, and a synced setting beyond them is cut to the bound`(
        field: LimitSettings.Field
    ) throws {
        let bounds = field.bounds
        for value in [bounds.lowerBound, bounds.upperBound] { try setLimits([field: value]) }
        for value in [bounds.lowerBound - 1, bounds.upperBound + 1] {
            #expect(throws: KeyValueError.limitOutOfBounds(value, bounds: bounds)) {
                try LimitSettings.writes(of: nil, [field: value])
            }
        }
        let wild = EntryWrite.setField(field.rawValue, .integer(.max))
        let key = LimitSettings.key(of: nil)
        #expect(try stores.write([KeyWrite(key: key, .write(wild))], to: .limitSettings).isEmpty)
        let limits = try stores.limits(of: app)
        let shown = [
            limits.keysMax, limits.storeBytesMax, limits.valueBytesMax, limits.keyUnitsMax,
        ]
        #expect(shown.contains(bounds.upperBound))
    }

    @Test
    func `programs read limits in the status, and only kv limits sets them`() async throws {
        let world = try HandlerWorld()
        func answer<Call: AgentCall & Codable>(
            _ call: Call,
            of peer: AgentPeer
        ) async throws -> AgentReply {
            await world.answer(Call.name, call.agentValue.dictionary ?? [:], of: peer)
        }
        var call = SetKeyValueLimits(store: nil)
        call.keys = 3
        guard case .failure = try await answer(call, of: HandlerWorld.program) else {
            Issue.record("a program has set limits")
            return
        }
        guard case .result = try await answer(call, of: HandlerWorld.keychain) else {
            Issue.record("the limits were not set")
            return
        }
        let reply = try await answer(GetKeyValueStatus(store: nil), of: HandlerWorld.program)
        guard case .result(let status) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(try KeyValueStatus(status).keysMax == 3)
        let write = WriteKeyValues(
            store: StoreIdentifier.limitSettings.text,
            writes: [set("all", .integer(1)).encoded]
        )
        for peer in [HandlerWorld.program, HandlerWorld.keychain] {
            guard case .failure = try await answer(write, of: peer) else {
                Issue.record("the reserved store was written")
                return
            }
        }
    }
}
