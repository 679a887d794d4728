internal import Glibc

/// The ends of pipes and pseudo-terminals that stand for this process's standard streams.
struct Outlets {
    struct Outlet {
        /// Standard output or error of this process.
        let stream: Int32
        /// Where this process reads; -1 if the program has the stream itself.
        let outer: Int32
        /// Where the program writes.
        let inner: Int32
        let isTerminal: Bool
    }

    let output: Outlet
    /// The same as ``output`` if both streams lead to the same place: their order stays.
    let errors: Outlet
    /// The terminal whose keys the program gets, if its output is a terminal; -1 without one.
    ///
    /// In a pipeline it is not standard input. A pager there asks the terminal of its output for
    /// keys.
    let keys: Int32
    private let isShared: Bool

    init() {
        var keys: Int32 = -1
        if isatty(STDOUT_FILENO) == 1 {
            let isInput = isatty(STDIN_FILENO) == 1
            keys = unsafe isInput ? STDIN_FILENO : Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC)
        }
        output = Self.open(STDOUT_FILENO, isForOutputOnly: keys < 0)
        self.keys = output.isTerminal ? keys : -1
        isShared = Self.place(STDOUT_FILENO) == Self.place(STDERR_FILENO)
        errors = isShared ? output : Self.open(STDERR_FILENO, isForOutputOnly: true)
    }

    /// Each once.
    var all: [Outlet] { isShared ? [output] : [output, errors] }

    var isSession: Bool { keys >= 0 }
    /// What the program has as standard input in a session of its own.
    var input: Int32 { keys == STDIN_FILENO ? output.inner : STDIN_FILENO }

    private static func place(_ stream: Int32) -> [UInt64] {
        var status = stat()
        guard unsafe fstat(stream, &status) == 0 else { return [UInt64(stream)] }
        return [UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_rdev)]
    }

    private static func open(_ stream: Int32, isForOutputOnly: Bool) -> Outlet {
        if isatty(stream) == 1,
            let terminal = PseudoTerminal(like: stream, isForOutputOnly: isForOutputOnly)
        {
            return Outlet(
                stream: stream,
                outer: terminal.outer,
                inner: terminal.inner,
                isTerminal: true
            )
        }
        guard let pipe = Pipe() else {
            return Outlet(stream: stream, outer: -1, inner: -1, isTerminal: false)
        }
        return Outlet(stream: stream, outer: pipe.reading, inner: pipe.writing, isTerminal: false)
    }

    func closeInnerEnds() {
        for outlet in all where outlet.inner >= 0 { close(outlet.inner) }
    }

    func closeOuterEnds() {
        for outlet in all where outlet.outer >= 0 { close(outlet.outer) }
    }
}
