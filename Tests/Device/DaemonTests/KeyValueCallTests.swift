import Foundation
import KSAgent
import KSDaemon
import KSKeyValueCalls
import KSDigests
import KSKeyValueRecords
import KSKeyValues
import KSDeviceKeys
import Synchronization
import Testing

/// Key-value stores through the daemon's calls, and their rows on the disk.
struct KeyValueCallTests {
    private func write(
        _ writes: [KeyWrite],
        to store: String? = nil,
        in world: HandlerWorld,
        of peer: AgentPeer = HandlerWorld.program
    ) async throws -> AgentReply {
        let call = WriteKeyValues(store: store, writes: writes.map(\.encoded))
        return await world.answer(
            WriteKeyValues.name,
            call.agentValue.dictionary ?? [:],
            of: peer
        )
    }

    private func entries(
        _ store: String? = nil,
        in world: HandlerWorld,
        of peer: AgentPeer = HandlerWorld.program
    ) async throws -> [String: PropertyValue] {
        let arguments = ReadKeyValues(store: store).agentValue.dictionary ?? [:]
        guard case .result(let value) = await world.answer("kv.read", arguments, of: peer) else {
            Issue.record("refused")
            return [:]
        }
        let entries = try [KeyValueEntry](value)
        return try Dictionary(
            uniqueKeysWithValues: entries.map {
                ($0.key, try PropertyValue(decoding: $0.value ?? []))
            }
        )
    }

    @Test
    func `two programs that name no store have a store each`() async throws {
        let world = try HandlerWorld()
        let other = HandlerWorld.peer("/usr/bin/another-program")
        _ = try await write([KeyWrite.set("a", .integer(1))], in: world)
        _ = try await write([KeyWrite.set("a", .integer(2))], in: world, of: other)
        #expect(try await entries(in: world) == ["a": .integer(1)])
        #expect(try await entries(in: world, of: other) == ["a": .integer(2)])
        let own = "exe:/usr/bin/some-program"
        #expect(try await entries(own, in: world, of: HandlerWorld.keychain) == ["a": .integer(1)])
    }

    @Test
    func `a program may not use a store that its entitlements do not name`() async throws {
        let world = try HandlerWorld()
        let reply = try await write([KeyWrite.set("a", .integer(1))], to: "app", in: world)
        guard case .failure = reply else {
            Issue.record("it was answered")
            return
        }
        #expect(try await entries("app", in: world, of: HandlerWorld.keychain).isEmpty)
    }

    @Test
    func `a refused write is reported, and the others of its call are made`() async throws {
        let world = try HandlerWorld()
        let long = String(repeating: "k", count: 129)
        let reply = try await write(
            [
                KeyWrite.set("a", .integer(1)), KeyWrite.set(long, .integer(2)),
                KeyWrite.set("b", .integer(3)),
            ],
            in: world
        )
        guard case .result(let value) = reply else {
            Issue.record("\(reply)")
            return
        }
        let refusals = try WrittenKeyValues(value).refusals
        #expect(refusals.map(\.place) == [1])
        #expect(
            refusals[0].sentence == "The limit is 128 UTF-16 units in a key; this write needs 129."
                + " To change it: sync-client kv limits."
        )
        #expect(try await entries(in: world) == ["a": .integer(1), "b": .integer(3)])
    }

    @Test
    func `bytes that are not a write are refused`() async throws {
        let world = try HandlerWorld()
        let arguments: AgentDictionary = ["writes": [.data([1, 2, 3])]]
        guard
            case .failure(let failure) = await world.answer(
                "kv.write",
                arguments,
                of: HandlerWorld.program
            )
        else {
            Issue.record("it was answered")
            return
        }
        #expect(failure.code == 64 || failure.code == 1)
    }

    @Test(arguments: [Int.min, Int.max])
    func `a place of a list far outside does not stop the daemon`(index: Int) async throws {
        let world = try HandlerWorld()
        func write(_ write: EntryWrite) -> KeyWrite { KeyWrite(key: "list", .write(write)) }
        let texts = ["a", "b", "a", "b"].map { PropertyValue.string($0) }
        _ = try await self.write([write(.append(texts))], in: world)
        let seen = SeenPlace(1, in: [PropertyValue.string("a"), .string("b")].map(\.encoded))
        let place = ListPlace.seen(
            SeenPlace(index: index, element: seen.element, before: seen.before, after: seen.after)
        )
        let reply = try await self.write(
            [
                write(.insertAt(place, [.string("N")])), write(.setAt(place, .string("M"))),
                write(.removeAt(place)), write(.move(from: place, to: place)),
                write(.removeAt(.index(index))), write(.move(from: 0, to: .index(index))),
            ],
            in: world
        )
        guard case .result(let value) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(try WrittenKeyValues(value).refusals.map(\.place) == [4, 5])
        #expect(try await entries(in: world)["list"] != nil)
    }

    /// Decoded, each boolean takes 24 times its byte.
    @Test
    func `writes that are large together are carried out one by one, and one too large is refused`()
        async throws
    {
        let world = try HandlerWorld()
        let value = PropertyValue.array([PropertyValue](repeating: .bool(true), count: 600_000))
        let writes = [
            KeyWrite.set("a", value), KeyWrite.set("b", .integer(1)),
            KeyWrite.set("a", .integer(2)), KeyWrite.set("c", value),
        ]
        guard case .result(let answer) = try await write(writes, in: world) else {
            Issue.record("refused")
            return
        }
        #expect(try WrittenKeyValues(answer).refusals.isEmpty)
        let entries = try await entries(in: world)
        #expect(entries == ["a": .integer(2), "b": .integer(1), "c": value])
        let larger = PropertyValue.data([UInt8](repeating: 0, count: 9 << 20))
        guard case .failure(let failure) = try await write([KeyWrite.set("d", larger)], in: world)
        else {
            Issue.record("it was answered")
            return
        }
        #expect(failure.isRefusal)
    }

    @Test
    func `writes that come again after a lost answer change nothing, also after a restart`()
        async throws
    {
        let files = try DeviceFiles(storage: MemoryKeyFiles())
        let writes = [
            KeyWrite(key: "n", .write(.increment(by: 5))),
            KeyWrite(key: "tasks", .write(.insertAt(0, [.string("one")]))),
        ]
        /// The answer's entries.
        func send(_ number: Int64, in world: HandlerWorld) async throws -> [String: PropertyValue] {
            let call = WriteKeyValues(
                store: nil,
                writes: writes.map(\.encoded),
                writer: [UInt8](repeating: 7, count: WriteBatchID.writerByteCount),
                number: number
            )
            let arguments = call.agentValue.dictionary ?? [:]
            let reply = await world.answer("kv.write", arguments, of: HandlerWorld.program)
            guard case .result(let value) = reply else {
                Issue.record("\(reply)")
                return [:]
            }
            let written = try WrittenKeyValues(value)
            #expect(written.refusals.isEmpty)
            let entries = try written.merged.map {
                ($0.key, try PropertyValue(decoding: $0.value ?? []))
            }
            return Dictionary(uniqueKeysWithValues: entries)
        }
        let once: [String: PropertyValue] = ["n": .integer(5), "tasks": .array([.string("one")])]
        let first = try HandlerWorld(files: files, owner: KeychainOwner(files: files))
        for _ in 0..<2 { #expect(try await send(1, in: first) == once) }
        let restarted = try HandlerWorld(files: files, owner: KeychainOwner(files: files))
        #expect(try await send(1, in: restarted) == once)
        #expect(try await entries(in: restarted) == once)
        #expect(
            try await send(2, in: restarted)
                == ["n": .integer(10), "tasks": .array([.string("one"), .string("one")])]
        )
    }

    @Test
    func `a watcher gets the writes of others, not its own`() async throws {
        let app = try #require(StoreIdentifier("app"))
        let other = try #require(StoreIdentifier("other"))
        let watchers = KeyValueWatchers()
        let own = [UInt8](repeating: 1, count: 16)
        var reports = watchers.changes(of: app, except: own).makeAsyncIterator()
        let (stores, _) = try KeyValueStores.inMemory()
        stores.whenChanged = { watchers.report($0) }
        let batch = try #require(WriteBatchID(writer: own, number: 1))
        _ = try stores.write([KeyWrite.set("mine", .integer(1))], to: app, batch: batch)
        _ = try stores.write([KeyWrite.set("elsewhere", .integer(1))], to: other)
        _ = try stores.write(
            [KeyWrite.set("b", .integer(1)), KeyWrite.set("a", .integer(2))],
            to: app
        )
        watchers.reportAccount()
        let report = try #require(await reports.next())
        #expect(report.origin == .device && report.keys == ["b", "a"])
        let values: [[UInt8]?] = [1, 2].map { PropertyValue.integer($0).encoded }
        #expect(report.entries?.map(\.value) == values)
        #expect(await reports.next()?.origin == .joined)
        // Large values are read by those who want them.
        let large = PropertyValue.data([UInt8](repeating: 0, count: 65_536))
        _ = try stores.write([KeyWrite.set("large", large)], to: app)
        let unread = try #require(await reports.next())
        #expect(unread.keys == ["large"] && unread.entries == nil)
    }

    /// What a watcher's reports hold.
    private final class Listening: Sendable {
        let numbers = Mutex<[UInt64]>([])
    }

    @Test
    func `a watcher ends with its call, and nothing of it is kept`() async throws {
        let world = try HandlerWorld()
        let request = AgentRequest(id: 1, call: WatchKeyValues.name, arguments: [:])
        let answer = world.handler.answer(request, of: HandlerWorld.program)
        guard case .whileOpen(let start) = answer else {
            Issue.record("it waits in a task")
            return
        }
        var listening: Listening? = Listening()
        weak let kept = listening
        let cancel = start { [listening] report in
            listening?.numbers.withLock { $0.append(report.total) }
        }
        _ = try await write([KeyWrite.set("a", .integer(1))], in: world)
        #expect(listening?.numbers.withLock { $0 } == [0, 1])
        listening = nil
        #expect(kept != nil)
        cancel()
        #expect(kept == nil)
        _ = try await write([KeyWrite.set("a", .integer(2))], in: world)
    }

    @Test
    func `a program without a store is refused before it watches`() async throws {
        let world = try HandlerWorld()
        let reply = await world.answer("kv.watch", [:], of: HandlerWorld.peer(nil))
        guard case .failure = reply else {
            Issue.record("\(reply)")
            return
        }
    }

    @Test
    func `the status of a store has its sizes and limits`() async throws {
        let world = try HandlerWorld()
        _ = try await write(
            [KeyWrite.set("a", .integer(1)), KeyWrite.set("b", .integer(2))],
            in: world
        )
        let arguments = GetKeyValueStatus(store: nil).agentValue.dictionary ?? [:]
        let reply = await world.answer("kv.status", arguments, of: HandlerWorld.program)
        guard case .result(let value) = reply else {
            Issue.record("\(reply)")
            return
        }
        let status = try KeyValueStatus(value)
        #expect(status.keys == 2 && status.keysMax == 1024 && status.account == nil)
        #expect(status.elementsMax == 4096 && status.mergedBytesMax == 256 << 10)
        #expect(status.counterActorsMax == 1024 && status.positionBytesMax == 64)
        #expect(!status.isFirstSyncComplete && status.store == "exe:/usr/bin/some-program")
    }
}
