internal import Glibc
internal import KSMasking

/// One stream of a program's output on its way to ours.
struct OutputChannel {
    private static let readBytesMax = 64 << 10
    /// A pipe with room takes this much without waiting (POSIX, PIPE_BUF).
    private static let writeBytesMax = 4096

    /// What the program's output is read from; closed once it ends.
    let inner: Int32
    let outer: Int32
    private(set) var isOpen = true
    /// Whether no program has the inner end of the terminal open.
    private(set) var isHungUp = false
    private var filter: MaskingFilter
    private var pending: ArraySlice<UInt8> = []

    init(from inner: Int32, to outer: Int32, masking patterns: MaskingPatterns) {
        self.inner = inner
        self.outer = outer
        filter = MaskingFilter(patterns)
        _ = fcntl(inner, F_SETFL, fcntl(inner, F_GETFL) | O_NONBLOCK)
    }

    var mustWrite: Bool { !pending.isEmpty }
    /// A slow reader slows the program down, as without us.
    var canRead: Bool { isOpen && pending.isEmpty && !isHungUp }
    var deadlineMilliseconds: Int? { filter.deadlineMilliseconds }

    /// - Returns: false if there was nothing to read.
    mutating func read(now: Int) -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.readBytesMax)
        let count = unsafe Glibc.read(inner, &bytes, bytes.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return false }
        guard count > 0 else {
            // A terminal that nobody has open now may be opened again, and would be hung up if this
            // process closed it.
            if count < 0, errno == EIO {
                isHungUp = true
                flush()
            } else {
                finish()
            }
            return false
        }
        bytes.removeLast(bytes.count - count)
        pending += filter.take(bytes, now: now)
        return true
    }

    mutating func tryAgain() { isHungUp = false }

    mutating func flush() { pending += filter.flush() }

    /// Reads no more; what was read can still be written.
    mutating func finish() {
        guard isOpen else { return }
        isOpen = false
        close(inner)
        flush()
    }

    /// Writes what the reader takes without waiting.
    ///
    /// If the reader is gone, the program gets to know at its next write, as without us.
    mutating func write() {
        repeat {
            let part = Array(pending.prefix(Self.writeBytesMax))
            let count = unsafe Glibc.write(outer, part, part.count)
            if count < 0 {
                if errno == EAGAIN || errno == EINTR { return }
                finish()
                pending = []
                return
            }
            pending.removeFirst(count)
        } while !pending.isEmpty && isWritable
    }

    private var isWritable: Bool {
        var event = pollfd(fd: outer, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&event, 1, 0) == 1
    }
}
