/// A report about one row.
package struct ImportFinding: Error, Hashable, Sendable {
    /// Why a row, or a part of it, was left out.
    ///
    /// `--json` shows the raw values; they are stable and contain no user data.
    package enum Reason: String, Error, CaseIterable, Sendable {
        /// A quoted field reaches the end of the file.
        case unterminatedQuote = "unterminated_quote"
        /// Something other than a separator or a line break follows a closing quote.
        case textAfterQuote = "text_after_quote"
        /// A field that does not begin with a quote has one.
        case quoteInField = "quote_in_field"
        /// The row has another number of fields than the first one.
        case wrongFieldCount = "wrong_field_count"
        case notText = "not_text"
        case noPassword = "no_password"
        case noAddress = "no_address"
        case notALogin = "not_a_login"
        /// It is in the recycle bin of the program that wrote the file.
        case deleted
        /// Its user name or password is a reference to another entry.
        case reference
        case otherName = "other_name"

        /// Whether the row's password is imported nevertheless.
        package var isImported: Bool {
            switch self {
            case .otherName: true
            case .unterminatedQuote, .textAfterQuote, .quoteInField, .wrongFieldCount, .notText,
                .noPassword, .noAddress, .notALogin, .deleted, .reference:
                false
            }
        }

        /// The fault, as the end of a sentence that begins with "Row 17".
        package var text: String {
            switch self {
            case .unterminatedQuote: "it has a quote that is never closed"
            case .textAfterQuote: "it has text between a closing quote and the next separator"
            case .quoteInField: "it has a quote in a field that does not begin with one"
            case .wrongFieldCount: "it does not have as many fields as the header"
            case .notText: "it is not UTF-8 text"
            case .noPassword: "it has no password"
            case .noAddress: "it has neither an address nor a name"
            case .notALogin: "it is not a login"
            case .deleted: "it is in the recycle bin"
            case .reference:
                "its user name or password refers to another entry; write it out and export again"
            case .otherName: "an earlier row of this login has another name, which is kept"
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

/// A report about a column, with the rows concerned.
///
/// Most rows of a file have such a column, so one report has all of them.
package struct ColumnRemark: Hashable, Sendable {
    /// `--json` shows the raw values; they are stable.
    package enum Reason: String, CaseIterable, Sendable {
        /// Nothing of the column is imported.
        case columnLeftOut = "column_left_out"
        /// Only scheme, host and port of an address are imported.
        case pathLeftOut = "path_left_out"
        /// The address has no scheme.
        case httpsAssumed = "https_assumed"
    }

    package let reason: Reason
    /// The column's name in the file.
    package let column: String
    /// In rising order.
    package let rows: [Int]
}

/// Gathers remarks, in the order of reasons and columns.
struct RemarkTable {
    private let layout: ColumnLayout
    private var unread: [Int: [Int]] = [:]
    private var changed: [ColumnRemark.Reason: [Int]] = [:]

    init(layout: ColumnLayout) {
        self.layout = layout
    }

    mutating func take(_ row: ImportedRow) {
        for column in row.unreadColumns { unread[column, default: []].append(row.number) }
        for reason in row.changes { changed[reason, default: []].append(row.number) }
    }

    var remarks: [ColumnRemark] {
        let columns = unread.sorted { $0.key < $1.key }.map { column, rows in
            ColumnRemark(reason: .columnLeftOut, column: layout.names[column], rows: rows)
        }
        return columns
            + ColumnRemark.Reason.allCases.compactMap { reason in
                changed[reason].map { rows in
                    ColumnRemark(reason: reason, column: layout.names[layout.address], rows: rows)
                }
            }
    }
}
