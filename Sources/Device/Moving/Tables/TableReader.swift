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
        let table = TableBytes(bytes)
        let header = try TableHeader(of: table, layout: format, map: map)
        var parser = CSVParser(
            table.bytes,
            separator: header.separator.byte,
            isRagged: header.layout.furtherCells != .none
        )
        if !header.isEntry { _ = parser.next() }
        var reader = TableReader(header)
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
    private var assumedRows: [Int] = []
    private var folderCount = 0
    /// The places of logins that may have several rows.
    private var logins: [Login: Int] = [:]

    private struct Login: Hashable {
        let address: [UInt8]
        let userName: [UInt8]
        let realm: [UInt8]?
    }

    init(_ header: TableHeader) {
        self.header = header
        read = ReadEntries(format: header.layout.name)
    }

    mutating func take(_ row: Result<CSVRow, CSVFault>) throws(MovingError) {
        guard read.count < EntryFormat.entriesMax else {
            throw .tooManyEntries(max: EntryFormat.entriesMax)
        }
        do throws(CSVFault) {
            try take(row.get())
        } catch {
            read.count += 1
            notes.begin(error.row, "")
            let line = error.line == error.row ? "" : ", at line \(error.line)"
            notes.add(.row, "", error.reason.text + line)
        }
    }

    private mutating func take(_ row: CSVRow) throws(CSVFault) {
        var reader = try TableRow(row, header)
        guard !reader.isFolder else {
            folderCount += 1
            return
        }
        read.count += 1
        notes.begin(row.number, reader.entry.shownTitle)
        if let reason = reader.refusal {
            notes.add(reason.reason, "", reason.detail)
            return
        }
        reader.finish(&notes)
        for column in reader.unused { unused[column, default: []].append(row.number) }
        if reader.assumesHTTPS { assumedRows.append(row.number) }
        guard header.layout.joinsForms, let address = reader.entry.addresses.first else {
            return read.append(reader.entry, number: row.number)
        }
        let login = Login(
            address: Array(address.text.utf8),
            userName: Array(reader.entry.userName.utf8),
            realm: reader.entry.realm.map { Array($0.utf8) }
        )
        if let index = logins[login] {
            join(reader.entry, to: index)
        } else {
            logins[login] = read.entries.count
            read.append(reader.entry, number: row.number)
        }
    }

    /// Adds the row of another form of the same site: the last changed password is the current one.
    private mutating func join(_ entry: Entry, to index: Int) {
        let held = read.entries[index]
        let isNewer = (entry.changed ?? .min) > (held.changed ?? .min)
        var (last, first) = isNewer ? (entry, held) : (held, entry)
        last.created = [held.created, entry.created].compactMap(\.self).min()
        let known = [last.secret] + last.history.map { $0.value }
        if let secret = first.secret, !known.contains(secret) {
            last.history.append(.init(value: secret, time: first.changed))
        }
        last.history += first.history.filter { past in
            past.value != last.secret && !last.history.contains { $0.value == past.value }
        }
        last.history.sort { ($0.time ?? .min) > ($1.time ?? .min) }
        first.fields.removeAll { last.fields.contains($0) }
        last.fields += first.fields
        read.entries[index] = last
        notes.add(.joined, "", "\(read.numbers[index])")
    }

    var result: ReadEntries {
        var read = read
        read.notes = notes.notes.sorted { $0.entry < $1.entry }
        let columns = zip(header.names, header.roles).filter { _, role in
            role != .unknown && role != .bookkeeping && role != .skip
        }
        read.table = TableShape(separator: header.separator.name, columns: columns.map(\.0))
        for (column, rows) in unused.sorted(by: { $0.key < $1.key }) {
            let where_ = rows.count == 1 ? "row" : "rows"
            read.remarks.append(
                "The column \"\(header.names[column])\" is not imported; it is filled in \(where_)"
                    + " \(RowNumbers.text(rows))."
            )
        }
        if !assumedRows.isEmpty {
            let rows = assumedRows.count == 1 ? "row" : "rows"
            read.remarks.append(
                "Addresses without a scheme are taken as https: \(rows)"
                    + " \(RowNumbers.text(assumedRows))."
            )
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
