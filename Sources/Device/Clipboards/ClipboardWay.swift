/// A way to put a text on the clipboard.
package enum ClipboardWay: Hashable, Sendable {
    /// A compositor of Wayland that lets programs without a window set the clipboard.
    case wayland(socket: String)
    /// An X server; nil as the authority means that there is no such file.
    case x11(X11Display, authority: String?)
    /// tmux passes the text to the terminals that show it.
    case tmux(program: String)
    /// The terminal itself, by OSC 52.
    case terminal(TerminalWrapping)

    /// The names of the ways for people, and for the answer of the process that holds the text.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case wayland = 1
        case x11
        case tmux
        case terminal

        package var name: String {
            switch self {
            case .wayland: "wayland"
            case .x11: "x11"
            case .tmux: "tmux"
            case .terminal: "osc52"
            }
        }
    }

    package var kind: Kind {
        switch self {
        case .wayland: .wayland
        case .x11: .x11
        case .tmux: .tmux
        case .terminal: .terminal
        }
    }

    /// The ways to try, the best first.
    ///
    /// `wl-copy` is not among them: version 2.1 writes the text to a file in `/tmp`, which stays
    /// there if the program is ended, and cannot offer the hint for clipboard managers. Compositors
    /// without a data control protocol, such as GNOME's, also serve X11.
    ///
    /// A display of this machine is out of the user's sight over ssh, so the terminal comes first
    /// there, unless ssh forwards a display (`DISPLAY=localhost:10.0`).
    ///
    /// `hasTerminal` is whether the process has a controlling terminal; `find` gives the path of a
    /// program, or nil if it is not installed, and is asked for `tmux` only.
    package static func choose(
        environment: [String: String],
        hasTerminal: Bool,
        find: (String) -> String?
    ) throws(ClipboardError) -> [ClipboardWay] {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let isOverSSH = ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains { value($0) != nil }
        var local: [ClipboardWay] = []
        var forwarded: [ClipboardWay] = []
        let waylandSocket = value("WAYLAND_DISPLAY").flatMap { name in
            name.hasPrefix("/") ? name : value("XDG_RUNTIME_DIR").map { $0 + "/" + name }
        }
        if let waylandSocket { local.append(.wayland(socket: waylandSocket)) }
        if let display = value("DISPLAY").flatMap(X11Display.init) {
            let authority = value("XAUTHORITY") ?? value("HOME").map { $0 + "/.Xauthority" }
            let way = ClipboardWay.x11(display, authority: authority)
            if display.host == nil { local.append(way) } else { forwarded.append(way) }
        }
        let terminal = hasTerminal ? terminals(value, find) : []
        let ways = isOverSSH ? forwarded + terminal + local : local + forwarded + terminal
        guard !ways.isEmpty else { throw .noClipboard }
        return ways
    }

    /// tmux is asked directly where that is possible: it takes an OSC 52 from a program only with
    /// `set-clipboard on`, and then keeps the secret in a paste buffer.
    private static func terminals(
        _ value: (String) -> String?,
        _ find: (String) -> String?
    ) -> [ClipboardWay] {
        // Somebody has said that what shows this text does nothing else, also within tmux.
        guard value("TERM") != "dumb" else { return [] }
        if value("TMUX") != nil {
            return (find("tmux").map { [.tmux(program: $0)] } ?? []) + [.terminal(.tmux)]
        }
        // The console of Linux would show the sequence or drop it.
        guard let kind = value("TERM"), kind != "linux" else { return [] }
        // Over ssh only TERM tells what is around the terminal.
        if kind.hasPrefix("tmux") { return [.terminal(.tmux)] }
        let isScreen = value("STY") != nil || kind.hasPrefix("screen")
        return [.terminal(isScreen ? .screen : .bare)]
    }
}
