internal import Glibc
internal import Foundation
internal import Synchronization

/// What this process takes of the machine, from `/proc`.
struct ProcessFigures: Sendable {
    let startSeconds: Double
    let residentBytes: UInt64
    let openFiles: Int
    let openFilesMax: Int
    /// Since the figures before.
    let newCPUSeconds: Double

    /// Reads the figures, one after the other.
    final class Reader: Sendable {
        private let startSeconds = Date().timeIntervalSince1970
        private let lastCPUSeconds = Mutex(0.0)

        func read() -> ProcessFigures {
            var usage = rusage()
            let isUsageKnown = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0
            let cpuSeconds = isUsageKnown ? usage.ru_utime.seconds + usage.ru_stime.seconds : 0
            let new = lastCPUSeconds.withLock { last in
                defer { last = max(last, cpuSeconds) }
                return max(0, cpuSeconds - last)
            }
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return ProcessFigures(
                startSeconds: startSeconds,
                residentBytes: Self.residentBytes,
                openFiles: Self.openFiles,
                openFilesMax: Int(clamping: limit.rlim_cur),
                newCPUSeconds: new
            )
        }

        private static var residentBytes: UInt64 {
            // Without /proc there is no figure.
            let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            let pages = text?.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } ?? 0
            return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        }

        private static var openFiles: Int {
            // Without /proc there is no figure.
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
