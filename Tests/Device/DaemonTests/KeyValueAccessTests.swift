import KSAgent
import KSKeyValues
import Testing

import KSDaemon

/// Which program may use which key-value store.
struct KeyValueAccessTests {
    private static let notes = HandlerWorld.peer("/opt/notes")
    private static let helper = HandlerWorld.peer("/opt/notes-helper")
    /// What the program wrote to its own store before it had an entry.
    private static let before = ["a": PropertyValue.integer(1)]

    private let world: HandlerWorld

    init() throws { world = try HandlerWorld() }

    private func set(
        _ key: String,
        _ value: Int64,
        in store: String? = nil,
        of peer: AgentPeer
    ) async throws {
        let write = KeyWrite(key: key, .write(.set(.integer(value), base: nil)))
        let call = WriteKeyValues(store: store, writes: [write.encoded])
        #expect(try await world.handler.answer(call, of: peer).refusals.isEmpty)
    }

    private func entries(
        _ store: String? = nil,
        of peer: AgentPeer
    ) async throws -> [String: PropertyValue] {
        let entries = try await world.handler.answer(ReadKeyValues(store: store), of: peer)
        return try Dictionary(
            uniqueKeysWithValues: entries.map {
                ($0.key, try PropertyValue(decoding: $0.value ?? []))
            }
        )
    }

    /// The sentence of the refusal that every call about a store gets.
    private func refusal(
        of peer: AgentPeer,
        _ store: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        var sentences: Set<String> = []
        let calls: [any AgentCall] = [
            ReadKeyValues(store: store), WriteKeyValues(store: store, writes: []),
            WatchKeyValues(store: store), GetKeyValueStatus(store: store),
        ]
        for call in calls {
            let name = type(of: call).name
            let reply = await world.answer(name, call.agentValue.dictionary ?? [:], of: peer)
            guard case .failure(let failure) = reply else {
                Issue.record("\(name) was answered", sourceLocation: sourceLocation)
                continue
            }
            #expect(
                failure.code == CommandFailure.Exit.refused.rawValue,
                sourceLocation: sourceLocation
            )
            sentences.insert(failure.status)
        }
        #expect(sentences.count == 1, sourceLocation: sourceLocation)
        return sentences.first ?? ""
    }

    @Test
    func `two programs share a store that both name and both entries allow`() async throws {
        try world.entitle(
            """
            "/opt/notes": {"keychain-access-groups": ["TEAM.notes", "TEAM.shared"]},
            "/opt/notes-helper": {"com.apple.security.application-groups": ["TEAM.shared"]}
            """
        )
        try await set("a", 1, in: "TEAM.shared", of: Self.notes)
        try await set("b", 2, in: "TEAM.shared", of: Self.helper)
        for peer in [Self.notes, Self.helper, HandlerWorld.keychain] {
            let shared = try await entries("TEAM.shared", of: peer)
            #expect(shared == ["a": .integer(1), "b": .integer(2)])
        }
        #expect(
            try await refusal(of: Self.helper, "TEAM.notes") == """
                This program may not use the store "TEAM.notes": entitlements.json does not name \
                it for this program.
                """
        )
        let foreign = try await refusal(of: HandlerWorld.program, "TEAM.shared")
        #expect(foreign.hasPrefix("This program may not use the store \"TEAM.shared\": "))
    }

    @Test(arguments: [#"["TEAM.shared"]"#, #"["*"]"#, "[]"])
    func `a program with access groups has a store of its own`(groups: String) async throws {
        let entry = #"{"keychain-access-groups": \#(groups)}"#
        try world.entitle(#""/opt/notes": \#(entry), "/opt/notes-helper": \#(entry)"#)
        try await set("a", 1, of: Self.notes)
        try await set("a", 2, of: Self.helper)
        #expect(try await entries(of: Self.notes) == ["a": .integer(1)])
        #expect(try await entries(of: Self.helper) == ["a": .integer(2)])
        for group in ["TEAM.shared", "*"] {
            #expect(try await entries(group, of: HandlerWorld.keychain).isEmpty)
        }
    }

    @Test(arguments: [#"["TEAM.shared"]"#, #"["*"]"#, "[]"])
    func `an entry that is added later moves a program to no other store`(
        groups: String
    ) async throws {
        try await set("a", 1, of: Self.notes)
        try world.entitle(#""/opt/notes": {"keychain-access-groups": \#(groups)}"#)
        for store in [nil, "exe:/opt/notes"] {
            #expect(try await entries(store, of: Self.notes) == Self.before)
        }
        try world.entitle("")
        #expect(try await entries(of: Self.notes) == Self.before)
    }

    @Test
    func `programs whose entries name one key-value store share it`() async throws {
        try await set("a", 1, of: Self.notes)
        let entry = #"{"com.apple.developer.ubiquity-kvstore-identifier": "TEAM.store"}"#
        try world.entitle(#""/opt/notes": \#(entry), "/opt/notes-helper": \#(entry)"#)
        try await set("b", 2, of: Self.notes)
        for store in [nil, "TEAM.store"] {
            #expect(try await entries(store, of: Self.helper) == ["b": .integer(2)])
        }
        // The store of before is still the program's, and only its.
        #expect(try await entries("exe:/opt/notes", of: Self.notes) == Self.before)
        let foreign = try await refusal(of: Self.helper, "exe:/opt/notes")
        #expect(foreign.hasPrefix("This program may not use the store \"exe:/opt/notes\": "))
    }

    @Test(arguments: [nil, "app", "exe:"])
    func `a program that the daemon cannot see has no store`(store: String?) async throws {
        #expect(
            try await refusal(of: HandlerWorld.peer(nil), store)
                == "This program has no key-value store: the daemon cannot see its executable."
        )
    }
}
