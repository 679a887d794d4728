internal import Dispatch
internal import Foundation
internal import KSAgent
internal import KSKeyValues
internal import Synchronization

/// A process's session with one store: its values in memory, and two threads that exchange changes
/// with the daemon.
///
/// One thread makes all calls, in order: a value that it reads is never older than a write that it
/// has sent. The other one waits for the daemon's reports. On a device in this process there are no
/// threads: see ``goOn()``.
final class StoreSession: Sendable {
    /// Which keys changed, and why.
    struct Event: Sendable {
        let origin: Origin
        let keys: [String]
    }

    enum Origin: Equatable, Sendable {
        case reported(KeyValueOrigin)
        /// Writes of this process that the device refused.
        case refused(sentence: String)
    }

    struct Observer: Sendable {
        /// Whether it may wait for a flush, and is called on a queue of its own.
        let mayWait: Bool
        let body: @Sendable (Event) -> Void
    }

    struct State {
        var memory: StoreMemory
        var needsLoad = true
        var isLoading = true
        /// Changed keys that have to be read, by what changed them.
        var changed: [KeyValueOrigin: Set<StoreKey>] = [:]
        /// Whether a call that reads is on its way: its answer may be older than a report.
        var isReading = false
        /// The account whose entries memory has; nil before the first of them were read.
        var account: AccountToken?
        /// How many reports came whose keys have to be read, and how many of them were.
        var reports = (received: 0 as UInt64, applied: 0 as UInt64)
        var readers: [(report: UInt64, done: @Sendable () -> Void)] = []
        var problem: AgentError?
        var flushes: [(write: UInt64, done: @Sendable (Bool) -> Void)] = []
        var loads: [@Sendable () -> Void] = []
        var observers: [Int: Observer] = [:]
        var nextObserver = 0
        var batchNumber: Int64 = 0
        /// How many writes went in the latest call, if it has no answer: they may be carried out,
        /// and go again under the same number.
        var unansweredCount: Int?
        /// What keys without a value are read as.
        var defaults: [String: KeyValue] = [:]
        /// The session itself while writes are neither committed nor refused: they are sent after
        /// the program has released the store, too.
        var unsettled: StoreSession?
        /// Of a device in this process.
        var steps = Steps()
    }

    /// How many writes go in one call.
    private static let batchMax = 1000
    private static let batchBytesMax = 8 << 20
    /// The wait before a failed call is tried again, which doubles with each failure.
    private static let retryMilliseconds = 250...5000

    let store: String?
    let home: String?
    /// How long a read of all values waits for what was reported before it.
    let readPatience: DispatchTimeInterval
    let link: AgentLink
    let writer: [UInt8]
    let state: Mutex<State>
    let work = DispatchSemaphore(value: 0)
    /// Nil on a device in this process.
    private let watch: StoreWatch?
    /// The queue of the observers that may wait.
    private let reports = DispatchQueue(label: "keychain-sync.key-value-changes")

    /// Opens a store: nil is the program's own; a nil home is that of the environment.
    init(store: String?, home: String?, readPatience: DispatchTimeInterval) {
        (self.store, self.home, self.readPatience) = (store, home, readPatience)
        link = AgentLink(home: home)
        let random: @Sendable (Int) -> [UInt8] = { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        writer = random(16)
        state = Mutex(State(memory: StoreMemory(random: random)))
        let watch = StoreWatch(store: store, home: home, writer: writer)
        self.watch = watch
        start(watch)
    }

    /// Opens a store of a device in this process.
    init(store: String?, on device: any DeviceStandIn) {
        (self.store, home, readPatience) = (store, nil, .never)
        link = AgentLink(to: device)
        let random: @Sendable (Int) -> [UInt8] = { device.randomBytes($0) }
        writer = random(16)
        state = Mutex(State(memory: StoreMemory(random: random)))
        watch = nil
        device.watch(WatchKeyValues(store: store, writer: writer), by: self)
        goOn()
    }

    deinit {
        watch?.stop()
        work.signal()
    }

    private func start(_ watch: StoreWatch) {
        let work = work
        Thread.detachNewThread { [weak self] in
            var wait = Self.retryMilliseconds.lowerBound
            while true {
                guard let isDone = self?.makeCalls() else { return }
                if isDone {
                    work.wait()
                    wait = Self.retryMilliseconds.lowerBound
                } else {
                    _ = work.wait(timeout: .now() + .milliseconds(wait))
                    wait = min(wait * 2, Self.retryMilliseconds.upperBound)
                }
            }
        }
        watch.start { [weak self] report in self?.take(report) }
        work.signal()
    }

    // MARK: Reading and writing

    /// Reads memory; the first time it waits until the daemon has answered, or failed to.
    func read<Result>(_ body: (borrowing StoreMemory) throws -> Result) rethrows -> Result {
        waitUntilLoaded()
        return try state.withLock { try body($0.memory) }
    }

    /// The value that the program reads, which may be a default value.
    func value(_ key: String) -> KeyValue? {
        waitUntilLoaded()
        let (entry, registered) = state.withLock { state in
            let registered = state.defaults.isEmpty ? nil : state.defaults[key]
            return (state.memory.read(StoreKey(key), default: registered?.property), registered)
        }
        return entry?.value.map(KeyValue.init) ?? registered
    }

    /// All values that the program reads, without default values.
    func values() -> [(key: String, entry: EntryPreview)] {
        waitUntilLoaded()
        return state.withLock { $0.memory.readAll() }
    }

    func write(_ writes: [KeyWrite]) throws(RefusedWrite) {
        waitUntilLoaded()
        try state.withLock { state throws(RefusedWrite) in
            try state.memory.write(writes)
            if state.memory.hasUnsettledWrites { state.unsettled = self }
        }
        wake()
    }

    /// How many writes are neither committed nor refused.
    var unsettledCount: Int { state.withLock { $0.memory.unsettledCount } }

    func register(_ defaults: [String: KeyValue]) {
        state.withLock { $0.defaults.merge(defaults) { $1 } }
    }

    /// Why the daemon cannot be used; nil if it can.
    var problem: AgentError? { state.withLock { $0.problem } }

    func observe(mayWait: Bool, _ body: @escaping @Sendable (Event) -> Void) -> Int {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = Observer(mayWait: mayWait, body: body)
            return state.nextObserver
        }
    }

    func stopObserving(_ number: Int) { state.withLock { $0.observers[number] = nil } }

    func call<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        try link.call(call)
    }

    /// Syncs over a connection of its own, which blocks the calling thread alone.
    func syncApart() -> Result<Void, AgentError> {
        Result { () throws(AgentError) in _ = try AgentLink(home: home).call(SyncKeyValues()) }
    }

    /// Makes the calls that are due soon; on a device in this process now.
    func wake() {
        guard link.standIn == nil else { return goOn() }
        work.signal()
    }

    // MARK: The thread that calls

    func take(_ report: StoreWatch.Report) {
        switch report {
        case .began:
            state.withLock { state in
                state.reports.received += 1
                state.needsLoad = true
            }
        case .changed(let keys, let entries, let origin):
            let different = state.withLock { state -> [String]? in
                guard let entries, !state.needsLoad, !state.isReading,
                    state.memory.hasNotWritten(keys)
                else {
                    state.reports.received += 1
                    state.changed[origin, default: []].formUnion(keys)
                    return nil
                }
                return state.memory.update(keys, entries)
            }
            if let different {
                if !different.isEmpty { self.report(.reported(origin), different) }
                return
            }
        }
        wake()
    }

    /// Makes all calls that are due.
    ///
    /// - Returns: false if something is left to do, because the daemon cannot be used now.
    func makeCalls() -> Bool {
        do throws(AgentError) {
            while true {
                // A batch without an answer goes again first: if it was carried out, what is read
                // has its writes, which would be shown on top of it once more.
                if state.withLock({ $0.unansweredCount != nil }), try send() { continue }
                let reports = state.withLock { $0.reports.received }
                if try loadIfNeeded() { continue }
                if try readChanged() { continue }
                endReading(reports)
                guard try send() else { break }
            }
            state.withLock { $0.problem = nil }
            settleFlushes(isFailed: false)
        } catch {
            let reports = state.withLock { state in
                state.problem = error
                state.memory.returnWrites()
                state.needsLoad = true
                return state.reports.received
            }
            settleFlushes(isFailed: true)
            // Everything is read once the daemon can be used; a program does not wait for that.
            endReading(reports)
        }
        endLoading()
        // Released after the lock: it may be the last that holds the session.
        let (isDone, released) = state.withLock { state in
            let released = state.memory.hasUnsettledWrites ? nil : state.unsettled.take()
            return (!state.memory.hasUnsentWrites && !state.needsLoad, released)
        }
        withExtendedLifetime(released) {}
        return isDone
    }

    private func loadIfNeeded() throws(AgentError) -> Bool {
        let isDue = state.withLock { state in
            defer { state.needsLoad = false }
            if state.needsLoad { state.changed = [:] }
            state.isReading = state.needsLoad
            return state.needsLoad
        }
        guard isDue else { return false }
        defer { state.withLock { $0.isReading = false } }
        let (status, entries) = try readAll()
        let (isFirst, isLate, isOtherAccount, keys) = state.withLock { state in
            var limits = KeyValueLimits()
            (limits.keysMax, limits.keyUnitsMax) = (status.keysMax, status.keyUnitsMax)
            (limits.valueBytesMax, limits.storeBytesMax) =
                (status.valueBytesMax, status.storeBytesMax)
            state.memory.limits = limits
            let account = AccountToken(token: status.account)
            let isOtherAccount = state.account != nil && state.account != account
            state.account = account
            let isFirst = !state.memory.isLoaded
            return (isFirst, !state.isLoading, isOtherAccount, state.memory.load(entries))
        }
        if isFirst {
            // The device was locked, or had no daemon, when the program read its first value.
            if isLate, !keys.isEmpty { report(.reported(.firstSync), keys) }
        } else if isOtherAccount {
            report(.reported(.joined), keys)
        } else {
            // What changed while this process was not connected. Who deleted a key is not known.
            func isOwn(_ key: String) -> Bool {
                status.account == nil || entries[StoreKey(key)].map { !$0.isExternal } ?? false
            }
            let own = keys.filter { isOwn($0) }
            let others = keys.filter { !isOwn($0) }
            if !own.isEmpty { report(.reported(.device), own) }
            if !others.isEmpty { report(.reported(.account), others) }
        }
        endLoading()
        return true
    }

    /// Reads the state and all entries of the store, of one account.
    private func readAll() throws(AgentError) -> (KeyValueStatus, [StoreKey: ConfirmedEntry]) {
        while true {
            let status = try link.call(GetKeyValueStatus(store: store))
            let entries = try read(keys: nil)
            if try link.call(GetAccountToken()).token == status.account { return (status, entries) }
        }
    }

    private func readChanged() throws(AgentError) -> Bool {
        let changed = state.withLock { state in
            defer { state.changed = [:] }
            state.isReading = !state.changed.isEmpty
            return state.changed
        }
        defer { state.withLock { $0.isReading = false } }
        for (origin, keys) in changed.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let entries = try read(keys: keys.map(\.text))
            let different = state.withLock { $0.memory.update(keys, entries) }
            if !different.isEmpty { report(.reported(origin), different) }
        }
        return !changed.isEmpty
    }

    private func read(keys: [String]?) throws(AgentError) -> [StoreKey: ConfirmedEntry] {
        ConfirmedEntry.byKey(try link.call(ReadKeyValues(store: store, keys: keys)))
    }

    private func send() throws(AgentError) -> Bool {
        var (taken, number) = state.withLock { state in
            let taken = state.memory.takeWrites(atMost: state.unansweredCount ?? Self.batchMax)
            if state.unansweredCount == nil, !taken.writes.isEmpty { state.batchNumber += 1 }
            // The answer to a repeated batch does not report its refusals: loading all entries
            // shows them.
            if state.unansweredCount != nil { state.needsLoad = true }
            state.unansweredCount = taken.writes.count
            return (taken, state.batchNumber)
        }
        guard !taken.writes.isEmpty else {
            state.withLock { $0.unansweredCount = nil }
            return false
        }
        // Outside of the lock, which readers wait for. A repeated call has the same writes.
        let encoded = taken.encoded(bytesMax: Self.batchBytesMax)
        if encoded.count < taken.writes.count {
            taken.writes.removeLast(taken.writes.count - encoded.count)
            state.withLock { state in
                state.memory.returnWrites(after: encoded.count)
                state.unansweredCount = encoded.count
            }
        }
        let answer = try answer(to: taken, encoded, number: number)
        let refusedKeys = state.withLock { state in
            state.unansweredCount = nil
            return state.memory.settle(
                refused: Set(answer.refusals.map(\.place)),
                isAtomic: taken.isAtomic,
                merged: ConfirmedEntry.byKey(answer.merged),
                device: answer.device,
                atMilliseconds: link.standIn?.milliseconds
                    ?? UInt64(Date().timeIntervalSince1970 * 1000)
            )
        }
        if taken.isAtomic, let first = answer.refusals.first {
            report(.refused(sentence: first.sentence), refusedKeys)
        } else {
            let refusals = Dictionary(grouping: answer.refusals, by: \.sentence)
            for (sentence, refused) in refusals.sorted(by: { $0.key < $1.key }) {
                let keys = Set(refused.map { StoreKey(taken.writes[$0.place].key) })
                report(.refused(sentence: sentence), keys.map(\.text))
            }
        }
        settleFlushes(isFailed: false)
        return true
    }

    private func report(_ origin: Origin, _ keys: [String]) {
        let event = Event(origin: origin, keys: keys.sorted())
        guard link.standIn == nil else { return tellLater(event) }
        let observers = observers
        for observer in observers where !observer.mayWait { observer.body(event) }
        let waiting = observers.filter(\.mayWait)
        guard !waiting.isEmpty else { return }
        reports.async { for observer in waiting { observer.body(event) } }
    }

    /// Those of now, in the order in which they began.
    var observers: [Observer] {
        state.withLock { $0.observers.sorted { $0.key < $1.key }.map(\.value) }
    }
}
