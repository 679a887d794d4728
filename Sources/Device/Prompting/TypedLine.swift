internal import Glibc

/// The line that a user types at a prompt, edited as a terminal in canonical mode edits it.
///
/// The terminal itself would cut it: it keeps ``terminalBytesMax`` bytes of a line and silently
/// drops the others.
package struct TypedLine {
    package enum Step: Hashable {
        case more
        /// The line, without its line break.
        case line([UInt8])
        /// The user has ended the input.
        case ended
        /// The line has ended, and has more than ``bytesMax`` bytes.
        case tooLong
    }

    /// No secret is longer.
    package static let bytesMax = 1 << 20
    /// The bytes of a line that Linux keeps in canonical mode, without the line break (n_tty.c).
    package static let terminalBytesMax = 4095

    /// The terminal's characters that edit a line; nil for one that is switched off.
    package struct Keys {
        package var erase: UInt8?
        package var eraseWord: UInt8?
        package var eraseLine: UInt8?
        package var end: UInt8?
        /// The next character is taken literally.
        package var literal: UInt8?
        package var reprint: UInt8?

        package init() {}

        init(_ terminal: termios) {
            let characters = terminal.characters
            let key = { (index: Int32) in characters[Int(index)] == 0 ? nil : characters[Int(index)]
            }
            erase = key(VERASE)
            eraseLine = key(VKILL)
            end = key(VEOF)
            guard terminal.c_lflag & tcflag_t(IEXTEN) != 0 else { return }
            eraseWord = key(VWERASE)
            literal = key(VLNEXT)
            reprint = key(VREPRINT)
        }
    }

    /// Whether a line from a terminal in canonical mode, without its line break, may have lost
    /// bytes.
    package static func mayBeCut(_ line: some Collection<UInt8>) -> Bool {
        line.count >= terminalBytesMax
    }

    private let keys: Keys
    /// What is typed so far.
    private(set) var bytes: [UInt8] = []
    private var isTooLong = false
    private var isLiteral = false
    private var wasEndTyped = false

    package init(_ keys: Keys) {
        self.keys = keys
    }

    package mutating func take(_ byte: UInt8) -> Step {
        if byte == UInt8(ascii: "\n") { return isTooLong ? .tooLong : .line(bytes) }
        guard !isLiteral else {
            isLiteral = false
            append(byte)
            return .more
        }
        // As in canonical mode, the first end character only passes on what is typed so far.
        let isSecondEnd = wasEndTyped
        wasEndTyped = byte == keys.end
        switch byte {
        case keys.end: return bytes.isEmpty || isSecondEnd ? .ended : .more
        case keys.literal: isLiteral = true
        case keys.erase: eraseCharacter()
        case keys.eraseWord: eraseWord()
        case keys.eraseLine:
            bytes = []
            isTooLong = false
        case keys.reprint: break
        default: append(byte)
        }
        return .more
    }

    private mutating func append(_ byte: UInt8) {
        guard bytes.count < Self.bytesMax else { return isTooLong = true }
        bytes.append(byte)
    }

    /// Removes the last character, or one byte if the text is not UTF-8.
    private mutating func eraseCharacter() {
        let last = bytes.suffix(4)
        let start = last.lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.endIndex - 1
        guard start >= 0 else { return }
        let character = bytes[start...]
        let isWhole = String(validating: character, as: UTF8.self)?.unicodeScalars.count == 1
        bytes.removeLast(isWhole ? character.count : 1)
    }

    private mutating func eraseWord() {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        while let byte = bytes.last, isBlank(byte) { bytes.removeLast() }
        while let byte = bytes.last, !isBlank(byte) { bytes.removeLast() }
    }
}

extension termios {
    fileprivate var characters: [UInt8] {
        unsafe withUnsafeBytes(of: c_cc) { unsafe Array($0) }
    }

    /// The settings without echo and canonical mode, so that each byte is read as it is typed.
    ///
    /// Ctrl-C and the other signal characters still interrupt and stop the program.
    func readingSilently() -> termios {
        var silent = self
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
        unsafe withUnsafeMutableBytes(of: &silent.c_cc) { characters in
            unsafe characters[Int(VMIN)] = 1
            unsafe characters[Int(VTIME)] = 0
        }
        return silent
    }
}
