/// One row of a table of comma-separated values.
package struct CSVRow: Hashable, Sendable {
    /// Counted as a spreadsheet counts: the header is row 1.
    package let number: Int
    /// The line of the file in which the row begins, from 1.
    ///
    /// It exceeds ``number`` after a field with line breaks.
    package let line: Int
    package let fields: [[UInt8]]
    /// The fields in quotes among the first 64: bit by bit, the first field's is the lowest.
    private let quoted: UInt64

    package init(number: Int, line: Int, fields: [[UInt8]], quoted: UInt64 = 0) {
        self.number = number
        self.line = line
        self.fields = fields
        self.quoted = quoted
    }

    /// Whether a field was in quotes, which tells an empty text from none.
    package func isQuoted(_ field: Int) -> Bool { field < 64 && quoted >> UInt64(field) & 1 == 1 }

    package func fault(_ reason: CSVFault.Reason) -> CSVFault {
        CSVFault(row: number, line: line, reason: reason)
    }
}

/// Reads comma-separated values row by row (RFC 4180).
///
/// It also accepts another separator, a byte order mark, single line feeds or carriage returns as
/// line ends, and empty lines. A row without quotes may have any number of fields.
///
/// After a broken row, reading continues with the next line. If the row had line breaks in a field,
/// its other lines are read as rows, and most are broken too. A table with an odd number of quotes
/// always has a broken row.
package struct CSVParser: Sendable {
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    /// Of a hostile table: reading takes several times a row's size in memory.
    private static let rowBytesMax = 8 << 20
    private static let fieldsMax = 10_000

    private let bytes: [UInt8]
    private let separator: UInt8
    /// Whether rows with quotes may have any number of fields too.
    private let isRagged: Bool
    private var position = 0
    /// Where the present row has to end.
    private var rowEndMax = 0
    /// The line of the position, from 1.
    private var line = 1
    /// The row of the position.
    private var number = 1
    /// The number of fields in the first row, once it was read.
    private var width: Int?

    /// `bytes`: UTF-8 without a byte order mark; see ``TableBytes``.
    package init(
        _ bytes: [UInt8],
        separator: UInt8 = UInt8(ascii: ","),
        isRagged: Bool = false
    ) {
        self.bytes = bytes
        self.separator = separator
        self.isRagged = isRagged
    }

    /// The next row that is not an empty line, or what is wrong with it; nil at the end.
    package mutating func next() -> Result<CSVRow, CSVFault>? {
        while isAtLineEnd {
            skipLineEnd()
            number += 1
        }
        guard position < bytes.count else { return nil }
        defer { number += 1 }
        rowEndMax = position + Self.rowBytesMax
        let (start, firstLine) = (position, line)
        do throws(CSVFault.Reason) {
            let (fields, quoted) = try readRow()
            return .success(
                CSVRow(number: number, line: firstLine, fields: fields, quoted: quoted)
            )
        } catch {
            (position, line) = (start, firstLine)
            skipLine()
            return .failure(CSVFault(row: number, line: firstLine, reason: error))
        }
    }

    private mutating func readRow() throws(CSVFault.Reason) -> ([[UInt8]], UInt64) {
        var fields: [[UInt8]] = []
        fields.reserveCapacity(width ?? 8)
        var quoted: UInt64 = 0
        let firstLine = line
        while true {
            guard fields.count < Self.fieldsMax else { throw .tooLong }
            if byte == Self.quote {
                if fields.count < 64 { quoted |= 1 << UInt64(fields.count) }
                fields.append(try readQuotedField())
            } else {
                fields.append(try readPlainField())
            }
            guard byte == separator else { break }
            position += 1
        }
        // A quote too many often takes lines of other rows into the field.
        let hasBreak = line > firstLine
        skipLineEnd()
        let width = self.width ?? fields.count
        let isWhole = fields.count == width || fields.count < width && !hasBreak
        guard isRagged || quoted == 0 || isWhole else { throw .wrongFieldCount }
        self.width = width
        return (fields, quoted)
    }

    /// Reads a field up to, not over, the separator or line end that follows it.
    private mutating func readPlainField() throws(CSVFault.Reason) -> [UInt8] {
        let start = position
        while let byte, byte != separator, !isAtLineEnd {
            guard byte != Self.quote else { throw .quoteInField }
            position += 1
        }
        guard position <= rowEndMax else { throw .tooLong }
        return Array(bytes[start..<position])
    }

    private mutating func readQuotedField() throws(CSVFault.Reason) -> [UInt8] {
        var value: [UInt8] = []
        position += 1
        while let byte {
            guard position <= rowEndMax else { throw .tooLong }
            if byte == Self.quote {
                position += 1
                // Two quotes mean one.
                guard self.byte == Self.quote else {
                    let isClosed = self.byte == nil || self.byte == separator || isAtLineEnd
                    guard isClosed else { throw .textAfterQuote }
                    return value
                }
                value.append(byte)
                position += 1
            } else if isAtLineEnd {
                let start = position
                skipLineEnd()
                value += bytes[start..<position]
            } else {
                value.append(byte)
                position += 1
            }
        }
        throw .unterminatedQuote
    }

    /// The next byte; nil at the end.
    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var isAtLineEnd: Bool { byte == Self.lineFeed || byte == Self.carriageReturn }

    /// Skips one line end, if there is one: LF, CR LF or CR.
    private mutating func skipLineEnd() {
        guard isAtLineEnd else { return }
        let isCarriageReturn = byte == Self.carriageReturn
        position += 1
        if isCarriageReturn, byte == Self.lineFeed { position += 1 }
        line += 1
    }

    private mutating func skipLine() {
        while byte != nil, !isAtLineEnd { position += 1 }
        skipLineEnd()
    }
}
