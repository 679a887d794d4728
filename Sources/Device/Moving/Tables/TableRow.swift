internal import KSImporting

/// One row of a table, while it becomes an entry.
struct TableRow {
    var entry = Entry()
    /// Why nothing of the row is taken; nil if it is.
    private(set) var refusal: (reason: EntryNote.Reason, detail: String)?
    /// Whether the row is a folder and no entry.
    private(set) var isFolder = false
    /// The columns that have a value of no use here.
    private(set) var unused: [Int] = []
    private(set) var assumesHTTPS = false

    let header: TableHeader
    let cells: [String]
    private let row: CSVRow
    /// The word of its type; empty without one.
    private(set) var typeWord = ""
    private var email = ""
    var note: [String] = []
    private var codes: [String] = []

    /// - Throws: ``CSVFault`` if the row has not the cells of the header, or is no text.
    init(_ row: CSVRow, _ header: TableHeader) throws(CSVFault) {
        (self.row, self.header) = (row, header)
        let count = row.fields.count
        let isRagged = header.layout.furtherCells != .none
        // A row without further cells lacks empty ones; one without a password is cut.
        guard isRagged || count <= header.names.count, count > header.passwordColumn ?? 0 else {
            throw row.fault(.wrongFieldCount)
        }
        var cells: [String] = []
        cells.reserveCapacity(count)
        for field in row.fields {
            guard let text = String(validating: field, as: UTF8.self) else {
                throw row.fault(.notText)
            }
            cells.append(text)
        }
        self.cells = cells
        if header.layout.furtherCells == .enpass { entry.title = cells.first ?? "" }
        for (column, role) in header.roles.enumerated() where column < count {
            take(cells[column], column, role)
        }
        check()
    }

    /// Takes what the row's title does not depend on.
    private mutating func take(_ cell: String, _ column: Int, _ role: TableRole) {
        switch role {
        case .title: entry.title = cell
        case .userName: entry.userName = cell
        case .email: email = cell
        case .password: if !cell.isEmpty { entry.secret = row.fields[column] }
        case .note: if !cell.isEmpty { note.append(cell) }
        // Two quotes are an empty realm; nothing between separators means that there is no realm.
        case .realm: entry.realm = cell.isEmpty && !row.isQuoted(column) ? nil : cell
        case .oneTimeCode: if !cell.withoutBlanksAround.isEmpty { codes.append(cell) }
        case .address: takeAddresses(cell)
        case .folder: takeFolder(cell)
        case .tags:
            let tags = cell.split(separator: ",", maxSplits: 10_000)
                .map(\.withoutBlanksAround)
            entry.tags = (entry.tags + tags.filter { !$0.isEmpty }).distinct
        case .favorite: if !cell.isEmpty { entry.isFavorite = Self.isMarked(cell) }
        case .type: takeType(cell)
        case .bookkeeping: if Self.isMarked(cell) { unused.append(column) }
        case .archived, .asksPassword, .created, .changed, .form, .field, .columnField,
            .columnSecret, .lineFields, .jsonFields, .skip, .unknown:
            break
        }
    }

    mutating func takeAddresses(_ cell: String) {
        guard !cell.isEmpty else { return }
        var texts = [cell]
        if cell.hasPrefix("["), let list = JSONTree(text: cell)?.elements {
            texts = list.compactMap(\.string)
        }
        for text in texts {
            let list = AddressList(text, isSplit: header.layout.splitsAddresses)
            assumesHTTPS = assumesHTTPS || list.assumesHTTPS
            entry.addresses += list.texts.map { .init($0) }
        }
        entry.addresses = entry.addresses.distinct
    }

    private mutating func takeFolder(_ cell: String) {
        let cell = cell.replacing(header.layout.groupSeparator, with: "/")
        var names = cell.split(separator: "/", omittingEmptySubsequences: true)
        if header.layout.hasRootGroup { names = Array(names.dropFirst()) }
        if header.layout.hasRootGroup, names.contains("Recycle Bin") { refusal = (.inTrash, "") }
        add(tag: header.layout.hasRootGroup ? names.joined(separator: "/") : cell.trimmedSlash)
    }

    private mutating func add(tag: String) {
        if !tag.isEmpty, !entry.tags.contains(tag) { entry.tags.append(tag) }
    }

    private mutating func takeType(_ cell: String) {
        typeWord = cell.lowercased()
        isFolder = header.layout.folderTypes.contains(typeWord)
        entry.type = header.layout.types[typeWord] ?? "login"
    }

    /// Refuses rows that are not entries of the user.
    private mutating func check() {
        let layout = header.layout
        if let own = layout.ownAddress, entry.addresses.first?.text.hasPrefix(own) == true {
            refusal = (.row, "it is not a login but the program's own")
        }
        if let address = layout.noteAddress, entry.addresses.map(\.text) == [address] {
            entry.addresses = []
            entry.type = "note"
        }
        guard layout.hasReferences else { return }
        let texts = [entry.userName, entry.secretText ?? ""]
        if refusal == nil, texts.contains(where: { $0.uppercased().hasPrefix("{REF:") }) {
            refusal = (
                .row,
                "its user name or password refers to another entry; write it out and export again"
            )
        }
    }

    /// 0, no or false if nothing is marked.
    private static func isMarked(_ cell: String) -> Bool {
        !["", "0", "false", "no"].contains(cell.lowercased())
    }
}

// MARK: What notes are about

extension TableRow {
    /// Takes all else, and notes what is not held.
    mutating func finish(_ notes: inout NoteList) {
        // A title that is an address says where the entry belongs.
        if entry.addresses.isEmpty, entry.title.contains("://"), WebSite(entry.title) != nil {
            entry.addresses = [.init(entry.title.withoutBlanksAround)]
        }
        for (index, code) in codes.enumerated() { add(code: code, index + 1, &notes) }
        if !email.isEmpty, entry.userName.isEmpty {
            entry.userName = email
        } else if !email.isEmpty {
            entry.fields.append(.init("email", "email", text: email))
        }
        for (column, role) in header.roles.enumerated()
        where column < cells.count && !cells[column].isEmpty {
            finish(cells[column], header.names[column], role, &notes)
        }
        finishCells(&notes)
        finishType(&notes)
        entry.note = note.joined(separator: "\n")
        let isBare =
            entry.type == "login" && entry.secret == nil && entry.userName.isEmpty
            && entry.addresses.isEmpty && entry.fields.isEmpty && !entry.note.isEmpty
        if isBare { entry.type = "note" }
        if !typeWord.isEmpty, header.layout.types[typeWord] == nil || typeWord == "alias" {
            notes.add(.otherForm, "the type \(typeWord)", "becomes a \(entry.type)")
        }
        if entry.type == "note", entry.secret == nil {
            (entry.secret, entry.note) = (Array(entry.note.utf8), "")
        }
    }

    private mutating func finish(
        _ cell: String,
        _ name: String,
        _ role: TableRole,
        _ notes: inout NoteList
    ) {
        switch role {
        case .created: take(time: cell, name, \.created, &notes)
        case .changed: take(time: cell, name, \.changed, &notes)
        case .form: add(field: Entry.formField, "text", cell)
        case .archived where Self.isMarked(cell):
            notes.add(.partNotHeld, "the mark of an archived entry")
        case .asksPassword where Self.isMarked(cell):
            notes.add(.partNotHeld, "the question for the master password")
        case .field(let name, let kind): add(field: name, kind, cell)
        case .columnField: add(field: name, "text", cell)
        case .columnSecret: add(field: name, "secret", cell)
        case .lineFields: takeLines(cell)
        case .jsonFields: takeJSON(cell, name, &notes)
        case .unknown: notes.add(.partNotHeld, "the column \"\(name)\"")
        case .title, .address, .userName, .email, .password, .note, .realm, .oneTimeCode, .folder,
            .tags, .favorite, .archived, .asksPassword, .type, .bookkeeping, .skip:
            break
        }
    }

    /// Milliseconds since 1970, of such a number, of seconds or of a date.
    private mutating func take(
        time cell: String,
        _ name: String,
        _ path: WritableKeyPath<Entry, Int64?>,
        _ notes: inout NoteList
    ) {
        let number = Int64(cell).map { $0 < Self.secondsMax ? $0 * 1000 : $0 }
        guard let time = Timestamp.milliseconds(cell) ?? number else {
            return notes.add(.wrongType, "\"\(name)\"")
        }
        if time > 0 { entry[keyPath: path] = time }
    }

    /// A larger number counts milliseconds: those of 1973, or seconds of the year 5138.
    private static let secondsMax: Int64 = 100_000_000_000

    mutating func add(code: String, _ number: Int, _ notes: inout NoteList) {
        let name = number == 1 ? Bitwarden.oneTimeCode : "\(Bitwarden.oneTimeCode) \(number)"
        let field = OneTimeCodeText.field(name, code, &notes)
        if !entry.fields.contains(where: { $0.value == field.value }) { entry.fields.append(field) }
    }

    mutating func add(field name: String, _ kind: String, _ text: String) {
        guard kind == "month" else { return entry.fields.append(.init(name, kind, text: text)) }
        let month = Self.month(text)
        entry.fields.append(.init(name, month == nil ? "text" : kind, text: month ?? text))
    }

    /// The last month of a card as `2027-05`, of `05/27`, `05/2027`, `2027-05` and the like.
    static func month(_ text: String) -> String? {
        let parts = text.split { "/-. ".contains($0) }.map(String.init)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }) else {
            return nil
        }
        let (first, second) = (parts[0], parts[1])
        let (month, year) = first.utf8.count == 4 ? (first: second, first) : (first, second)
        guard let number = Int(month), (1...12).contains(number), [2, 4].contains(year.utf8.count)
        else { return nil }
        return (year.utf8.count == 2 ? "20" : "") + year + (number < 10 ? "-0" : "-") + "\(number)"
    }

    // MARK: Fields in one cell

    /// Bitwarden's fields, `NAME: VALUE`; a line without a name continues the one before.
    private mutating func takeLines(_ cell: String) {
        // Of a hostile cell, the last field has the rest.
        let lines = cell.split(separator: "\n", maxSplits: 10_000, omittingEmptySubsequences: false)
        for line in lines {
            if let end = line.utf8.firstRange(of: Array(": ".utf8)) {
                add(field: String(line[..<end.lowerBound]), "text", String(line[end.upperBound...]))
            } else if line.hasSuffix(":") {
                add(field: String(line.dropLast()), "text", "")
            } else if let last = entry.fields.indices.last, entry.fields[last].kind == "text" {
                entry.fields[last].value += Array("\n\(line)".utf8)
            } else {
                add(field: "field", "text", String(line))
            }
        }
    }

    /// NordPass's fields: a list of `label`, `type` and `value`.
    private mutating func takeJSON(_ cell: String, _ name: String, _ notes: inout NoteList) {
        guard let list = JSONTree(text: cell)?.elements else {
            return add(field: name, "text", cell)
        }
        for tree in list {
            guard let label = tree["label"].string, let value = tree["value"].string else {
                notes.add(.wrongType, "a field of the column \"\(name)\"")
                continue
            }
            add(field: label, tree["type"].string == "hidden" ? "secret" : "text", value)
        }
    }
}

extension String {
    /// A group without the sign at its start.
    fileprivate var trimmedSlash: String { hasPrefix("/") ? String(dropFirst()) : self }
}

extension JSONTree {
    /// The value of a text that is one; nil for another text.
    init?(text: String) {
        var scanner = JSONScanner(Array(text.utf8))
        // A fault means that it is another text.
        guard let tree = try? scanner.tree(), (try? scanner.end()) != nil else { return nil }
        self = tree
    }
}
