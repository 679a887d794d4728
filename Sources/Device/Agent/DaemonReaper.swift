internal import KSCLinux
internal import Glibc

/// Reaps the daemons that this program has started.
///
/// A daemon is a child of the program that started it, and an ended child stays in the process
/// table until its parent waits for it. The parent may be any program that uses the library: one
/// that runs for weeks would collect such children, and one that waits for any of its children, as
/// swift-testing does for its exit tests, would find them again and again.
enum DaemonReaper {
    /// The stack of a thread that only waits.
    private static let stackBytes = 256 * 1024

    /// Reaps a child whenever it ends, on a thread of its own that takes no signals of the
    /// program.
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
        // If no thread can be made, the child is reaped when this program ends.
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
