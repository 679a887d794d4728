internal import Glibc

/// A pseudo-terminal: a program writes to its inner end, and this process reads the outer one.
package struct PseudoTerminal {
    // TIOCSPTLCK and TIOCGPTPEER, which Swift does not import.
    private static let setLock: UInt = 0x4004_5431
    private static let openInnerEnd: UInt = 0x5441

    package let outer: Int32
    package let inner: Int32

    /// Opens one with the settings and the size of a real terminal.
    ///
    /// - Parameters:
    ///   - terminal: the real terminal.
    ///   - isForOutputOnly: whether the real terminal, which adds carriage returns to line feeds,
    ///     stays the program's terminal for everything else.
    package init?(like terminal: Int32, isForOutputOnly: Bool) {
        let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
        outer = unsafe open("/dev/ptmx", flags)
        guard outer >= 0 else { return nil }
        // A path of the inner end may lead elsewhere in a container.
        var isLocked: Int32 = 0
        let isUnlocked = unsafe ioctl(outer, Self.setLock, &isLocked) == 0
        inner = isUnlocked ? ioctl(outer, Self.openInnerEnd, flags) : -1
        guard inner >= 0 else {
            close(outer)
            return nil
        }
        var settings = termios()
        if unsafe tcgetattr(terminal, &settings) == 0 {
            if isForOutputOnly { settings.c_oflag &= ~tcflag_t(OPOST) }
            unsafe tcsetattr(inner, TCSANOW, &settings)
        }
        Self.copySize(from: terminal, to: outer)
    }

    /// The kernel sends SIGWINCH to the programs in the foreground of `other`.
    static func copySize(from terminal: Int32, to other: Int32) {
        var size = winsize()
        guard unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 else { return }
        _ = unsafe ioctl(other, UInt(TIOCSWINSZ), &size)
    }
}

/// The real terminal, while a program has a pseudo-terminal in its place.
///
/// Keys pass through it unchanged, so that the pseudo-terminal gives them their meaning.
struct RealTerminal {
    let descriptor: Int32
    private var usual = termios()
    private(set) var isRaw = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        unsafe tcgetattr(descriptor, &usual)
    }

    /// Whether this process may read from the terminal and set it.
    var isOurs: Bool {
        let group = tcgetpgrp(descriptor)
        // A terminal that does not control this process belongs to everybody.
        return group == getpgrp() || group < 0 && errno == ENOTTY
    }

    /// The signals that these keys usually send.
    func signals(of keys: ArraySlice<UInt8>) -> [Int32] {
        // VINTR and VQUIT; a key that is off is 0.
        let signals = [(usual.c_cc.0, SIGINT), (usual.c_cc.1, SIGQUIT)]
        return signals.filter { $0.0 != 0 && keys.contains($0.0) }.map(\.1)
    }

    mutating func makeRaw() {
        guard !isRaw, isOurs else { return }
        var raw = usual
        unsafe cfmakeraw(&raw)
        isRaw = unsafe tcsetattr(descriptor, TCSADRAIN, &raw) == 0
    }

    mutating func restore() {
        guard isRaw else { return }
        isRaw = false
        guard isOurs else { return }
        unsafe tcsetattr(descriptor, TCSADRAIN, &usual)
    }
}
