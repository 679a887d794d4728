import KSCausality
import Dispatch
import GRDB
import KSMerging
import KSRecords
import KSSealing
import KSStore
import KSTestSupport
import Synchronization
import Testing
import KSWire

import KSSyncServer

/// Batches that wait for the disk together.
@Suite(.timeLimit(.minutes(10)))
struct PushQueueTests {
    private let account: TestAccount
    private let store: FaultyStore
    private let epoch: StoreEpoch

    init() throws {
        account = try TestAccount()
        store = FaultyStore(
            try SQLiteStore(
                database: DatabaseQueue(),
                random: SeededRandomSource(seed: 7),
                clockSeconds: ManualClock().wallClock.seconds
            )
        )
        epoch = try store.createAccount(
            NewAccount(id: account.id, name: account.name, genesis: account.genesis)
        )
    }

    private func request(actor: Int, first: UInt64 = 1) throws -> PushRequest {
        PushRequest(
            account: account.id,
            member: account.device.memberID,
            batch: try account.batch(actor: UInt64(actor), first: first, epoch: epoch),
            applied: nil
        )
    }

    private static func outcome(
        _ body: () async throws -> PushAnswer
    ) async -> Result<PushAnswer, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    /// Pushes all while the disk is busy, and returns the result of each.
    private func answers(
        _ requests: [PushRequest],
        byteCount: Int
    ) async throws -> [Result<PushAnswer, any Error>] {
        let queue = PushQueue(store: store) { _, _ in }
        let (entered, mayGoOn) = store.holdFirstPush()
        let blocker = try request(actor: 1_000_000)
        async let first = queue.push(blocker, byteCount: 1)
        await onThread { entered.wait() }
        let answers = await withTaskGroup { group in
            for (index, request) in requests.enumerated() {
                // It runs here until it waits for the queue, whose thread is blocked.
                group.addImmediateTask {
                    (
                        index,
                        await Self.outcome { try await queue.push(request, byteCount: byteCount) }
                    )
                }
            }
            mayGoOn.signal()
            var answers: [(Int, Result<PushAnswer, any Error>)] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
        _ = try await first
        // Nothing is left that would block the next push.
        _ = try await queue.push(try request(actor: 2_000_000), byteCount: 128 << 20)
        return answers
    }

    @Test
    func `each push gets its own answer, even beside refused ones`() async throws {
        // Every third one comes after a gap, which the store refuses.
        let requests = try (1...60).map { try request(actor: $0, first: $0 % 3 == 0 ? 2 : 1) }
        let answers = try await answers(requests, byteCount: 1)
        for (index, answer) in answers.enumerated() {
            let actor = index + 1
            switch answer {
            case .success(let answer):
                #expect(actor % 3 != 0)
                let page = try store.changes(
                    ChangesRequest(
                        account: account.id,
                        member: account.device.memberID,
                        after: nil,
                        recordsMax: 500
                    )
                )
                let record = page.records.first { $0.seq == answer.records.first?.seq }
                #expect(
                    record?.siblings.map(\.dot.actor.rawValue) == [UInt64(actor)],
                    "the answer of another's batch"
                )
            case .failure(let error):
                #expect(actor % 3 == 0)
                #expect(error as? StoreError == .refused(.actorForked))
            }
        }
    }

    @Test
    func `a batch is announced once, before its client has the answer, and only if it is accepted`()
        async throws
    {
        let announced = Mutex<[UInt64?]>([])
        let queue = PushQueue(store: store) { request, _ in
            announced.withLock { $0.append(request.batch.envelopes.first?.dot.actor.rawValue) }
        }
        _ = try await queue.push(try request(actor: 1), byteCount: 1)
        #expect(announced.withLock { $0 } == [1])
        // It comes after a gap.
        let refused = try request(actor: 2, first: 2)
        await #expect(throws: StoreError.refused(.actorForked)) {
            try await queue.push(refused, byteCount: 1)
        }
        #expect(announced.withLock { $0 } == [1])
    }

    @Test
    func `a commit takes 128 batches at most, and the rest follows by itself`() async throws {
        let requests = try (1...250).map { try request(actor: $0) }
        let answers = try await answers(requests, byteCount: 1)
        for answer in answers { _ = try answer.get() }
        #expect(store.commits.max() == 128)
        #expect(store.commits.reduce(0, +) == 252)
    }

    @Test
    func `a commit takes 16 MiB at most, and one that is larger alone`() async throws {
        let answers = try await answers(
            try (1...9).map { try request(actor: $0) },
            byteCount: 6 << 20
        )
        for answer in answers { _ = try answer.get() }
        #expect(store.commits == [1, 2, 2, 2, 2, 1, 1])
    }

    @Test
    func `at most 128 MiB wait; further pushes are refused with Retry-After`() async throws {
        let answers = try await answers(
            try (1...30).map { try request(actor: $0) },
            byteCount: 10 << 20
        )
        let refused = answers.filter { answer in
            if case .failure(let error) = answer {
                #expect(error as? Problem == Problem(.unavailable))
                return true
            }
            return false
        }
        #expect(refused.count == 18)
    }
}

/// Batches of several accounts, for a store that serves several calls at once.
@Suite(.timeLimit(.minutes(10)))
struct PushLaneTests {
    private let accounts: [TestAccount]
    private let store: FaultyStore
    private let epochs: [StoreEpoch]

    init() throws {
        accounts = try (1...3).map { try TestAccount(seed: $0) }
        let store = FaultyStore(
            try SQLiteStore(
                database: DatabaseQueue(),
                random: SeededRandomSource(seed: 7),
                clockSeconds: ManualClock().wallClock.seconds
            ),
            concurrentCalls: 2
        )
        epochs = try accounts.map { account in
            try store.createAccount(
                NewAccount(id: account.id, name: account.name, genesis: account.genesis)
            )
        }
        self.store = store
    }

    private func request(of number: Int, actor: Int) throws -> PushRequest {
        PushRequest(
            account: accounts[number].id,
            member: accounts[number].device.memberID,
            batch: try accounts[number].batch(actor: UInt64(actor), epoch: epochs[number]),
            applied: nil
        )
    }

    @Test
    func `an account whose commit does not end holds up no other`() async throws {
        let queue = PushQueue(store: store) { _, _ in }
        let (entered, mayGoOn) = store.holdFirstPush()
        let held = try request(of: 0, actor: 1)
        async let first = queue.push(held, byteCount: 1)
        await onThread { entered.wait() }
        // The account's further batches wait, and take no thread from the others.
        let later = try (2...9).map { try request(of: 0, actor: $0) }
        try await withThrowingTaskGroup { group in
            for request in later {
                group.addImmediateTask { _ = try await queue.push(request, byteCount: 1) }
            }
            for number in [1, 2, 1, 2] {
                let request = try request(of: number, actor: 100 + store.commits.count)
                _ = try await queue.push(request, byteCount: 1)
            }
            #expect(store.commits == [1, 1, 1, 1, 1])
            mayGoOn.signal()
            try await group.waitForAll()
        }
        _ = try await first
        // They were committed together.
        #expect(store.commits.last == 8)
    }

    @Test
    func `more accounts than threads take turns`() async throws {
        let queue = PushQueue(store: store) { _, _ in }
        try await withThrowingTaskGroup { group in
            for actor in 1...40 {
                for number in accounts.indices {
                    let request = try request(of: number, actor: actor)
                    group.addTask { _ = try await queue.push(request, byteCount: 1) }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.commits.reduce(0, +) == 120)
    }
}
