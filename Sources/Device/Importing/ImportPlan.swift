/// The changes that an import would make; `--dry-run` shows exactly these.
package struct ImportPlan: Hashable, Sendable {
    package let format: ImportFormat
    /// In the order of each item's first row.
    package let items: [ImportedItem]
    /// Rows below the header, without empty lines.
    package let rowCount: Int
    /// Rows that repeat an earlier one.
    package let equalRowCount: Int
    /// Reports for the user, in the order of the rows.
    package let findings: [ImportFinding]

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
        var parser = CSVParser(bytes)
        guard let first = parser.next() else { throw .empty }
        guard case .success(let header) = first,
            // No column name has two lines, so an unclosed quote has swallowed rows.
            !header.fields.contains(where: { $0.contains(where: "\r\n".utf8.contains) })
        else { throw .unknownLayout }
        let layout = try ColumnLayout(headerFields: header.fields, forced: format)

        var table = ItemTable()
        while let row = parser.next() { table.take(row, layout: layout) }
        self.format = layout.format
        items = table.drafts.map(\.item)
        rowCount = table.rowCount
        equalRowCount = table.equalRowCount
        findings = table.findings
    }
}

/// Gathers rows into items.
private struct ItemTable {
    private(set) var drafts: [ItemDraft] = []
    private(set) var findings: [ImportFinding] = []
    private(set) var rowCount = 0
    private(set) var equalRowCount = 0
    private var draftIndex: [[[UInt8]]: Int] = [:]

    mutating func take(_ row: Result<CSVRow, ImportFinding>, layout: ColumnLayout) {
        rowCount += 1
        do throws(ImportFinding) {
            take(try ImportedLogin(row.get(), layout: layout))
        } catch {
            findings.append(error)
        }
    }

    private mutating func take(_ login: ImportedLogin) {
        var reasons = login.leftOut
        if let index = draftIndex[login.key] {
            let outcome = drafts[index].join(login)
            if outcome.isEqual { equalRowCount += 1 }
            if outcome.hasOtherName { reasons.append(.otherName) }
        } else {
            draftIndex[login.key] = drafts.count
            drafts.append(ItemDraft(login))
        }
        findings += reasons.map { ImportFinding(row: login.row, line: login.line, reason: $0) }
    }
}

/// An item while its rows are being read.
private struct ItemDraft {
    private let first: ImportedLogin
    private var labels: [String]
    private var comments: [String]
    private var secrets: [[UInt8]]
    private var rows: [Int]

    init(_ login: ImportedLogin) {
        first = login
        labels = [login.label]
        comments = login.comment.isEmpty ? [] : [login.comment]
        secrets = [login.secret]
        rows = [login.row]
    }

    /// Adds another row of the same login; every note is kept, one below the other.
    mutating func join(_ login: ImportedLogin) -> (isEqual: Bool, hasOtherName: Bool) {
        rows.append(login.row)
        let isKnownSecret = secrets.contains(login.secret)
        if !isKnownSecret { secrets.append(login.secret) }
        let isKnownComment = login.comment.isEmpty || comments.containsSameBytes(login.comment)
        if !isKnownComment { comments.append(login.comment) }
        let isKnownLabel = labels.containsSameBytes(login.label)
        if !isKnownLabel { labels.append(login.label) }
        return (isKnownSecret && isKnownComment && isKnownLabel, !isKnownLabel)
    }

    var item: ImportedItem {
        ImportedItem(
            server: first.address.server,
            protocolCode: first.address.protocolCode,
            port: first.address.port,
            securityDomain: first.realm,
            account: first.account,
            label: first.label,
            comment: comments.joined(separator: "\n"),
            secrets: secrets,
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
