internal import Glibc

/// Waits awake for what comes soon, before somebody goes to sleep for it.
///
/// To put a thread to sleep and wake it up again costs several times what a look-up takes, most of
/// all on virtual machines. Who stays awake for as long as that would have cost loses at most the
/// same again (Karlin et al., Competitive Randomized Algorithms for Nonuniform Problems, 1990).
package enum ShortWait {
    /// About what it costs to sleep and to be woken up.
    package static let nanosecondsMax = 100_000
    /// With one processor the other end could do nothing meanwhile.
    private static let processorCount = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    /// Asks until there is an answer or the time is up; each time others may run first.
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

    private static func nanoseconds() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
