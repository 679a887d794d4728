package import Dispatch
public import Foundation
package import KSAgent
internal import KSKeyValues
internal import Synchronization

/// A key-value store that all devices of an account share.
///
/// Values are in the memory of the program, so reading needs neither the disk nor the daemon. A
/// write is visible at once, reaches the daemon in order, and goes to the other devices when they
/// can be reached. ``synchronize()`` says whether all writes are on this device's disk.
///
/// A program that names no store has its own, which belongs to its executable. Programs that share
/// a store name it, and `entitlements.json` allows it to them; or `entitlements.json` names it for
/// each of them.
public final class KeyValueStore: Sendable {
    /// The store that the variable `KEYCHAIN_SYNC_STORE` names, else the program's own.
    public static let `default` = KeyValueStore()

    let session: StoreSession

    /// Opens a store; several handles of one store in a process share their values.
    ///
    /// - Parameters:
    ///   - name: the store's name, 1 to 255 bytes; nil for what `KEYCHAIN_SYNC_STORE` names, else
    ///     the program's own store.
    ///   - home: the directory of the device; nil for that of the user.
    public convenience init(named name: String? = nil, home: String? = nil) {
        self.init(named: name, home: home, readPatience: .milliseconds(250))
    }

    /// Opens a store that may wait longer for the daemon than a program should.
    ///
    /// `readPatience`: how long ``values`` waits; that of the first handle counts for all.
    package init(named name: String?, home: String?, readPatience: DispatchTimeInterval) {
        let variable = ProcessInfo.processInfo.environment["KEYCHAIN_SYNC_STORE"]
        let name = name ?? variable.flatMap { $0.isEmpty ? nil : $0 }
        session = StoreSessions.session(store: name, home: home, readPatience: readPatience)
    }

    /// Opens a store of a device in this process, with values of its own; `name` as above.
    package init(named name: String?, on device: any DeviceStandIn) {
        session = StoreSession(store: name, on: device)
    }

    /// Whether the device is in this process: changes are reported in the thread that lets it go
    /// on.
    package var isOfDeviceInProcess: Bool { session.link.standIn != nil }

    // MARK: Reading

    /// The value of a key; nil if there is none, or it has another type.
    public func value<Value: KeyValueConvertible>(
        _ type: Value.Type = Value.self,
        forKey key: String
    ) -> Value? {
        session.value(key).flatMap(Value.init)
    }

    /// The keys that have a value, in order; default values do not count.
    public var keys: [String] { session.read(\.keys).sorted() }

    /// All keys with their values; default values do not count.
    ///
    /// They include all changes that the daemon has reported to this process before. For those that
    /// are not read yet it waits, a quarter of a second at most.
    public var values: [String: KeyValue] {
        session.waitUntilFolded()
        return Dictionary(
            session.values().compactMap { entry in
                entry.entry.value.map { (entry.key, KeyValue($0)) }
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// When the key was last changed, and by which device; nil if it has no value, or its first
    /// change is not on the disk yet.
    public func lastChange(forKey key: String) -> LastChange? {
        session.read { $0.confirmed(StoreKey(key)) }.map { entry in
            LastChange(
                date: Date(timeIntervalSince1970: Double(entry.changedMilliseconds) / 1000),
                device: entry.device
            )
        }
    }

    /// The last change of a key.
    public struct LastChange: Equatable, Sendable {
        /// By the clock of the device that made the change.
        public let date: Date
        /// The device's name in the account; nil for a change that was made without an account and
        /// is not sent yet.
        public let device: String?
    }

    /// Sets default values, which are read for keys that have no value in the store.
    ///
    /// They are never written, so a new installation cannot overwrite the account's values.
    public func register(defaults: [String: any KeyValueConvertible]) {
        session.register(defaults.mapValues(\.keyValue))
    }

    // MARK: Writing

    /// Sets a key.
    ///
    /// On a key of a merged type, only the difference from the value that this process last read
    /// is written, by whatever getter and on whatever thread. If it has read none, or has written
    /// since, the difference from what it would read now, or from what it wrote.
    /// - Throws: ``KeyValueStoreError`` if a limit would be exceeded or the value does not fit the
    ///   key's type; nothing has changed then.
    public func set(
        _ value: some KeyValueConvertible,
        forKey key: String
    ) throws(KeyValueStoreError) {
        try transaction { $0.set(value, forKey: key) }
    }

    /// Removes a key; nothing happens if it has no value.
    public func removeValue(forKey key: String) {
        // Removing exceeds no limit and fits every type.
        try? transaction { $0.removeValue(forKey: key) }
    }

    /// Writes several keys that are carried out together, and sent together.
    ///
    /// - Throws: ``KeyValueStoreError`` if one of the writes is refused; nothing has changed then.
    public func transaction(
        _ body: (inout KeyValueTransaction) -> Void
    ) throws(KeyValueStoreError) {
        var transaction = KeyValueTransaction { [session] key in
            session.read { $0.entry(StoreKey(key))?.type }
        }
        body(&transaction)
        do throws(RefusedWrite) {
            try session.write(transaction.writes)
        } catch {
            throw .refused(key: error.key, sentence: error.error.sentence)
        }
    }

    /// Waits until all writes until now are on the disk of this device.
    ///
    /// - Returns: false if the daemon cannot be reached or used now. The writes then stay in this
    ///   process's memory, which sends them as soon as it can.
    @discardableResult
    public func synchronize() -> Bool { session.flush() == .committed }

    /// Waits without blocking a thread until all writes until now are on this device's disk.
    ///
    /// - Returns: false as for ``synchronize()``.
    @discardableResult
    public func waitUntilSynchronized() async -> Bool {
        await withCheckedContinuation { continuation in
            session.flush { continuation.resume(returning: $0) }
        }
    }

    // MARK: Sync

    /// The state of the store and of its sync.
    ///
    /// - Throws: ``KeyValueStoreError`` if the daemon cannot be asked.
    public func status() throws(KeyValueStoreError) -> KeyValueStoreStatus {
        let call = GetKeyValueStatus(store: session.store)
        return KeyValueStoreStatus(
            try asking { () throws(AgentError) in try session.call(call) }
        )
    }

    /// Identifies the account that the device belongs to, on a locked device too; nil for none.
    ///
    /// - Throws: ``KeyValueStoreError`` if the daemon cannot be asked.
    package func accountToken() throws(KeyValueStoreError) -> Data? {
        try asking { () throws(AgentError) in try session.call(GetAccountToken()) }
            .token.map { Data($0) }
    }

    /// Whether everything that the account had when this device joined it has arrived.
    ///
    /// False without an account, and if the daemon cannot be asked.
    public var isFirstSyncComplete: Bool { (try? status())?.isFirstSyncComplete ?? false }

    /// Waits until everything has arrived that the account had when this device joined it.
    ///
    /// Without an account it waits until the device joins one. While the device is locked or no
    /// daemon can be started, it goes on trying.
    /// - Throws: `CancellationError` if the task is cancelled; ``KeyValueStoreError`` if the daemon
    ///   does not let this program use the store.
    public func waitForFirstSync() async throws {
        guard isOfDeviceInProcess else { return try await FirstSyncWait(session).wait() }
        // Nobody else lets time pass on such a device.
        try await sync()
        guard isFirstSyncComplete else {
            throw KeyValueStoreError.unavailable("The device has not synced with an account.")
        }
    }

    /// Sends the changes of this device and fetches those of the others now.
    ///
    /// Sync does so by itself; a program that ends, or whose user waits, can make sure.
    /// - Throws: ``KeyValueStoreError`` if the daemon or the server cannot be used now. Writes go
    ///   out later then.
    public func sync() async throws(KeyValueStoreError) {
        let isOnDisk = await waitUntilSynchronized()
        let session = session
        if !isOnDisk, let problem = session.problem { throw .unavailable(problem.sentence) }
        guard !isOfDeviceInProcess else {
            try asking { () throws(AgentError) in _ = try session.call(SyncKeyValues()) }
            return
        }
        let result = await withCheckedContinuation { continuation in
            // A call of its own: reads and writes of the program go on meanwhile.
            Thread.detachNewThread { continuation.resume(returning: session.syncApart()) }
        }
        try asking { () throws(AgentError) in try result.get() }
    }

    /// The changes from now on that this process did not make, and refusals of its own writes.
    public var changes: AsyncStream<KeyValueChange> {
        let (stream, continuation) = AsyncStream<KeyValueChange>.makeStream()
        let session = session
        let number = session.observe(mayWait: false) { continuation.yield(KeyValueChange($0)) }
        continuation.onTermination = { _ in session.stopObserving(number) }
        return stream
    }

    /// Calls `body` for each change, on a thread of its own, until the number is given to
    /// ``stopObserving(_:)``.
    package func observe(_ body: @escaping @Sendable (KeyValueChange) -> Void) -> Int {
        session.observe(mayWait: true) { body(KeyValueChange($0)) }
    }

    /// Runs `body` in this thread, after what observers of a device in this process have not been
    /// told yet.
    package func tell(_ body: @escaping @Sendable () -> Void) { session.tell(body) }

    package func stopObserving(_ number: Int) { session.stopObserving(number) }

    /// Why what the program writes stays in its memory; nil if it goes to the disk, or to a daemon
    /// that is just being started again.
    package var problem: String? {
        let problem = session.problem
        return problem == .connectionLost ? nil : problem?.sentence
    }

    func asking<Answer>(
        _ body: () throws(AgentError) -> Answer
    ) throws(KeyValueStoreError) -> Answer {
        do throws(AgentError) {
            return try body()
        } catch {
            throw .unavailable(error.sentence)
        }
    }
}

/// Why a store refused a request; nothing has changed.
public enum KeyValueStoreError: Error, Equatable, CustomStringConvertible {
    /// A limit, or the type of the key: a sentence with the numbers.
    case refused(key: String, sentence: String)
    /// The daemon cannot be used: a sentence that says what to do.
    case unavailable(String)

    /// The sentence, after the key of a refused write.
    public var description: String {
        switch self {
        case .refused(let key, let sentence): "\(key): \(sentence)"
        case .unavailable(let sentence): sentence
        }
    }

    /// The sentence alone.
    package var sentence: String {
        switch self {
        case .refused(_, let sentence), .unavailable(let sentence): sentence
        }
    }
}

/// A change of a store that this process did not make.
public struct KeyValueChange: Equatable, Sendable {
    /// Where a change came from.
    public enum Source: Equatable, Sendable {
        /// Another program of this device.
        case device
        /// Another device.
        case account
        /// Another device, before the first sync was complete; or the values were there, but the
        /// device was locked or had no daemon when the program opened the store.
        case firstSync
        /// The device joined an account or left one.
        case accountChange
        /// The device refused writes of this process, which are undone.
        case refused(String)
    }

    /// Where the change came from.
    public let source: Source
    /// The keys that changed; removed ones too.
    public let keys: [String]

    init(_ event: StoreSession.Event) {
        keys = event.keys
        source =
            switch event.origin {
            case .reported(.device), .reported(.reload): .device
            case .reported(.account): .account
            case .reported(.firstSync): .firstSync
            case .reported(.joined): .accountChange
            case .refused(let sentence): .refused(sentence)
            }
    }
}
