package import KSSecrets

/// What stands between a program and the terminal, and passes sequences on only in a wrapping.
///
/// The bare sequence comes first in any case: tmux takes it with `set-clipboard on`, and names
/// itself `screen` in TERM.
package enum TerminalWrapping: Hashable, Sendable {
    case bare
    /// tmux: `ESC P tmux;`, with each ESC doubled; it passes them on with `allow-passthrough on`.
    case tmux
    /// GNU screen: `ESC P`, in pieces, as it drops long strings.
    case screen
}

/// The sequence that hands a text to the terminal's clipboard.
///
/// Source: xterm, "Control Sequences", OSC 52; GNU screen's and tmux' manuals on `ESC P`.
package enum TerminalSequence {
    /// GNU screen keeps at most 768 bytes of a string (`MAXSTR`).
    private static let screenPieceBytes = 512

    /// The sequence for a text, which the caller must write and free at once.
    package static func setting(_ text: SharedSecret, _ wrapping: TerminalWrapping) -> SharedSecret
    {
        let bare = one(text, .bare)
        return wrapping == .bare ? bare : .joining([bare, one(text, wrapping)])
    }

    private static func one(_ text: SharedSecret, _ wrapping: TerminalWrapping) -> SharedSecret {
        text.withBytes { bytes in
            let encodedCount = (bytes.byteCount + 2) / 3 * 4
            // In the worst case each byte of the start and the end is doubled or wrapped.
            let most = encodedCount + (encodedCount / screenPieceBytes + 1) * 4 + 32
            var count = 0
            let whole = SharedSecret(count: most) { (span: inout MutableRawSpan) throws(Never) in
                var output = Output(span: span.byteCount)
                output.write(bytes, wrapping, into: &span)
                count = output.count
            }
            return whole.part(0..<count)
        }
    }

    /// The sequence that overwrites the clipboard with one space.
    ///
    /// An empty text would be the obvious one, but terminals differ in what it means to them.
    package static func overwriting(_ wrapping: TerminalWrapping) -> SharedSecret {
        setting(SharedSecret(bytes: [0x20]), wrapping)
    }

    /// Writes into the span of a secret: no byte of the text goes anywhere else.
    private struct Output {
        private let limit: Int
        private(set) var count = 0
        private var pieceCount = 0

        init(span limit: Int) {
            self.limit = limit
        }

        mutating func write(
            _ text: RawSpan,
            _ wrapping: TerminalWrapping,
            into span: inout MutableRawSpan
        ) {
            switch wrapping {
            case .bare: put("\u{1B}]52;c;", into: &span)
            case .tmux: put("\u{1B}Ptmux;\u{1B}\u{1B}]52;c;", into: &span)
            case .screen: put("\u{1B}P\u{1B}]52;c;", into: &span)
            }
            pieceCount = 0
            for start in stride(from: 0, to: text.byteCount, by: 3) {
                let group = min(3, text.byteCount - start)
                // RFC 4648, section 4.
                let word = (0..<3).reduce(UInt32(0)) { word, index in
                    let byte: UInt8 =
                        unsafe index < group
                        ? text.unsafeLoad(fromByteOffset: start + index, as: UInt8.self) : 0
                    return word << 8 | UInt32(byte)
                }
                for index in 0..<4 {
                    let value = UInt8(word >> UInt32(18 - 6 * index) & 63)
                    put(index <= group ? Self.digit(value) : UInt8(ascii: "="), into: &span)
                }
                pieceCount += 4
                if wrapping == .screen, pieceCount >= screenPieceBytes {
                    put("\u{1B}\\\u{1B}P", into: &span)
                    pieceCount = 0
                }
            }
            put(0x07, into: &span)
            if wrapping != .bare { put("\u{1B}\\", into: &span) }
        }

        private mutating func put(_ text: StaticString, into span: inout MutableRawSpan) {
            for offset in 0..<text.utf8CodeUnitCount {
                put(unsafe text.utf8Start[offset], into: &span)
            }
        }

        private mutating func put(_ byte: UInt8, into span: inout MutableRawSpan) {
            precondition(count < limit)
            span.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
            count += 1
        }

        private static func digit(_ value: UInt8) -> UInt8 {
            switch value {
            case 0..<26: UInt8(ascii: "A") + value
            case 26..<52: UInt8(ascii: "a") + value - 26
            case 52..<62: UInt8(ascii: "0") + value - 52
            case 62: UInt8(ascii: "+")
            default: UInt8(ascii: "/")
            }
        }
    }
}
