import Dispatch
import KSCausality
import KSMerging
import KSRecords
import KSStore
import Synchronization
import Testing

import KSSyncServer

/// A store whose disk a test breaks, or makes wait.
final class FaultyStore: Store {
    private let store: any Store
    private let state = Mutex(State())

    private struct State {
        var failure: StoreError?
        var beforePush: (@Sendable () -> Void)?
        var commits: [Int] = []
        var onCall: (@Sendable (String) -> Void)?
    }

    /// How many calls at once finish sooner than one after the other.
    let concurrentCalls: Int

    init(_ store: any Store, concurrentCalls: Int = 1) {
        self.store = store
        self.concurrentCalls = concurrentCalls
    }

    /// The error of every call from now on; nil for none.
    func fail(with failure: StoreError?) {
        state.withLock { $0.failure = failure }
    }

    /// Runs before each commit, on the store's thread.
    func beforePush(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.beforePush = body }
    }

    /// Stops the first commit from now on, until the second of these is signalled; the first is
    /// signalled when it stops.
    func holdFirstPush() -> (entered: DispatchSemaphore, mayGoOn: DispatchSemaphore) {
        let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Mutex(true)
        beforePush {
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard waits else { return }
            entered.signal()
            mayGoOn.wait()
        }
        return (entered, mayGoOn)
    }

    /// Runs before every other call, with its name.
    func onCall(_ body: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.onCall = body }
    }

    /// How many requests each commit had.
    var commits: [Int] { state.withLock { $0.commits } }

    private func check(_ name: String = #function) throws(StoreError) {
        let (failure, onCall) = state.withLock { ($0.failure, $0.onCall) }
        onCall?(name)
        if let failure { throw failure }
    }

    func probe() throws(StoreError) {
        try check()
        try store.probe()
    }

    func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures {
        try check()
        return try store.figures(quotaBytes: quotaBytes)
    }

    func summary(of account: AccountID) throws(StoreError) -> AccountSummary {
        try check()
        return try store.summary(of: account)
    }

    func setQuota(_ bytes: UInt64?, of account: AccountID) throws(StoreError) {
        try check()
        try store.setQuota(bytes, of: account)
    }

    func setSuspended(_ isSuspended: Bool, _ account: AccountID) throws(StoreError) {
        try check()
        try store.setSuspended(isSuspended, account)
    }

    func isSuspended(_ account: AccountID) throws(StoreError) -> Bool {
        try store.isSuspended(account)
    }

    func check(_ account: AccountID, repairs: Bool) throws(StoreError) -> AccountCheck {
        try check()
        return try store.check(account, repairs: repairs)
    }

    func useNonce(_ nonce: [UInt8], expirySeconds: UInt64) throws(StoreError) -> Bool {
        try check()
        return try store.useNonce(nonce, expirySeconds: expirySeconds)
    }

    func createAccount(_ account: NewAccount) throws(StoreError) -> StoreEpoch {
        try check()
        return try store.createAccount(account)
    }

    func account(named name: String) throws(StoreError) -> AccountState? {
        try check()
        return try store.account(named: name)
    }

    func account(_ id: AccountID) throws(StoreError) -> AccountState? {
        try check()
        return try store.account(id)
    }

    func deleteAccount(_ id: AccountID) throws(StoreError) {
        try check()
        try store.deleteAccount(id)
    }

    func circleEntries(of account: AccountID) throws(StoreError) -> [SignedEntry] {
        try check()
        return try store.circleEntries(of: account)
    }

    func newestEntry(of account: AccountID) throws(StoreError) -> SignedEntry? {
        try check()
        return try store.newestEntry(of: account)
    }

    func circle(
        of account: AccountID,
        after version: UInt64,
        for member: MemberID
    ) throws(StoreError) -> CircleState {
        try check()
        return try store.circle(of: account, after: version, for: member)
    }

    func circleEntry(
        of account: AccountID,
        generation: UInt64?,
        for member: MemberID
    ) throws(StoreError) -> ShownEntry? {
        try check()
        return try store.circleEntry(of: account, generation: generation, for: member)
    }

    func appendEntry(
        _ change: CircleChange,
        to account: AccountID,
        ifVersion version: UInt64
    ) throws(StoreError) {
        try check()
        try store.appendEntry(change, to: account, ifVersion: version)
    }

    func push(_ requests: [PushRequest]) -> [Result<PushAnswer, StoreError>] {
        let (failure, wait) = state.withLock { state in
            state.commits.append(requests.count)
            return (state.failure, state.beforePush)
        }
        wait?()
        if let failure { return requests.map { _ in .failure(failure) } }
        return store.push(requests)
    }

    func returnCircle(
        _ circle: CircleReturn,
        to account: AccountID
    ) throws(StoreError) -> UInt64 {
        try check()
        return try store.returnCircle(circle, to: account)
    }

    func rebuildAccount(
        _ account: AccountID,
        named name: String,
        from circle: CircleReturn
    ) throws(StoreError) -> UInt64 {
        try check()
        return try store.rebuildAccount(account, named: name, from: circle)
    }

    func raiseVector(
        to vector: VersionVector,
        epoch: StoreEpoch,
        by member: MemberID,
        of account: AccountID
    ) throws(StoreError) {
        try check()
        try store.raiseVector(to: vector, epoch: epoch, by: member, of: account)
    }

    func passTime(seconds: UInt64) throws(StoreError) {
        try check()
        try store.passTime(seconds: seconds)
    }

    func accounts(after id: AccountID?, countMax: Int) throws(StoreError) -> [AccountID] {
        try check()
        return try store.accounts(after: id, countMax: countMax)
    }

    func removeDeleted(
        from account: AccountID,
        by rules: RemovalRules
    ) throws(StoreError) -> RemovalStep {
        try check()
        return try store.removeDeleted(from: account, by: rules)
    }

    func giveSpaceBack() throws(StoreError) -> Bool {
        try check()
        return try store.giveSpaceBack()
    }

    func compareHistory(
        _ cursor: Cursor,
        of member: MemberID,
        in account: AccountID
    ) throws(StoreError) -> HistoryComparison {
        try check()
        return try store.compareHistory(cursor, of: member, in: account)
    }

    func changes(_ request: ChangesRequest) throws(StoreError) -> PageAnswer {
        try check()
        return try store.changes(request)
    }
}

/// The names of the calls of a store.
final class CallLog: Sendable {
    private let calls = Mutex<[String]>([])

    var names: [String] { calls.withLock { $0 } }

    func add(_ name: String) {
        calls.withLock { $0.append(name) }
    }
}

/// Runs a server whose store can be broken.
func withFaultyStore(
    log: TestLog? = nil,
    _ body: @Sendable (TestServer, FaultyStore) async throws -> Void
) async throws {
    let (stores, continuation) = AsyncStream.makeStream(of: FaultyStore.self)
    try await withServer(
        log: log,
        wrapping: { store in
            let faulty = FaultyStore(store)
            continuation.yield(faulty)
            return faulty
        }
    ) { server in
        var iterator = stores.makeAsyncIterator()
        try await body(server, try #require(await iterator.next()))
    }
}
