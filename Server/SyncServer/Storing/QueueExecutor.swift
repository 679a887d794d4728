internal import Dispatch

/// Runs an actor on a thread of its own, so that disk and locks never hold up Swift's shared
/// threads.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Lets code that the queue itself runs say that it is the actor's.
    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    func schedule(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
