internal import KSImporting

extension ReadEntries {
    /// Reads a table of comma-separated values, each row of which is an entry.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - format: The layout; nil to detect it from the header.
    ///   - map: The user's own meaning of the columns, instead of a layout.
    /// - Throws: ``MovingError`` if there is no readable table; a broken row is a note instead.
    init(
        table bytes: [UInt8],
        format: TableLayout?,
        map: ColumnMap? = nil
    ) throws(MovingError) {
        var table = TableBytes(bytes)
        table.emptyFirstLine()
        let header = try TableHeader(of: table, layout: format, map: map)
        var parser = CSVParser(
            table.bytes,
            separator: header.separator.byte,
            isRagged: header.layout.furtherCells != .none
        )
        if !header.isEntry { _ = parser.next() }
        var reader = TableReader(header, of: bytes)
        while let row = parser.next() { try reader.take(row) }
        self = reader.result
    }
}

/// Makes an entry of each row.
private struct TableReader {
    private let header: TableHeader
    private var read: ReadEntries
    private var notes = NoteList()
    /// The rows that fill a column of no use.
    private var unused: [Int: [Int]] = [:]
    private var unusedCount = 0
    private var assumedRows: [Int] = []
    /// Of a hostile table, all columns of which are unknown.
    private static let unusedMax = 2_000_000
    private var folderCount = 0

    init(_ header: TableHeader, of file: [UInt8]) {
        self.header = header
        read = ReadEntries(format: header.layout.name, of: file)
    }

    mutating func take(_ row: Result<CSVRow, CSVFault>) throws(MovingError) {
        guard read.count < EntryFormat.entriesMax else {
            throw .tooManyEntries(max: EntryFormat.entriesMax)
        }
        try notes.check()
        guard unusedCount <= Self.unusedMax else { throw .tooManyNotes(max: Self.unusedMax) }
        let entry: (Entry, Int)?
        do throws(CSVFault) {
            entry = try take(row.get())
        } catch {
            entry = nil
            read.count += 1
            notes.begin(error.row, "")
            let line = error.line == error.row ? "" : ", at line \(error.line)"
            notes.add(.row, "", error.reason.text + line)
        }
        if let (entry, number) = entry { try read.append(ofFile: entry, number: number) }
    }

    /// - Returns: the entry with the number of its row; nil for a row without one.
    private mutating func take(_ row: CSVRow) throws(CSVFault) -> (Entry, Int)? {
        var reader = try TableRow(row, header)
        guard !reader.isFolder else {
            folderCount += 1
            return nil
        }
        read.count += 1
        notes.begin(row.number, reader.entry.shownTitle)
        if let reason = reader.refusal {
            notes.add(reason.reason, "", reason.detail)
            return nil
        }
        reader.finish(&notes)
        unusedCount += reader.unused.count
        for column in reader.unused { unused[column, default: []].append(row.number) }
        if reader.assumesHTTPS { assumedRows.append(row.number) }
        return (reader.entry, row.number)
    }

    var result: ReadEntries {
        var read = read
        read.notes = notes.notes.sorted { $0.entry < $1.entry }
        let columns = zip(header.names, header.roles).filter { _, role in
            role != .unknown && role != .bookkeeping && role != .skip
        }
        read.namesRealms = header.roles.contains(.realm)
        read.table = TableShape(separator: header.separator.name, columns: columns.map(\.0))
        for (column, rows) in unused.sorted(by: { $0.key < $1.key }) {
            let where_ = rows.count == 1 ? "row" : "rows"
            read.remarks.append(
                "The column \"\(header.names[column])\" holds nothing of yours and is not taken; it"
                    + " is filled in \(where_) \(RowNumbers.text(rows))."
            )
        }
        if !assumedRows.isEmpty {
            read.remarks.append(EntryPlacing.remark(ofAssumed: assumedRows, unit: "row"))
        }
        if folderCount > 0 {
            read.remarks.append(
                folderCount == 1
                    ? "1 row is a folder, which becomes a tag of its entries."
                    : "\(folderCount) rows are folders, which become tags of their entries."
            )
        }
        return read
    }
}
