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
    /// A field begins with a quote that nothing closes, or only one that belongs to a later row.
    case unterminatedQuote
    /// Something other than a comma or a line break follows a closing quote.
    case textAfterQuote
    /// There is a quote in a field that does not begin with one.
    case quoteInField
    /// It has quotes, and not as many fields as the first row.
    case wrongFieldCount
    /// It may as well be a part of the broken row before it.
    case unclearBoundary
}

/// What stands next in the table.
package enum CSVRecord: Hashable, Sendable {
    case row(CSVRow)
    case broken(number: Int, line: Int, fault: CSVFault)
}

/// Reads comma-separated values (RFC 4180) row by row, and goes on behind a broken row.
///
/// Wider than the RFC where that costs nothing: a byte order mark, lone line feeds or carriage
/// returns as line ends, and empty lines. A row without quotes may have any number of fields.
/// ``CSVTable`` says how the rows behind a broken one are found again.
package struct CSVParser: Sendable {
    private let table: CSVTable
    private var index = 0
    /// Up to here line ends are counted.
    private var position = 0
    /// Up to here the rows before have been read.
    private var end: Int
    private var line = 1
    private var number = 0

    package init(_ bytes: [UInt8]) {
        table = CSVTable(bytes)
        end = table.start
    }

    /// The next row that is not an empty line, or nil at the end.
    package mutating func next() -> CSVRecord? {
        guard index < table.rows.count else { return nil }
        let row = table.rows[index]
        index += 1
        let scanner = table.scanner
        // What lies between two rows are empty lines.
        if end < row.start { number += scanner.lineEndCount(in: end..<row.start) }
        line += scanner.lineEndCount(in: position..<row.start)
        number += 1
        position = row.start
        end = row.end
        if let fault = row.fault { return .broken(number: number, line: line, fault: fault) }
        return .row(CSVRow(number: number, line: line, fields: row.fields))
    }
}
