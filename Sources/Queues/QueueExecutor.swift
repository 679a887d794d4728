internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs an actor on a queue of its own, so that waiting for a disk never holds up Swift's shared
/// threads.
///
/// Another thread may borrow the actor while nothing runs on it: what takes microseconds is over
/// before two threads have been woken up for it.
package final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue
    private let turn = Mutex(())
    /// The thread that has borrowed the actor; 0 for none.
    private let borrower = Atomic<UInt>(0)

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            self.turn.withLock { _ in
                unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
            }
        }
    }

    /// Does something on this thread, isolated as the actor is, unless the actor is at work.
    ///
    /// - Returns: nil when it is at work.
    package func borrowed<Result>(_ body: () throws -> Result) rethrows -> Result? {
        try turn.withLockIfAvailable { _ in
            borrower.store(Self.thisThread, ordering: .relaxed)
            defer { borrower.store(0, ordering: .relaxed) }
            return try body()
        }
    }

    /// Called by the runtime, where `assumeIsolated` runs outside of the actor's own jobs.
    package func checkIsolated() {
        precondition(
            borrower.load(ordering: .relaxed) == Self.thisThread,
            "only who has borrowed the actor may touch it from another thread"
        )
    }

    private static var thisThread: UInt { UInt(pthread_self()) }
}
