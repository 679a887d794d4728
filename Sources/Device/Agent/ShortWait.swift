internal import Glibc

/// Polls for an event that comes soon, before a thread goes to sleep for it.
///
/// Putting a thread to sleep and waking it up costs several times as much as a look-up, most of all
/// on virtual machines. Polling for as long as that at most doubles the cost (Karlin et al.,
/// Competitive Randomized Algorithms for Nonuniform Problems, 1990).
package enum ShortWait {
    /// About what it costs to sleep and to be woken up.
    package static let nanosecondsMax = 100_000
    /// On a single processor the other end could not run meanwhile.
    private static let processorCount = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    /// Asks until there is an answer or the time is up; lets other threads run before each try.
    package static func first<Answer>(
        processorCount: Int = processorCount,
        now: () -> Int = nanoseconds,
        _ ask: () -> Answer?
    ) -> Answer? {
        guard processorCount > 1 else { return nil }
        let end = now() + nanosecondsMax
        repeat {
            if let answer = ask() { return answer }
            sched_yield()
        } while now() < end
        return nil
    }

    /// By the monotonic clock.
    static func nanoseconds() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
