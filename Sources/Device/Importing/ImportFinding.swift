/// A report about one row.
package struct ImportFinding: Error, Hashable, Sendable {
    /// Why a row, or a part of it, was left out.
    ///
    /// `--json` shows the raw values; they are stable and contain no user data.
    package enum Reason: String, Error, CaseIterable, Sendable {
        /// A quoted field reaches the end of the file.
        case unterminatedQuote = "unterminated_quote"
        /// Something other than a comma or a line break follows a closing quote.
        case textAfterQuote = "text_after_quote"
        /// There is a quote in a field that does not begin with one.
        case quoteInField = "quote_in_field"
        /// The row has another number of fields than the first one.
        case wrongFieldCount = "wrong_field_count"
        case notText = "not_text"
        case noPassword = "no_password"
        case noAddress = "no_address"
        case notALogin = "not_a_login"
        case otherName = "other_name"
        case oneTimeCodeLeftOut = "one_time_code_left_out"
        case otherFieldsLeftOut = "other_fields_left_out"

        /// Whether the row's password is imported nevertheless.
        package var isImported: Bool {
            switch self {
            case .otherName, .oneTimeCodeLeftOut, .otherFieldsLeftOut: true
            case .unterminatedQuote, .textAfterQuote, .quoteInField, .wrongFieldCount, .notText,
                .noPassword, .noAddress, .notALogin:
                false
            }
        }

        /// The fault, as the end of a sentence that begins with "Row 17".
        package var text: String {
            switch self {
            case .unterminatedQuote: "a quote is opened and never closed"
            case .textAfterQuote: "there is text between a closing quote and the next comma"
            case .quoteInField: "there is a quote in a field that does not begin with one"
            case .wrongFieldCount: "it does not have as many fields as the header"
            case .notText: "it is not UTF-8 text"
            case .noPassword: "it has no password"
            case .noAddress: "it has neither an address nor a name"
            case .notALogin: "it is not a login"
            case .otherName: "an earlier row of this login has another name, which is kept"
            case .oneTimeCodeLeftOut: "its one-time code is left out"
            case .otherFieldsLeftOut: "its further fields are left out"
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

    /// One sentence for the user.
    package var sentence: String {
        let outcome = reason.isImported ? "imported, but" : "not imported:"
        return "Row \(row) (line \(line)): \(outcome) \(reason.text)."
    }
}
