internal import Glibc

/// A program on a terminal of its own, of which a test is the keyboard and the screen.
package final class PseudoTerminal {
    package struct NoTerminal: Error {}

    package let processID: Int32
    /// Everything that the program has written, as far as it was read here.
    package private(set) var output: [UInt8] = []
    package var text: String { String(decoding: output, as: UTF8.self) }
    package private(set) var screen: ScreenModel
    /// As `waitpid` reports it; nil while the program runs.
    package private(set) var status: Int32?
    private var keyboard: Int32
    /// Its settings when the program was started.
    private let usual: termios
    /// The program's side, held open so that its settings can be read.
    private let terminal: Int32

    // The macros have types that Swift does not import.
    private static let unlock: UInt = 0x4004_5431  // TIOCSPTLCK
    private static let number: UInt = 0x8004_5430  // TIOCGPTN

    /// Starts the program in a session of its own, whose controlling terminal this is.
    package init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        rows: Int = 24,
        columns: Int = 80
    ) throws {
        screen = ScreenModel(rows: rows, columns: columns)
        keyboard = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (zero, index): (Int32, Int32) = (0, 0)
        guard keyboard >= 0, unsafe ioctl(keyboard, Self.unlock, &zero) == 0,
            unsafe ioctl(keyboard, Self.number, &index) == 0
        else { throw NoTerminal() }
        let path = "/dev/pts/\(index)"
        terminal = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var settings = termios()
        unsafe tcgetattr(terminal, &settings)
        usual = settings
        Self.setSize(keyboard, rows, columns)

        guard
            let child = ChildProcess.start(
                [program] + arguments,
                environment: environment,
                terminalPath: path
            )
        else { throw NoTerminal() }
        processID = child
    }

    deinit {
        if status == nil {
            kill(processID, SIGKILL)
            var ended: Int32 = 0
            unsafe waitpid(processID, &ended, 0)
        }
        if keyboard >= 0 { close(keyboard) }
        close(terminal)
    }

    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(keyboard, bytes, bytes.count)
    }

    package func resize(rows: Int, columns: Int) {
        screen.resize(rows: rows, columns: columns)
        Self.setSize(keyboard, rows, columns)
    }

    package func send(_ signal: Int32) { kill(processID, signal) }

    /// Closes the terminal, as closing its window does.
    package func hangUp() {
        close(keyboard)
        keyboard = -1
    }

    /// Whether the terminal has the settings with which the program was started.
    package var isRestored: Bool {
        var now = termios()
        unsafe tcgetattr(terminal, &now)
        return now.c_lflag == usual.c_lflag && now.c_iflag == usual.c_iflag
            && now.c_oflag == usual.c_oflag
    }

    /// Whether the program is stopped, as by Ctrl-Z.
    package var isStopped: Bool {
        var found: Int32 = 0
        guard status == nil, unsafe waitpid(processID, &found, WNOHANG | WUNTRACED) == processID
        else { return false }
        if found & 0xFF == 0x7F { return true }
        status = found
        return false
    }

    /// Reads the program's output until a condition holds; false if it never does.
    package func waits(
        seconds: Double = 60,
        for isSo: (PseudoTerminal) -> Bool
    ) async -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            readAll()
            if isSo(self) { return true }
            if ContinuousClock.now > end { return false }
            // A cancelled sleep is only a shorter pause.
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    package func waits(seconds: Double = 60, forText text: String) async -> Bool {
        await waits(seconds: seconds) { $0.screen.text.contains(text) }
    }

    /// Waits for the program's end.
    ///
    /// - Returns: its exit code, or the number of the signal that ended it, below zero; nil if it
    ///   does not end.
    package func end() async -> Int32? {
        let hasEnded = await waits { terminal in
            var found: Int32 = 0
            if terminal.status == nil,
                unsafe waitpid(terminal.processID, &found, WNOHANG) == terminal.processID
            {
                terminal.status = found
            }
            return terminal.status != nil
        }
        guard hasEnded, let status else { return nil }
        readAll()
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    private func readAll() {
        guard keyboard >= 0 else { return }
        var part = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe read(keyboard, &part, part.count), count > 0 {
            output += part.prefix(count)
            screen.take(part.prefix(count))
        }
    }

    private static func setSize(_ terminal: Int32, _ rows: Int, _ columns: Int) {
        var size = winsize()
        size.ws_row = UInt16(rows)
        size.ws_col = UInt16(columns)
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }
}
