/// Why a program cannot use the whole screen.
package enum ScreenError: Error, Hashable, Sendable {
    /// The process has no terminal.
    case noTerminal
    /// TERM is missing or names a terminal whose cursor cannot be moved.
    case dumbTerminal

    /// One sentence that says what is wrong and what to do.
    package var sentence: String {
        switch self {
        case .noTerminal: "This needs a terminal: run it in one, without a pipe or a job around it."
        case .dumbTerminal:
            "This needs a terminal with a cursor: set TERM to the kind of yours, as xterm-256color."
        }
    }
}

/// What the variables of a process say about its terminal.
package struct TerminalFeatures: Hashable, Sendable {
    /// Whether the cursor can be moved.
    package let hasCursor: Bool
    /// Whether colours are there and wanted: NO_COLOR, if not empty, forbids them
    /// (<https://no-color.org>).
    package let hasColors: Bool

    package init(environment: [String: String]) {
        let kind = environment["TERM"] ?? ""
        hasCursor = !["", "dumb", "unknown"].contains(kind)
        let isMonochrome = kind.hasPrefix("vt") || kind.hasSuffix("-m") || kind.hasSuffix("-mono")
        hasColors = hasCursor && !isMonochrome && (environment["NO_COLOR"] ?? "").isEmpty
    }
}
