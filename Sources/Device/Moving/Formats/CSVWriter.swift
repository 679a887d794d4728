internal import KSImporting

/// Writes a table row by row (RFC 4180).
struct CSVWriter {
    enum Quotes {
        case always
        case whereNeeded
    }

    /// A cell: nil has no quotes even where all others have them.
    typealias Cell = String?

    let quotes: Quotes
    let lineEnd: String
    private(set) var bytes: [UInt8] = []

    init(quotes: Quotes, lineEnd: String = "\n") {
        (self.quotes, self.lineEnd) = (quotes, lineEnd)
    }

    mutating func write(_ row: [Cell]) { bytes += self.row(row) }

    func row(_ row: [Cell]) -> [UInt8] {
        var line: [UInt8] = []
        for (index, cell) in row.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            if let cell { line += self.cell(cell) }
        }
        return line + Array(lineEnd.utf8)
    }

    private func cell(_ text: String) -> [UInt8] {
        let needsQuotes =
            quotes == .always || text.utf8.contains { ",\"\r\n".utf8.contains($0) }
        guard needsQuotes else { return Array(text.utf8) }
        return Array("\"".utf8) + text.utf8.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
    }
}

/// A login as the tables of browsers hold it, which is less than an entry.
struct TableLogin {
    let entry: Entry
    /// The entry's place among those written, from 1.
    let number: Int
    let address: String
    let password: String

    /// What a format holds beside address, user name and password.
    struct Columns: OptionSet {
        let rawValue: Int
        static let title = Columns(rawValue: 1)
        static let note = Columns(rawValue: 2)
        static let oneTimeCode = Columns(rawValue: 4)
        /// One tag, as the folder.
        static let folder = Columns(rawValue: 8)
        static let realm = Columns(rawValue: 16)
        static let times = Columns(rawValue: 32)
        /// Entries without a web address, and of every type.
        static let anyEntry = Columns(rawValue: 64)
        /// Where a form sends the login.
        static let form = Columns(rawValue: 128)
    }

    /// Takes what the columns hold, and notes the rest.
    ///
    /// - Returns: nil if the entry cannot be held at all.
    init?(_ entry: Entry, _ number: Int, _ columns: Columns, _ notes: inout NoteList) {
        notes.begin(number, entry.shownTitle)
        let isLogin = ["login", "password", "wifi"].contains(entry.type)
        if ["certificate", "key"].contains(entry.type)
            || !isLogin && !columns.contains(.anyEntry)
        {
            notes.add(.typeNotHeld, "", entry.type)
            return nil
        }
        let links = entry.links
        let web = links.first { link in
            let start = link.text.prefix(8).lowercased()
            return start.hasPrefix("https://") || start.hasPrefix("http://")
                || WebSite(link.text) != nil
        }
        let main = web ?? links.first { $0.text.hasPrefix("android://") }
        let address = main ?? (columns.contains(.anyEntry) ? links.first : nil)
        guard address != nil || columns.contains(.anyEntry) else {
            notes.add(.noAddress)
            return nil
        }
        guard entry.secret == nil || entry.secretText != nil else {
            notes.add(.notText)
            return nil
        }
        guard columns.contains(.anyEntry) || entry.secret?.isEmpty == false else {
            notes.add(.noPassword)
            return nil
        }
        (self.entry, self.number) = (entry, number)
        var shown = address
        // A table of any entries keeps what it is given.
        if !columns.contains(.anyEntry), shown?.assumeHTTPS() == true, let address {
            notes.add(.otherForm, "the address \(address.text)", "is taken as https")
        }
        self.address = shown?.text ?? ""
        password = entry.secretText ?? ""
        noteRest(columns, main: address, &notes)
    }

    private func noteRest(
        _ columns: Columns,
        main: Entry.Address?,
        _ notes: inout NoteList
    ) {
        if !columns.contains(.note), !entry.note.isEmpty { notes.add(.partNotHeld, "the note") }
        if !columns.contains(.realm), let realm = entry.realm {
            if realm.isEmpty {
                notes.add(.otherForm, "the empty realm", "becomes no realm")
            } else {
                notes.add(.partNotHeld, "the realm")
            }
        }
        if entry.type == "wifi" || columns.contains(.anyEntry) && entry.type != "login" {
            notes.add(.otherForm, "the type \(entry.type)", "becomes a login")
        }
        for part in entry.appleParts { notes.add(.partNotHeld, part) }
        for link in entry.links where link != main {
            let isRule = link.text == main?.text
            notes.add(
                .partNotHeld,
                isRule ? "the rule \"\(link.match)\" of its address" : "the address \(link.text)"
            )
        }
        if let main, main.match != Entry.Address.usualMatch {
            notes.add(.partNotHeld, "the rule \"\(main.match)\" of its address")
        }
        let tags = columns.contains(.folder) ? entry.tags.dropFirst() : entry.tags[...]
        for tag in tags { notes.add(.partNotHeld, "the tag \(tag)") }
        if entry.isFavorite == true { notes.add(.partNotHeld, "the mark of a favorite") }
        var hasCode = !columns.contains(.oneTimeCode)
        for field in entry.fields {
            if field.name == Entry.formField, columns.contains(.form) || entry.isSentToOwnSite {
                continue
            }
            if field.kind == "otp", !hasCode {
                hasCode = true
                continue
            }
            let what = field.isFile ? "attachment" : field.kind == "otp" ? "one-time code" : "field"
            notes.add(.partNotHeld, "the \(what) \(field.name)")
        }
        if !entry.history.isEmpty {
            let values = entry.history.count == 1 ? "value" : "values"
            notes.add(.partNotHeld, "\(entry.history.count) earlier \(values)")
        }
    }

    /// Whether its title is the host of its address, which programs make of it.
    fileprivate var isNamedBySite: Bool { WebSite(address)?.server == entry.title }

    /// The first one-time code; empty without one.
    var oneTimeCode: String { entry.oneTimeCodes.first?.text ?? "" }
}

extension WrittenEntries {
    /// Notes what a table never holds, once for all entries.
    mutating func noteUnheld(_ logins: [TableLogin], _ columns: TableLogin.Columns) {
        if !columns.contains(.times) {
            note("the dates of creation and change", logins.count { $0.entry.changed != nil })
        }
        if !columns.contains(.form) {
            let count = logins.count(where: \.entry.isSentToOwnSite)
            note("the form that sends to its own site", count)
        }
        if !columns.contains(.title) {
            note("the title", logins.count { !$0.isNamedBySite && !$0.entry.title.isEmpty })
        }
    }

    private mutating func note(_ part: String, _ count: Int) {
        if count > 0 { unheld.append(UnheldPart(part, count)) }
    }
}
