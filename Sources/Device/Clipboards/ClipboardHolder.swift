internal import Glibc
internal import KSAgent
internal import KSCLinux
internal import KSSecrets

/// The main function of the detached process that keeps the clipboard for a while.
///
/// It is the selection's owner itself, so its end, however it comes, takes the text away.
package enum ClipboardHolder {
    /// The file of the terminal, if the job says that there is one.
    static let terminalDescriptor: Int32 = 3
    /// The answer to the starter is one byte: the way, or this.
    static let refusal: UInt8 = 0

    /// Takes a job from standard input, answers on standard output, and returns when the clipboard
    /// is somebody else's or the time is over.
    ///
    /// - Returns: the exit code.
    package static func run(environment: [String: String]) -> Int32 {
        ProcessProtection.forbidMemoryReading()
        signal(SIGPIPE, SIG_IGN)
        guard let job = ClipboardJob.read(STDIN_FILENO) else { return EXIT_FAILURE }
        guard let (held, way) = take(job.text, job.hasTerminal, environment) else {
            answer(refusal)
            return EXIT_FAILURE
        }
        let latest =
            held.tellsChanges
            ? nil
            : LatestCopy(
                terminal: terminalDescriptor,
                privateFolder: environment["XDG_RUNTIME_DIR"]
            )
        answer(way.kind.rawValue)
        // The starter and its pipes may wait for the end of this output.
        close(STDIN_FILENO)
        close(STDOUT_FILENO)
        guard keep(held, seconds: job.seconds), latest?.isLatest ?? true else {
            return EXIT_SUCCESS
        }
        held.clear()
        latest?.remove()
        return EXIT_SUCCESS
    }

    private static func answer(_ byte: UInt8) {
        var byte = byte
        _ = unsafe write(STDOUT_FILENO, &byte, 1)
    }

    /// Tries the ways in their order.
    private static func take(
        _ text: SharedSecret,
        _ hasTerminal: Bool,
        _ environment: [String: String]
    ) -> (any HeldClipboard, ClipboardWay)? {
        do {
            let ways = try ClipboardWay.choose(
                environment: environment,
                hasTerminal: hasTerminal,
                find: { ProgramSearch.onPath($0, path: environment["PATH"]) }
            )
            for way in ways {
                // Whatever a display's reason is, the next way is tried.
                if let held = try? open(way, text) { return (held, way) }
            }
        } catch {
            // The starter has checked that there is one.
        }
        return nil
    }

    private static func open(
        _ way: ClipboardWay,
        _ text: SharedSecret
    ) throws -> any HeldClipboard {
        switch way {
        case .wayland(let socket):
            try WaylandClipboard(path: socket, text: text)
        case .x11(let display, let authority):
            try X11Clipboard(display, authority: authority, text: text)
        case .tmux(let program):
            try TmuxClipboard(program: program, text: text)
        case .terminal(let wrapping):
            try TerminalClipboard(terminal: terminalDescriptor, wrapping: wrapping, text: text)
        }
    }

    /// Serves the clipboard until the time is over; false if it is somebody else's before.
    ///
    /// The time goes on while the machine sleeps, so that the text is gone when it wakes up.
    private static func keep(_ held: any HeldClipboard, seconds: UInt32) -> Bool {
        let timer = keychain_boot_timer()
        defer { close(timer) }
        guard timer >= 0, keychain_set_timer(timer, max(1, Int64(seconds) * 1000)) == 0 else {
            return true
        }
        while true {
            var waits = [
                pollfd(fd: timer, events: Int16(POLLIN), revents: 0),
                pollfd(fd: held.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&waits, nfds_t(waits.count), -1)
            guard count > 0 || errno == EINTR, waits[0].revents == 0 else { return true }
            guard held.serve() else { return false }
        }
    }
}
