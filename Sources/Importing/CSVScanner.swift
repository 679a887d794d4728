/// Reads one row of a table from wherever it is said to begin.
struct CSVScanner: Sendable {
    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// A row as it reads from its first byte on.
    struct Row: Sendable {
        let start: Int
        /// Behind the line end; of a row that breaks off, where it does.
        var end: Int
        var fields: [[UInt8]] = []
        var fieldCount = 0
        var hasQuotes = false
        /// Whether a field has line breaks in it.
        var spansLines = false
        var fault: CSVFault?

        init(start: Int) {
            self.start = start
            end = start
        }
    }

    let bytes: [UInt8]

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - start: its first byte.
    ///   - removed: a quote that is taken for not being there.
    ///   - keepsFields: whether the fields are wanted, not just their number.
    /// - Returns: the row, with a fault when it breaks off.
    func row(at start: Int, without removed: Int? = nil, keepsFields: Bool = false) -> Row {
        var reading = Reading(bytes: bytes, position: start, removed: removed)
        var row = Row(start: start)
        while true {
            var value: [UInt8]? = keepsFields ? [] : nil
            row.fault = reading.readField(into: &value, &row)
            if let value, row.fault == nil { row.fields.append(value) }
            row.fieldCount += 1
            guard row.fault == nil, reading.byte == Self.comma else { break }
            reading.step()
        }
        if row.fault == nil { reading.skipLineEnd() }
        row.end = reading.position
        return row
    }

    /// One pass over a row's bytes.
    private struct Reading {
        let bytes: [UInt8]
        var position: Int
        let removed: Int?

        init(bytes: [UInt8], position: Int, removed: Int?) {
            self.bytes = bytes
            self.removed = removed
            self.position = position == removed ? position + 1 : position
        }

        /// The next byte; nil at the end.
        var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func step() {
            position += 1
            if position == removed { position += 1 }
        }

        /// Reads a field up to, not over, the comma or line end that follows it.
        mutating func readField(into value: inout [UInt8]?, _ row: inout Row) -> CSVFault? {
            guard byte == CSVScanner.quote else {
                var hasQuotes = false
                while let byte, byte != CSVScanner.comma, !CSVScanner.isLineEnd(byte) {
                    if byte == CSVScanner.quote { hasQuotes = true }
                    value?.append(byte)
                    step()
                }
                guard hasQuotes else { return nil }
                row.hasQuotes = true
                return .quoteInField
            }
            row.hasQuotes = true
            step()
            while let byte {
                step()
                guard byte == CSVScanner.quote else {
                    if CSVScanner.isLineEnd(byte) { row.spansLines = true }
                    value?.append(byte)
                    continue
                }
                guard self.byte == CSVScanner.quote else {
                    let isClosed = self.byte.map(CSVScanner.isSeparator) ?? true
                    return isClosed ? nil : .textAfterQuote
                }
                value?.append(byte)
                step()
            }
            return .unterminatedQuote
        }

        /// Steps over one line end, if there is one: LF, CR LF or CR.
        mutating func skipLineEnd() {
            guard let byte, CSVScanner.isLineEnd(byte) else { return }
            step()
            if byte == CSVScanner.carriageReturn, self.byte == CSVScanner.lineFeed { step() }
        }
    }

    // MARK: Lines

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == lineFeed || byte == carriageReturn
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == comma || isLineEnd(byte)
    }

    /// Whether a line end, and no byte of a row, stands there.
    func isLineEnd(at position: Int) -> Bool {
        position < bytes.count && Self.isLineEnd(bytes[position])
    }

    /// Where the line after that of a byte begins.
    func nextLine(after position: Int) -> Int {
        var reading = Reading(bytes: bytes, position: position, removed: nil)
        while let byte = reading.byte, !Self.isLineEnd(byte) { reading.step() }
        reading.skipLineEnd()
        return reading.position
    }

    /// The first byte from here on that is not an empty line's.
    func skippingEmptyLines(from position: Int) -> Int {
        var position = position
        while isLineEnd(at: position) { position += 1 }
        return position
    }

    func lineEndCount(in range: Range<Int>) -> Int {
        range.count { index in
            let isSecondOfPair =
                bytes[index] == Self.lineFeed && index > 0
                && bytes[index - 1] == Self.carriageReturn
            return Self.isLineEnd(bytes[index]) && !isSecondOfPair
        }
    }

    /// Quotes without which a row could read on in another way: of each run of them one, and only
    /// where a field may begin or end beside it.
    func doubtfulQuotes(in range: Range<Int>) -> [Int] {
        var quotes: [Int] = []
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == Self.quote else {
                index += 1
                continue
            }
            let first = index
            while index < bytes.count, bytes[index] == Self.quote { index += 1 }
            let opens = first == range.lowerBound || Self.isSeparator(bytes[first - 1])
            let closes = index == bytes.count || Self.isSeparator(bytes[index])
            let isOdd = (index - first) % 2 == 1
            if opens || closes || isOdd { quotes.append(first) }
        }
        return quotes
    }
}
