import Glibc

/// How many times as long work takes when there is `factor` times as much of it.
///
/// It measures the time of this thread on a processor, so that a busy machine changes little, and
/// takes the shortest of three tries. For work in proportion to its size the result is about
/// `factor`, and for all pairs of its parts `factor` squared.
package func growth(of factor: Int, from size: Int, _ work: (Int) -> Void) -> Double {
    func seconds(_ size: Int) -> Double {
        (0..<3).map { _ in
            let start = threadSeconds()
            work(size)
            return threadSeconds() - start
        }.min() ?? 0
    }
    return seconds(size * factor) / max(seconds(size), 1e-6)
}

private func threadSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
