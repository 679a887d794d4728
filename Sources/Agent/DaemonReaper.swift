internal import KSCLinux
internal import Glibc

/// Takes the end of the daemons that this program has started.
///
/// A daemon is a child of whoever started it, and a child that has ended stays in the process table
/// until its parent takes its end. The parent here may be any program that uses the library: one
/// that lives for weeks would collect them, and one that waits for any of its children, as
/// swift-testing does for its exit tests, would find ours again and again.
enum DaemonReaper {
    /// The stack of a thread that only waits.
    private static let stackBytes = 256 * 1024

    /// Has the end of a child taken whenever it comes, on a thread of its own, which takes no
    /// signals of the program.
    static func takeEnd(of child: pid_t) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)

        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        // Where no thread can be had, the end is taken when this program ends.
        _ = unsafe pthread_create(
            &thread,
            &attributes,
            { argument in
                let child = pid_t(Int(bitPattern: argument))
                var status: Int32 = 0
                while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
                return nil
            },
            UnsafeMutableRawPointer(bitPattern: Int(child))
        )
    }
}
