/// What is wrong with a row that is not read.
package struct CSVFault: Error, Hashable, Sendable {
    package enum Reason: Error, Hashable, CaseIterable, Sendable {
        /// A quoted field reaches the end of the file.
        case unterminatedQuote
        /// Something other than a separator or a line break follows a closing quote.
        case textAfterQuote
        /// A field that does not begin with a quote has one.
        case quoteInField
        /// The row has another number of fields than the first one.
        case wrongFieldCount
        case notText
        /// It has more bytes or fields than any program writes.
        case tooLong

        /// The fault, as the end of a sentence that begins with "Row 17".
        package var text: String {
            switch self {
            case .unterminatedQuote: "it has a quote that is never closed"
            case .textAfterQuote: "it has text between a closing quote and the next separator"
            case .quoteInField: "it has a quote in a field that does not begin with one"
            case .wrongFieldCount: "it does not have as many fields as the header"
            case .notText: "it is not UTF-8 text"
            case .tooLong: "it is longer than any program writes"
            }
        }
    }

    /// Counted as a spreadsheet counts: the header is row 1.
    package let row: Int
    /// The line of the file in which the row begins, from 1.
    package let line: Int
    package let reason: Reason

    package init(row: Int, line: Int, reason: Reason) {
        self.row = row
        self.line = line
        self.reason = reason
    }
}
