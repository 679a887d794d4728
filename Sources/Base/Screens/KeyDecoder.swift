/// Makes keys of the bytes that a terminal sends.
///
/// Esc alone and the start of a sequence are the same byte: time decides. It is a parameter, in
/// milliseconds of any clock that only goes forward.
///
/// Source: xterm, "Control Sequences", "PC-Style Function Keys" and "Bracketed Paste Mode"; ECMA-48
/// for the form of sequences.
package struct KeyDecoder: Sendable {
    private let escapeMilliseconds: Int64
    private let pasteBytesMax: Int
    private var pending: [UInt8] = []
    private var pasted: [UInt8]?
    private var pastedByteCount = 0
    private var lastMilliseconds: Int64 = 0

    private static let escape: UInt8 = 0x1B
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    /// No key sends a longer sequence.
    private static let sequenceBytesMax = 32

    /// - Parameters:
    ///   - escapeMilliseconds: how long an Esc waits for the rest of a sequence; over a slow
    ///     connection a sequence can come in two pieces.
    ///   - pasteBytesMax: the size of the largest pasted text.
    package init(escapeMilliseconds: Int64 = 50, pasteBytesMax: Int = 1 << 16) {
        self.escapeMilliseconds = escapeMilliseconds
        self.pasteBytesMax = pasteBytesMax
    }

    /// When ``timeOut(atMilliseconds:)`` has to be called; nil if nothing waits.
    package var deadlineMilliseconds: Int64? {
        pasted == nil && !pending.isEmpty ? lastMilliseconds + escapeMilliseconds : nil
    }

    package mutating func take(
        _ bytes: some Sequence<UInt8>,
        atMilliseconds now: Int64
    ) -> [Keystroke] {
        var keys = timeOut(atMilliseconds: now)
        pending += bytes
        lastMilliseconds = now
        while let (used, key) = pasted == nil ? step(isOver: false) : pasteStep() {
            pending.removeFirst(used)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// Takes the bytes that wait for others as they are, if their time is over.
    package mutating func timeOut(atMilliseconds now: Int64) -> [Keystroke] {
        guard let deadline = deadlineMilliseconds, now >= deadline else { return [] }
        var keys: [Keystroke] = []
        while !pending.isEmpty, let (used, key) = step(isOver: true) {
            pending.removeFirst(used)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// The first key, and how many bytes it takes; nil if it is not complete.
    private mutating func step(isOver: Bool) -> (Int, Keystroke?)? {
        guard let first = pending.first else { return nil }
        switch first {
        case Self.escape: return sequence(isOver: isOver)
        case 0x0D, 0x0A: return (1, .enter)
        case 0x09: return (1, .tab)
        case 0x7F, 0x08: return (1, .backspace)
        case 0x00: return (1, .control(" "))
        case ..<0x1B: return (1, .control(Character(Unicode.Scalar(first + 0x60))))
        case ..<0x20: return (1, .control(Character(Unicode.Scalar(first + 0x40))))
        default: break
        }
        guard let (count, character) = character(at: 0, isOver: isOver) else { return nil }
        return (count, character.map(Keystroke.character))
    }

    /// One scalar; a character of several arrives as several keys, and joins again as text.
    private func character(at start: Int, isOver: Bool) -> (Int, Character?)? {
        let count =
            switch pending[start] {
            case ..<0x80: 1
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 0
            }
        // A byte that begins no character is dropped.
        guard count > 0 else { return (1, nil) }
        let bytes = pending[start...].prefix(count)
        let continuing = bytes.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count
        guard continuing + 1 == count else {
            let isCut = bytes.count < count && continuing + 1 == bytes.count
            return isCut && !isOver ? nil : (1 + continuing, nil)
        }
        return (count, String(validating: bytes, as: UTF8.self)?.first)
    }

    private mutating func sequence(isOver: Bool) -> (Int, Keystroke?)? {
        guard pending.count > 1 else { return isOver ? (1, .escape) : nil }
        switch pending[1] {
        case UInt8(ascii: "["): return controlSequence(isOver: isOver)
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return isOver ? (2, .alternate("O")) : nil }
            return (3, Self.finalKey(pending[2]))
        case Self.escape: return (1, .escape)
        case ..<0x20, 0x7F: return (1, .escape)
        default:
            guard let (count, character) = character(at: 1, isOver: isOver) else { return nil }
            return (1 + count, character.map(Keystroke.alternate))
        }
    }

    /// `ESC [`, parameters, and a final byte.
    private mutating func controlSequence(isOver: Bool) -> (Int, Keystroke?)? {
        let body = pending.dropFirst(2)
        guard let end = body.firstIndex(where: { !(0x20..<0x40).contains($0) }) else {
            if pending.count > Self.sequenceBytesMax { return (pending.count, nil) }
            guard isOver else { return nil }
            return pending.count == 2 ? (2, .alternate("[")) : (pending.count, nil)
        }
        let parameters = body[..<end]
        // A control character breaks a sequence off.
        guard (0x40...0x7E).contains(pending[end]) else { return (end, nil) }
        let count = end + 1
        guard pending[end] == UInt8(ascii: "~") else { return (count, Self.finalKey(pending[end])) }
        let number = parameters.prefix { $0 != UInt8(ascii: ";") }
        switch String(decoding: number, as: UTF8.self) {
        case "1", "7": return (count, .home)
        case "2": return (count, .insert)
        case "3": return (count, .delete)
        case "4", "8": return (count, .end)
        case "5": return (count, .pageUp)
        case "6": return (count, .pageDown)
        case "200":
            (pasted, pastedByteCount) = ([], 0)
            return (count, nil)
        default: return (count, nil)
        }
    }

    private static func finalKey(_ byte: UInt8) -> Keystroke? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "Z"): .backTab
        default: nil
        }
    }

    /// Takes pasted bytes up to the end of the paste, or all but those that may begin it.
    private mutating func pasteStep() -> (Int, Keystroke?)? {
        if let end = pending.firstRange(of: Self.pasteEnd) {
            keep(pending[..<end.lowerBound])
            let bytes = pasted ?? []
            let isWhole = bytes.count == pastedByteCount
            pasted = nil
            let text = String(decoding: bytes, as: UTF8.self)
            let key = isWhole ? Keystroke.paste(text) : .pasteTooLong
            return (end.upperBound, key)
        }
        let count = pending.lastIndex(of: Self.escape) ?? pending.count
        guard count > 0 else {
            // Not the end after all, though it begins like it.
            guard pending.count >= Self.pasteEnd.count else { return nil }
            keep(pending[..<1])
            return (1, nil)
        }
        keep(pending[..<count])
        return (count, nil)
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        pastedByteCount += bytes.count
        if pastedByteCount <= pasteBytesMax { pasted? += bytes }
    }
}
