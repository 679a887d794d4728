/// Texts without what search ignores: case, marks on letters, and the width of forms.
///
/// The texts are UTF-8 in one array. ASCII, which most texts are, is folded byte by byte; other
/// letters by Unicode's lower-case mapping and a table (``Foldings``).
struct FoldedText: Sendable {
    private(set) var bytes: [UInt8] = []
    /// For each byte whether a word starts at it; also in the middle, as of `GitHub`.
    private(set) var starts: [Bool] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Appends a text, and gives its place in ``bytes``.
    mutating func append(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        starts.append(contentsOf: repeatElement(false, count: bytes.count - start))
        let isASCII = Self.fold(&bytes, &starts, from: start)
        if !isASCII {
            bytes.removeLast(bytes.count - start)
            starts.removeLast(starts.count - start)
            appendUnicode(text)
        }
        return start..<bytes.count
    }

    /// Appends a part of other texts, which are folded already, and gives its place.
    mutating func append(_ other: FoldedText, _ range: Range<Int>) -> Range<Int> {
        let start = bytes.count
        bytes += other.bytes[range]
        starts += other.starts[range]
        return start..<bytes.count
    }

    /// Folds ASCII in place; false where there is something else.
    private static func fold(
        _ bytes: inout [UInt8],
        _ starts: inout [Bool],
        from start: Int
    ) -> Bool {
        var bytes = bytes.mutableSpan
        var starts = starts.mutableSpan
        var previous = Kind.other
        for index in start..<bytes.count {
            let byte = bytes[index]
            guard byte < 0x80 else { return false }
            let kind = Kind(ascii: byte)
            if kind == .upper { bytes[index] = byte | 0x20 }
            starts[index] = kind.startsWord(after: previous)
            previous = kind
        }
        return true
    }

    private mutating func appendUnicode(_ text: String) {
        var previous = Kind.other
        for scalar in text.unicodeScalars {
            let kind = Kind(scalar)
            guard kind != .mark else { continue }
            let first = bytes.count
            let lowered = scalar.properties.lowercaseMapping.unicodeScalars
            for lower in lowered where Kind(lower) != .mark {
                Self.fold(lower) { bytes.append($0) }
            }
            for index in first..<bytes.count {
                starts.append(index == first && kind.startsWord(after: previous))
            }
            previous = kind
        }
    }

    /// The folded form of a text of its own.
    static func bytes(of text: String) -> [UInt8] {
        var folded = FoldedText()
        _ = folded.append(text)
        return folded.bytes
    }

    private static func fold(_ lower: Unicode.Scalar, _ append: (UInt8) -> Void) {
        switch lower.value {
        // The wide forms of ASCII, and the ideographic space.
        case 0xFF01...0xFF5E: append(UInt8(lower.value - 0xFEE0))
        case 0x3000: append(0x20)
        default:
            if let base = table[lower] {
                base.forEach(append)
            } else {
                String(lower).utf8.forEach(append)
            }
        }
    }

    private static let table: [Unicode.Scalar: [UInt8]] = {
        var table: [Unicode.Scalar: [UInt8]] = [:]
        for group in Foldings.text.split(whereSeparator: \.isWhitespace) {
            let scalars = group.unicodeScalars
            let equals = scalars.firstIndex(of: "=")
            let base = scalars.prefix(upTo: equals ?? scalars.index(after: scalars.startIndex))
            for form in scalars[base.endIndex...] where form != "=" {
                table[form] = Array(Substring(base).utf8)
            }
        }
        return table
    }()
}

/// What a character is to the boundaries of words.
private enum Kind {
    case upper, lower, digit, other, mark

    init(ascii byte: UInt8) {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .upper
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lower
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
        default: self = .other
        }
    }

    init(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            self.init(ascii: UInt8(scalar.value))
            return
        }
        let properties = scalar.properties
        // The class 9 joins consonants; what is ignorable is not seen at all.
        let isMark = ![.notReordered, .virama].contains(properties.canonicalCombiningClass)
        let isNarrowMark = (0xFF9E...0xFF9F).contains(scalar.value)
        if isMark || isNarrowMark || properties.isDefaultIgnorableCodePoint {
            self = .mark
            return
        }
        switch properties.generalCategory {
        case .uppercaseLetter, .titlecaseLetter: self = .upper
        case .decimalNumber, .letterNumber, .otherNumber: self = .digit
        default: self = properties.isAlphabetic ? .lower : .other
        }
    }

    func startsWord(after previous: Kind) -> Bool {
        switch self {
        case .other, .mark: false
        case .upper: previous != .upper
        case .lower, .digit: previous == .other
        }
    }
}
