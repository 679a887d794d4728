import Foundation
import KSAgent
import KSKeyValues
import KSTestSupport
import Synchronization
import UbiquitousKeyValueStore

/// A daemon in this process, which reports the changes that a test asks for.
///
/// With a real daemon, incoming changes need a server and another device.
final class StandInDaemon: Sendable {
    private struct Watcher {
        let reports: AsyncStream<AgentProgress>.Continuation
        var number: UInt64 = 0
    }

    private struct State {
        var values: [String: PropertyValue] = [:]
        var watchers: [Watcher] = []
        /// Why writes are refused; nil if they are not.
        var refusal: String?
        /// Why single keys are refused.
        var refusals: [String: String] = [:]
        /// Why every call fails; nil if none does.
        var lockSentence: String?
        var account: [UInt8]?
        var limits = KeyValueLimits()
        var stores: Set<String?> = []
        /// The keys whose values only a newer program can read.
        var newer: Set<String> = []
        var isFirstSyncComplete = false
        var (statusCount, readCount) = (0, 0)
        /// How long an answer with values takes.
        var readMilliseconds = 0
        /// How long writes take.
        var writeMilliseconds = 0
        var isSilent = false
    }

    let path: String
    private let state = Mutex(State())
    private let listener = Mutex<AgentListener?>(nil)

    private init(home: String, values: [String: PropertyValue]) throws {
        // A handle may look for a daemon after its test.
        TestDaemons.prepare()
        path = home
        state.withLock { $0.values = values }
        let lock = try AgentLock(home: AgentHome(argument: home))
        let made = try AgentListener(
            lock: lock,
            handler: { [weak self] request, _ in
                self?.answer(request) ?? .now(.result(.null))
            }
        )
        try made.start()
        listener.withLock { $0 = made }
    }

    static var newHome: String {
        FileManager.default.temporaryDirectory.appending(
            path: "stand-in-\(UUID().uuidString.prefix(8))"
        ).path
    }

    /// `values`: what the store has when the daemon starts.
    static func with(
        home: String = newHome,
        values: [String: PropertyValue] = [:],
        _ body: (StandInDaemon) async throws -> Void
    ) async throws {
        // Leftovers are in the temporary folder.
        defer { try? FileManager.default.removeItem(atPath: home) }
        let daemon = try StandInDaemon(home: home, values: values)
        defer { daemon.listener.withLock { $0.take() }?.stop() }
        try await body(daemon)
    }

    // MARK: What a test says

    /// Changes values, and reports them with this origin; `withValues`: false as for large ones;
    /// `isLost`: as if the program had not read the report in time.
    func change(
        from origin: KeyValueOrigin,
        set values: [String: PropertyValue] = [:],
        delete keys: [String] = [],
        withValues: Bool = true,
        isLost: Bool = false
    ) {
        state.withLock { state in
            state.values.merge(values) { $1 }
            for key in keys { state.values[key] = nil }
            let newer = state.newer
            for watcher in state.watchers.indices {
                state.watchers[watcher].number += 1
                if isLost { continue }
                let report = KeyValueReport(
                    number: state.watchers[watcher].number,
                    origin: origin,
                    keys: values.keys.sorted() + keys,
                    entries: withValues
                        ? values.map { Self.entry($0, $1, isNewer: newer.contains($0)) } : nil
                )
                state.watchers[watcher].reports.yield(report.progress)
            }
        }
    }

    /// Lets every call fail, as on a device that is locked; nil unlocks it.
    func lock(_ sentence: String?) { state.withLock { $0.lockSentence = sentence } }

    func refuseWrites(_ sentence: String) { state.withLock { $0.refusal = sentence } }

    /// Refuses the writes of some keys, each for its reason.
    func refuse(_ sentences: [String: String]) { state.withLock { $0.refusals = sentences } }

    /// Sets limits, as another device may, and reports that.
    func limit(keys: Int) {
        state.withLock { $0.limits.keysMax = keys }
        change(from: .reload)
    }

    func join(account: [UInt8]?) { state.withLock { $0.account = account } }

    func completeFirstSync() { state.withLock { $0.isFirstSyncComplete = true } }

    /// Lets another device set a key to what only a newer program can read.
    func changeToNewer(_ key: String) {
        state.withLock { _ = $0.newer.insert(key) }
        change(from: .account, set: [key: .integer(0)])
    }

    /// Lets each further answer with values take so long.
    func delayReads(milliseconds: Int) { state.withLock { $0.readMilliseconds = milliseconds } }

    /// Lets each further call with writes take so long.
    func delayWrites(milliseconds: Int) { state.withLock { $0.writeMilliseconds = milliseconds } }

    /// Answers no further call.
    func fallSilent() { state.withLock { $0.isSilent = true } }

    /// How often the status was asked for.
    var statusCount: Int { state.withLock { $0.statusCount } }

    /// How often values were asked for.
    var readCount: Int { state.withLock { $0.readCount } }

    /// The names of the requested stores; nil is a program's own.
    var stores: Set<String?> { state.withLock { $0.stores } }

    func value(_ key: String) -> PropertyValue? { state.withLock { $0.values[key] } }

    /// Waits until a handle gets each change as it happens.
    ///
    /// Changes during the connection are in the first read of everything, without an origin.
    func isHeard(by store: NSUbiquitousKeyValueStore) async -> Bool {
        // The first read waits until everything was read once.
        _ = store.object(forKey: "heard")
        guard await eventually({ state.withLock { !$0.watchers.isEmpty } }) else { return false }
        change(from: .device, set: ["heard": .bool(true)])
        return await eventually { store.bool(forKey: "heard") }
    }

    // MARK: Calls

    private func answer(_ request: AgentRequest) -> AgentAnswer {
        if request.call == WatchKeyValues.name { return .later { await self.watch($0) } }
        let (isSilent, milliseconds) = state.withLock { state in
            if request.call == ReadKeyValues.name { state.readCount += 1 }
            if request.call == GetKeyValueStatus.name { state.statusCount += 1 }
            let milliseconds =
                switch request.call {
                case ReadKeyValues.name: state.readMilliseconds
                case WriteKeyValues.name: state.writeMilliseconds
                default: 0
                }
            return (state.isSilent, milliseconds)
        }
        let wait = isSilent ? Duration.seconds(3600) : .milliseconds(milliseconds)
        guard wait > .zero else { return .now(reply(to: request)) }
        return .later { _ in
            // A caller that has gone needs no answer.
            try? await Task.sleep(for: wait)
            return self.reply(to: request)
        }
    }

    private func reply(to request: AgentRequest) -> AgentReply {
        do {
            return .result(try result(of: request))
        } catch {
            return .failure(AgentFailure(code: 1, status: "\(error)"))
        }
    }

    /// Ends when the program hangs up.
    private func watch(_ report: AgentAnswer.ReportProgress) async -> AgentReply {
        let (stream, continuation) = AsyncStream<AgentProgress>.makeStream()
        continuation.yield(KeyValueReport(number: 0, origin: .device, keys: []).progress)
        state.withLock { $0.watchers.append(Watcher(reports: continuation)) }
        for await progress in stream { report(progress) }
        return .result(.null)
    }

    private func result(of request: AgentRequest) throws -> AgentValue {
        if let sentence = state.withLock({ $0.lockSentence }) {
            throw AgentFailure(code: 75, status: sentence)
        }
        let arguments = AgentValue.dictionary(request.arguments)
        switch request.call {
        case GetKeyValueStatus.name: return try status(GetKeyValueStatus(arguments)).agentValue
        case GetAccountToken.name:
            return AccountToken(token: state.withLock { $0.account }).agentValue
        case ReadKeyValues.name: return try entries(ReadKeyValues(arguments)).agentValue
        case WriteKeyValues.name: return try write(WriteKeyValues(arguments)).agentValue
        default: throw AgentFailure(code: 1, status: request.call)
        }
    }

    private func status(_ call: GetKeyValueStatus) -> KeyValueStatus {
        let limits = state.withLock { $0.limits }
        var status = KeyValueStatus(store: call.store ?? "own")
        status.keysMax = limits.keysMax
        status.keyUnitsMax = limits.keyUnitsMax
        status.valueBytesMax = limits.valueBytesMax
        status.storeBytesMax = limits.storeBytesMax
        (status.account, status.isFirstSyncComplete) = state.withLock { state in
            state.stores.insert(call.store)
            return (state.account, state.isFirstSyncComplete)
        }
        return status
    }

    private func entries(_ call: ReadKeyValues) -> [KeyValueEntry] {
        let (values, newer) = state.withLock { ($0.values, $0.newer) }
        return (call.keys ?? values.keys.sorted()).compactMap { key in
            values[key].map { Self.entry(key, $0, isNewer: newer.contains(key)) }
        }
    }

    private static func entry(
        _ key: String,
        _ value: PropertyValue,
        isNewer: Bool
    ) -> KeyValueEntry {
        KeyValueEntry(
            store: "own",
            key: key,
            type: isNewer ? nil : "register",
            value: isNewer ? nil : value.encoded,
            overflows: false,
            changed: AgentDate(milliseconds: 1_700_000_000_000),
            device: nil,
            isExternal: true
        )
    }

    private func write(_ call: WriteKeyValues) throws -> WrittenKeyValues {
        let writes = try call.writes.map { try KeyWrite(decoding: $0) }
        return state.withLock { state in
            if let sentence = state.refusal {
                // Of a transaction only one place is refused, which undoes all of it.
                let places = call.isAtomic == true ? 0..<1 : writes.indices
                let refusals = places.map { KeyValueRefusal(place: $0, sentence: sentence) }
                return WrittenKeyValues(refusals: refusals, merged: [])
            }
            var refusals: [KeyValueRefusal] = []
            for (place, write) in writes.enumerated() {
                if let sentence = state.refusals[write.key] {
                    refusals.append(KeyValueRefusal(place: place, sentence: sentence))
                    continue
                }
                switch write.action {
                case .write(.set(let value, _)): state.values[write.key] = value
                // These tests write plain values alone.
                default: state.values[write.key] = nil
                }
            }
            return WrittenKeyValues(refusals: refusals, merged: [])
        }
    }
}
