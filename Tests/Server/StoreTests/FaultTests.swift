import KSCausality
import KSDigests
import Foundation
import GRDB
import KSMerging
import KSRecords
import KSStore
import Synchronization
import KSTestSupport
import Testing

/// Signals after so many calls.
private final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) {
        left = Mutex(count)
    }

    func isOver() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}

/// A store after a kill, and on a full disk.
struct FaultTests {
    private static let writesPerBatch = 7

    /// The n-th batches of a writer, the same in every process.
    private static func batches(_ account: FakeAccount, _ epoch: StoreEpoch) -> [PushRequest] {
        var actor = FakeActor(7, of: account, epoch: epoch)
        return (0..<40).map { number in
            let writes = (0..<writesPerBatch).map { index in
                FakeWrite(
                    record: .number((number + index * 3) % 20),
                    replaced: number > 0 ? [actor.dot(UInt64(number))] : [],
                    box: [UInt8](repeating: UInt8(number), count: 50 + 40 * index)
                )
            }
            return actor.request(actor.seal(writes))
        }
    }

    /// The statement at which the process dies is the argument.
    @Test(arguments: [0, 40, 41, 42, 77, 123, 200, 255, 311, 400] as [Int])
    func `a killed server has every acknowledged batch, and no partial one`(
        statement: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        let acknowledged = directory.path("acknowledged")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                path = path as String, acknowledged = acknowledged as String,
                statement = statement as Int
            ] in
            let store = try SQLiteStore(path: path, random: SeededRandomSource(seed: 1)) { 1 }
            let account = FakeAccount(1)
            let epoch = try store.createAccount(account.signUp)
            try store.close()
            // The store is opened again over a connection that dies with its process.
            let countdown = Countdown(statement)
            var configuration = Configuration()
            configuration.journalMode = .wal
            configuration.prepareDatabase { database in
                database.trace { _ in
                    if countdown.isOver() { kill(getpid(), SIGKILL) }
                }
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let dying = try SQLiteStore(
                database: queue,
                random: SeededRandomSource(seed: 2)
            ) { 1 }
            let log = unsafe open(acknowledged, O_CREAT | O_WRONLY | O_APPEND, 0o600)
            for request in FaultTests.batches(account, epoch) {
                _ = try dying.push([request])[0].get()
                _ = unsafe write(log, "x", 1)
            }
            kill(getpid(), SIGKILL)
        }
        // Without the file nothing was acknowledged.
        let count = (try? Data(contentsOf: URL(fileURLWithPath: acknowledged)).count) ?? 0
        try checkWhatIsLeft(at: path, acknowledged: count)
    }

    private func checkWhatIsLeft(at path: String, acknowledged count: Int) throws {
        let check = try DatabaseQueue(path: path)
        #expect(
            try check.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"]
        )
        try check.close()

        let store = try SQLiteStore(path: path, random: SeededRandomSource(seed: 3)) { 1 }
        let account = FakeAccount(1)
        let state = try #require(try store.account(account.id))
        let stored = Int(state.seq) / Self.writesPerBatch
        #expect(Int(state.seq) % Self.writesPerBatch == 0)
        // The write whose answer was lost in the kill may be stored or not.
        #expect(stored == count || stored == count + 1)

        // The store holds what an uninterrupted store holds after as many batches.
        let twin = try StoreKind.memory.make()
        _ = try twin.store.createAccount(account.signUp)
        let twinEpoch = try #require(try twin.store.account(account.id)?.epoch)
        for request in Self.batches(account, twinEpoch).prefix(stored) {
            _ = try twin.store.push([request])[0].get()
        }
        let page = try store.changes(
            ChangesRequest(account: account.id, member: account.device, after: nil)
        )
        #expect(try twin.everything(of: account) == page.records)
        // Repeats all batches: the earlier ones get their answers, then new ones follow.
        for request in Self.batches(account, state.epoch) {
            _ = try store.push([request])[0].get()
        }
        #expect(try store.account(account.id)?.seq == UInt64(40 * Self.writesPerBatch))
    }

    private func everything(
        of account: FakeAccount,
        in store: any Store
    ) throws -> [PageAnswer.Record] {
        try store.changes(
            ChangesRequest(account: account.id, member: account.device, after: nil)
        ).records
    }

    @Test(arguments: StoreKind.embedded)
    func `a full disk leaves no partial batch, and the store continues when there is room`(
        kind: StoreKind
    ) throws {
        let world = try kind.make(canBeFull: true)
        let store = world.store
        let (account, epoch) = try world.signUp()
        try world.leaveRoom(pages: 60)
        var actor = FakeActor(7, of: account, epoch: epoch)
        var accepted: [PageAnswer.Record] = []
        var refused: [PushRequest] = []
        for number in 0..<200 where refused.isEmpty {
            let box = [UInt8](repeating: UInt8(number), count: 3000)
            let request = actor.request(
                actor.seal((0..<3).map { FakeWrite(record: .number(number * 3 + $0), box: box) })
            )
            let result = store.push([request])[0]
            guard case .failure(let error) = result else {
                accepted = try everything(of: account, in: store)
                continue
            }
            guard case .storageFailed = error else {
                Issue.record("\(error)")
                return
            }
            refused = [request]
        }
        #expect(!accepted.isEmpty && !refused.isEmpty)
        #expect(try everything(of: account, in: store) == accepted)
        // With a small one of another actor, the whole call fails: no part of it is stored.
        var other = FakeActor(8, of: account, device: 1, epoch: epoch)
        let small = other.request(other.seal([FakeWrite(record: .number(1))]))
        let results = store.push([small] + refused)
        #expect(
            results.allSatisfy { if case .failure(.storageFailed) = $0 { true } else { false } }
        )
        #expect(try everything(of: account, in: store) == accepted)

        try world.leaveRoom()
        let retried = store.push(refused + [small])
        #expect(try retried[0].get().records.count == 3)
        #expect(try retried[1].get().cursor.seq == UInt64(accepted.count + 4))
    }
}
