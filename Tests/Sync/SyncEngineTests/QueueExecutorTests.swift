import Dispatch
import KSQueues
import Synchronization
import Testing

/// An actor that another thread may borrow.
@Suite(.timeLimit(.minutes(10)))
struct QueueExecutorTests {
    private actor Counter {
        fileprivate nonisolated let executor = QueueExecutor(label: "test")
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        var count = 0

        func add() { count += 1 }

        /// Ends the test's process unless it is called on the actor's queue.
        nonisolated func addAtOnce() { assumeIsolated { $0.add() } }

        func wait(for semaphore: DispatchSemaphore, begun: DispatchSemaphore) {
            begun.signal()
            semaphore.wait()
        }

        nonisolated func borrowed<Result: Sendable>(
            _ body: (isolated Counter) throws -> Result
        ) rethrows -> Result? {
            try executor.borrowed { try assumeIsolated(body) }
        }
    }

    private struct Failed: Error {}

    private final class Tally: Sendable {
        let count = Mutex(0)
    }

    @Test
    func `a borrower of an actor is isolated, and gives it back`() async {
        let counter = Counter()
        let seen = counter.borrowed { counter in
            counter.add()
            return counter.count
        }
        #expect(seen == 1)
        #expect(throws: Failed.self) { try counter.borrowed { _ in throw Failed() } }
        await counter.add()
        // The waiter for a job may continue before the job's thread has given its turn back.
        var after: Int?
        while after == nil { after = counter.borrowed { $0.count } }
        #expect(after == 2)
    }

    @Test
    func `a task that prefers the executor goes on there after another thread resumed it`() async {
        let counter = Counter()
        await withTaskExecutorPreference(counter.executor) {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "resuming").async { continuation.resume() }
            }
            counter.addAtOnce()
        }
        #expect(await counter.count == 1)
    }

    @Test
    func `an actor that is busy or borrowed cannot be borrowed`() async throws {
        let counter = Counter()
        let (end, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let work: Void = counter.wait(for: end, begun: begun)
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waiting").async {
                begun.wait()
                continuation.resume()
            }
        }
        #expect(counter.borrowed { $0.count } == nil)
        end.signal()
        await work
        // The waiter may hear of the end of the work before the actor is idle.
        var inside: Bool?
        while inside == nil {
            inside = counter.borrowed { _ in
                let other = DispatchQueue(label: "another thread")
                return other.sync { Mutex(0).withLock { _ in true } }
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(inside == true)
    }

    @Test
    func `jobs and borrowers never touch the actor at the same time`() async {
        let counter = Counter()
        let borrowed = Tally()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2000 { await counter.add() }
                }
                group.addTask {
                    // The actor is busy at most times, and idle when all jobs are done.
                    while borrowed.count.withLock({ $0 }) < 2000 {
                        guard counter.borrowed({ $0.add() }) != nil else {
                            await Task.yield()
                            continue
                        }
                        borrowed.count.withLock { $0 += 1 }
                    }
                }
            }
        }
        #expect(await counter.count == 8000 + borrowed.count.withLock { $0 })
    }
}
