internal import Glibc

/// How many files and connections this process may have open.
package enum OpenFiles {
    /// Raises the limit as far as the system allows this user.
    ///
    /// - Returns: the new limit.
    package static func raiseMax() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1024
        }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let isRaised = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_max : before)
    }
}
