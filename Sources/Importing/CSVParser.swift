/// One row of a table of comma-separated values.
package struct CSVRow: Hashable, Sendable {
    /// Counted as a spreadsheet counts: the header is row 1.
    package let number: Int
    /// The line of the file in which the row begins, from 1.
    ///
    /// It is ahead of ``number`` after a field with line breaks in it.
    package let line: Int
    package let fields: [[UInt8]]

    package init(number: Int, line: Int, fields: [[UInt8]]) {
        self.number = number
        self.line = line
        self.fields = fields
    }
}

/// Why a row cannot be told from its neighbours.
package enum CSVFault: Hashable, Sendable {
    /// A field begins with a quote that nothing closes.
    case unterminatedQuote
    /// Something other than a comma or a line break follows a closing quote.
    case textAfterQuote
}

/// What stands next in the table.
package enum CSVRecord: Hashable, Sendable {
    case row(CSVRow)
    case broken(number: Int, line: Int, fault: CSVFault)
}

/// Reads comma-separated values (RFC 4180) row by row, and goes on behind a broken row.
///
/// Wider than the RFC where that costs nothing: a byte order mark, lone line feeds or carriage
/// returns as line ends, empty lines, and quotes in the middle of a field that did not begin with
/// one. A broken row ends with the line it begins in, because that is the one place where the next
/// row can be looked for without guessing. A quote that swallowed several lines makes those lines
/// readable again that way; and since a quote inside them pairs differently from then on, no byte
/// is read more than a few times.
package struct CSVParser: Sendable {
    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let bytes: [UInt8]
    private var position: Int
    private var line = 1
    private var number = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    }

    /// The next row that is not an empty line, or nil at the end.
    package mutating func next() -> CSVRecord? {
        while position < bytes.count {
            number += 1
            guard !isAtLineEnd else {
                skipLineEnd()
                continue
            }
            return record()
        }
        return nil
    }

    private mutating func record() -> CSVRecord {
        let start = (position: position, line: line)
        var fields: [[UInt8]] = []
        while true {
            switch field() {
            case .success(let field):
                fields.append(field)
            case .failure(let fault):
                (position, line) = start
                skipLine()
                return .broken(number: number, line: start.line, fault: fault)
            }
            guard position < bytes.count, bytes[position] == Self.comma else { break }
            position += 1
        }
        skipLineEnd()
        return .row(CSVRow(number: number, line: start.line, fields: fields))
    }

    private enum Field {
        case success([UInt8])
        case failure(CSVFault)
    }

    /// Reads a field up to, not over, the comma or line end that follows it.
    private mutating func field() -> Field {
        guard position < bytes.count, bytes[position] == Self.quote else {
            let start = position
            while !isAtLineEnd, position < bytes.count, bytes[position] != Self.comma {
                position += 1
            }
            return .success(Array(bytes[start..<position]))
        }
        position += 1
        var value: [UInt8] = []
        while let end = bytes[position...].firstIndex(of: Self.quote) {
            value += bytes[position..<end]
            position = end + 1
            if position < bytes.count, bytes[position] == Self.quote {
                value.append(Self.quote)
                position += 1
                continue
            }
            guard position == bytes.count || bytes[position] == Self.comma || isAtLineEnd else {
                return .failure(.textAfterQuote)
            }
            line += lineEndCount(in: value)
            return .success(value)
        }
        return .failure(.unterminatedQuote)
    }

    private var isAtLineEnd: Bool {
        position < bytes.count
            && (bytes[position] == Self.lineFeed || bytes[position] == Self.carriageReturn)
    }

    /// Steps over one line end, if there is one: LF, CR LF or CR.
    private mutating func skipLineEnd() {
        guard isAtLineEnd else { return }
        let isReturn = bytes[position] == Self.carriageReturn
        position += 1
        if isReturn, position < bytes.count, bytes[position] == Self.lineFeed { position += 1 }
        line += 1
    }

    private mutating func skipLine() {
        while position < bytes.count, !isAtLineEnd { position += 1 }
        skipLineEnd()
    }

    private func lineEndCount(in value: [UInt8]) -> Int {
        var count = 0
        for (index, byte) in value.enumerated() {
            let isSecondOfPair =
                byte == Self.lineFeed && index > 0 && value[index - 1] == Self.carriageReturn
            let isLineEnd = byte == Self.lineFeed || byte == Self.carriageReturn
            if isLineEnd, !isSecondOfPair { count += 1 }
        }
        return count
    }
}
