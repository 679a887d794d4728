internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs an actor on a queue of its own, so that waiting for a disk never holds up Swift's shared
/// threads.
///
/// Another thread may borrow the actor while nothing runs on it: a call of microseconds is faster
/// than waking two threads for it.
///
/// A task that prefers this executor also runs on the queue between its calls of the actor. The
/// thread that resumes such a task wakes the queue's thread at once. For any other task Swift first
/// wakes one of its shared threads, which then wakes the queue's thread.
package final class QueueExecutor: SerialExecutor, TaskExecutor {
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
                unsafe job.runSynchronously(
                    isolatedTo: self.asUnownedSerialExecutor(),
                    taskExecutor: self.asUnownedTaskExecutor()
                )
            }
        }
    }

    /// Runs `body` on this thread, isolated to the actor, unless the actor runs a job.
    ///
    /// - Returns: nil if the actor runs a job.
    package func borrowed<Result>(_ body: () throws -> Result) rethrows -> Result? {
        try turn.withLockIfAvailable { _ in
            borrower.store(Self.thisThread, ordering: .relaxed)
            defer { borrower.store(0, ordering: .relaxed) }
            return try body()
        }
    }

    /// Runs `body` on the queue, isolated to the actor, without a task.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        queue.async {
            self.turn.withLock { _ in
                self.borrower.store(Self.thisThread, ordering: .relaxed)
                defer { self.borrower.store(0, ordering: .relaxed) }
                body()
            }
        }
    }

    /// The runtime calls this if `assumeIsolated` runs outside the actor's own jobs.
    package func checkIsolated() {
        precondition(
            borrower.load(ordering: .relaxed) == Self.thisThread,
            "only the thread that has borrowed the actor may use it outside its queue"
        )
    }

    private static var thisThread: UInt { UInt(pthread_self()) }
}
