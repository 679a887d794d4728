internal import KSImporting

/// The first row of a table: the names of its columns, and what each holds.
struct TableHeader {
    let layout: TableLayout
    let separator: TableShape.Separator
    /// As in the file, without blanks around them.
    let names: [String]
    let roles: [TableRole]
    /// Whether the first row is an entry already.
    private(set) var isEntry = false

    /// A row that ends before this column is cut.
    var passwordColumn: Int? { roles.firstIndex(of: .password) }

    /// Finds the separator with which the header is that of a known program, else one with which
    /// its columns have usual names.
    ///
    /// - Parameters:
    ///   - table: the file.
    ///   - layout: the layout; nil to detect it.
    ///   - map: the user's meaning of columns.
    /// - Throws: ``MovingError`` if the layout is unknown, or a given one lacks columns.
    init(
        of table: TableBytes,
        layout: TableLayout?,
        map: ColumnMap?
    ) throws(MovingError) {
        var usual: TableHeader?
        var failure: MovingError?
        let named = table.separator.map { byte in [TableShape.Separator(byte: byte)] }
        for separator in named ?? TableShape.Separator.known {
            do throws(MovingError) {
                let header = try TableHeader(table, separator, layout, map)
                if header.layout.name != TableLayout.other.name || layout != nil {
                    self = header
                    return
                }
                // A mapped table may have any names, so the most columns decide.
                if header.names.count > usual?.names.count ?? 0 { usual = header }
            } catch {
                // Enpass's rows may have one cell, as all have with another separator.
                if layout?.furtherCells == .enpass, case .missingColumns = error { throw error }
                failure = failure ?? error
            }
        }
        guard let usual else { throw failure ?? .unknownLayout }
        self = usual
    }

    private init(
        _ table: TableBytes,
        _ separator: TableShape.Separator,
        _ layout: TableLayout?,
        _ map: ColumnMap?
    ) throws(MovingError) {
        self.separator = separator
        let names = try Self.names(of: table, separator, layout)
        let header = names.map { $0.lowercased() }
        self.names = names
        guard map == nil || layout == nil else { throw .mapWithFormat }
        if let map {
            let missing = map.names.filter { !header.contains($0.lowercased()) }
            guard missing.isEmpty else { throw .missingColumns(format: "other", columns: missing) }
            self.layout = TableLayout(
                name: TableLayout.other.name,
                required: [],
                splitsAddresses: true
            )
            roles = Self.roles(header, map.roles, others: .unknown)
            return
        }
        var detected = TableLayout.detect(header)
        if detected?.name ?? TableLayout.otherName == TableLayout.otherName,
            TableLayout.isEntryOfEnpass(header)
        {
            detected = .enpass
        }
        var given = layout
        if layout?.furtherCells == .enpass, TableLayout.hasColumns(header) {
            // Columns of usual names say what they hold, whichever program wrote the table.
            let missing = TableLayout.enpass.required.filter { !header.contains($0) }
            guard let detected else { throw .missingColumns(format: "enpass", columns: missing) }
            given = detected
        }
        guard let found = given ?? detected else { throw .unknownLayout }
        self.layout = found
        if found.furtherCells == .enpass {
            roles = []
            isEntry = !found.required.allSatisfy(header.contains)
            return
        }
        roles = Self.roles(header, found.roles, others: found.others)
        let lacks =
            found.name == TableLayout.other.name
            ? [.address, .userName, .password].contains { !roles.contains($0) }
            : !found.required.allSatisfy(header.contains)
        guard !lacks else {
            let missing = found.required.filter { !header.contains($0) }
            throw .missingColumns(format: found.name, columns: missing)
        }
    }

    /// If two columns have one role, only the first has it, unless both can.
    private static func roles(
        _ header: [String],
        _ known: [String: TableRole],
        others: TableRole
    ) -> [TableRole] {
        var taken: Set<TableRole> = []
        return header.map { name in
            let role = known[name] ?? others
            return taken.insert(role).inserted || role.mayRepeat ? role : others
        }
    }

    /// Pictures and compressed files have a zero byte so near to their start.
    private static let probedBytes = 64

    private static func names(
        of table: TableBytes,
        _ separator: TableShape.Separator,
        _ layout: TableLayout?
    ) throws(MovingError) -> [String] {
        var parser = CSVParser(table.bytes, separator: separator.byte)
        guard let first = parser.next() else { throw .emptyFile }
        guard !table.bytes.prefix(Self.probedBytes).contains(0) else { throw .notText }
        // No column name has two lines, so an unclosed quote has swallowed rows; but the first row
        // of Enpass may be an entry with a note.
        guard case .success(let header) = first,
            layout?.furtherCells == .enpass
                || !header.fields.contains(where: { $0.contains(where: "\r\n".utf8.contains) })
        else { throw layout.map { .otherFormat($0.name) } ?? .unknownLayout }
        // A name that is not UTF-8 is not a known column, so it may be changed here.
        return header.fields.map { String(decoding: $0, as: UTF8.self).withoutBlanksAround }
    }
}

/// How a table is made, for the report.
package struct TableShape: Hashable, Sendable {
    /// The byte between two cells of a row.
    struct Separator: Hashable, Sendable {
        let byte: UInt8

        static let known = ",;\t".utf8.map { Separator(byte: $0) }

        var name: String {
            switch byte {
            case UInt8(ascii: ","): "comma"
            case UInt8(ascii: ";"): "semicolon"
            case UInt8(ascii: "\t"): "tab"
            default: "sign '\(Unicode.Scalar(byte))'"
            }
        }
    }

    /// `comma`, `semicolon` or `tab`.
    package let separator: String
    /// The names of the columns that are read, as in the file.
    package let columns: [String]
}
