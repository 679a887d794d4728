/// The changes that an import would make; `--dry-run` shows exactly these.
package struct ImportPlan: Hashable, Sendable {
    /// The byte between two fields of a row.
    package enum Separator: String, CaseIterable, Sendable {
        case comma
        case semicolon
        case tab

        var byte: UInt8 {
            switch self {
            case .comma: UInt8(ascii: ",")
            case .semicolon: UInt8(ascii: ";")
            case .tab: UInt8(ascii: "\t")
            }
        }
    }

    package let format: ImportFormat
    package let separator: Separator
    /// The names of the columns that are read, as in the file.
    package let columns: [String]
    /// In the order of each item's first row.
    package let items: [ImportedItem]
    /// Rows below the header, without empty lines.
    package let rowCount: Int
    /// Rows that repeat an earlier one.
    package let equalRowCount: Int
    /// Rows with a one-time code.
    package let oneTimeCodeCount: Int
    /// Reports for the user, in the order of the rows.
    package let findings: [ImportFinding]
    package let remarks: [ColumnRemark]

    /// Rows of which nothing is imported.
    package var refusedRowCount: Int { findings.count { !$0.reason.isImported } }
    /// Passwords that go to the history of an item instead of becoming its current one.
    package var supersededSecretCount: Int { items.reduce(0) { $0 + $1.secrets.count - 1 } }

    /// Reads a table of passwords.
    ///
    /// - Parameters:
    ///   - bytes: The file, UTF-8 with or without a byte order mark.
    ///   - format: The layout; nil to detect it from the header.
    /// - Throws: ``ImportError`` if there is no readable table; a broken row is a finding instead.
    package init(bytes: [UInt8], format: ImportFormat?) throws(ImportError) {
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw .notUTF8
        }
        let (separator, layout) = try Self.layout(of: bytes, forced: format)
        var parser = CSVParser(bytes, separator: separator.byte)
        // Skips the header.
        _ = parser.next()
        var table = GatheredRows(layout: layout)
        while let row = parser.next() { table.take(row) }
        self.separator = separator
        self.format = layout.format
        columns = zip(layout.names, layout.roles).filter { $1 != .unknown }.map(\.0)
        items = table.drafts.map(\.item)
        rowCount = table.rowCount
        equalRowCount = table.equalRowCount
        oneTimeCodeCount = table.oneTimeCodeCount
        findings = table.findings
        remarks = table.remarks.remarks
    }

    /// Finds the separator with which the header is that of a known program, else one with which
    /// its columns have usual names.
    private static func layout(
        of bytes: [UInt8],
        forced: ImportFormat?
    ) throws(ImportError) -> (Separator, ColumnLayout) {
        var usual: (Separator, ColumnLayout)?
        var failure: ImportError?
        for separator in Separator.allCases {
            do throws(ImportError) {
                let header = try header(of: bytes, separator)
                let layout = try ColumnLayout(headerFields: header, forced: forced)
                if layout.format != .other || forced != nil { return (separator, layout) }
                usual = usual ?? (separator, layout)
            } catch {
                failure = failure ?? error
            }
        }
        guard let usual else { throw failure ?? .unknownLayout }
        return usual
    }

    private static func header(
        of bytes: [UInt8],
        _ separator: Separator
    ) throws(ImportError) -> [[UInt8]] {
        var parser = CSVParser(bytes, separator: separator.byte)
        guard let first = parser.next() else { throw .empty }
        guard case .success(let header) = first,
            // No column name has two lines, so an unclosed quote has swallowed rows.
            !header.fields.contains(where: { $0.contains(where: "\r\n".utf8.contains) })
        else { throw .unknownLayout }
        return header.fields
    }
}

/// Gathers rows into items.
private struct GatheredRows {
    private let layout: ColumnLayout
    private(set) var drafts: [ItemDraft] = []
    private(set) var findings: [ImportFinding] = []
    private(set) var remarks: RemarkTable
    private(set) var rowCount = 0
    private(set) var equalRowCount = 0
    private(set) var oneTimeCodeCount = 0
    private var draftIndex: [[[UInt8]]: Int] = [:]

    init(layout: ColumnLayout) {
        self.layout = layout
        remarks = RemarkTable(layout: layout)
    }

    mutating func take(_ row: Result<CSVRow, ImportFinding>) {
        rowCount += 1
        do throws(ImportFinding) {
            take(try ImportedRow(row.get(), layout: layout))
        } catch {
            findings.append(error)
        }
    }

    private mutating func take(_ row: ImportedRow) {
        remarks.take(row)
        if row.hasOneTimeCode { oneTimeCodeCount += 1 }
        var isEqual = true
        var hasOtherName = false
        for login in row.logins {
            if let index = draftIndex[login.key] {
                let outcome = drafts[index].join(login, row: row.number)
                isEqual = isEqual && outcome.isEqual
                hasOtherName = hasOtherName || outcome.hasOtherName
            } else {
                draftIndex[login.key] = drafts.count
                drafts.append(ItemDraft(login, row: row.number))
                isEqual = false
            }
        }
        if isEqual { equalRowCount += 1 }
        guard hasOtherName else { return }
        findings.append(ImportFinding(row: row.number, line: row.line, reason: .otherName))
    }
}

/// An item while its rows are being read.
private struct ItemDraft {
    private struct Secret {
        let bytes: [UInt8]
        let row: Int
        /// When it was last changed, according to all rows that have it.
        var changed: Int64?
    }

    private let first: ImportedLogin
    private var labels: [String]
    private var comments: [String]
    private var codes: [String]
    private var secrets: [Secret]
    private var rows: [Int]

    init(_ login: ImportedLogin, row: Int) {
        first = login
        labels = [login.label]
        comments = login.comment.isEmpty ? [] : [login.comment]
        codes = login.oneTimeCode.isEmpty ? [] : [login.oneTimeCode]
        secrets = [Secret(bytes: login.secret, row: row, changed: login.changed)]
        rows = [row]
    }

    /// Adds another row of the same login; every note is kept, one below the other.
    mutating func join(
        _ login: ImportedLogin,
        row: Int
    ) -> (isEqual: Bool, hasOtherName: Bool) {
        rows.append(row)
        let known = secrets.firstIndex { $0.bytes == login.secret }
        if let known {
            let times = [secrets[known].changed, login.changed].compactMap(\.self)
            secrets[known].changed = times.max()
        } else {
            secrets.append(Secret(bytes: login.secret, row: row, changed: login.changed))
        }
        let isKnownComment = login.comment.isEmpty || comments.containsSameBytes(login.comment)
        if !isKnownComment { comments.append(login.comment) }
        let isKnownCode = login.oneTimeCode.isEmpty || codes.containsSameBytes(login.oneTimeCode)
        if !isKnownCode { codes.append(login.oneTimeCode) }
        let isKnownLabel = labels.containsSameBytes(login.label)
        if !isKnownLabel { labels.append(login.label) }
        let isEqual = known != nil && isKnownComment && isKnownCode && isKnownLabel
        return (isEqual, !isKnownLabel)
    }

    /// The secrets, the last changed first; for equal times, the earlier row's first.
    private var sortedSecrets: [Secret] {
        secrets.sorted { left, right in
            let times = (left.changed ?? .min, right.changed ?? .min)
            return times.0 != times.1 ? times.0 > times.1 : left.row < right.row
        }
    }

    var item: ImportedItem {
        let secrets = sortedSecrets
        return ImportedItem(
            server: first.address.server,
            protocolCode: first.address.protocolCode,
            port: first.address.port,
            securityDomain: first.realm,
            account: first.account,
            label: first.label,
            comment: comments.joined(separator: "\n"),
            oneTimeCodes: codes,
            secrets: secrets.map(\.bytes),
            secretRows: secrets.map(\.row),
            secretTimes: secrets.map(\.changed),
            rows: rows
        )
    }
}

extension [String] {
    /// Compares bytes, because Unicode equates different bytes.
    fileprivate func containsSameBytes(_ text: String) -> Bool {
        contains { $0.utf8.elementsEqual(text.utf8) }
    }
}
