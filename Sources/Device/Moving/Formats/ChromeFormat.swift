internal import KSImporting

// The table of Chrome and the browsers of its code, as Chromium 156 writes and reads it.
extension EntryFormat {
    /// A file with more bytes or rows is refused as a whole.
    private static let chromeBytesMax = 1_024_000
    private static let chromeRowsMax = 3000
    /// A row with a longer user name, password or note is refused; in UTF-8 bytes, to be sure.
    private static let chromeTextMax = 1000
    private static let chromeAddressMax = 2048
    /// Chromium makes the name of the address, whatever the column has.
    private static let chromeColumns: TableLogin.Columns = [.note]

    static let chrome = EntryFormat(
        name: "chrome",
        isFormat: nil,
        read: { file throws(MovingError) in
            try ReadEntries(table: file.bytes, format: .chrome)
        },
        write: { entries, target in writeChrome(entries, target.time) }
    )

    private static func writeChrome(_ entries: EntryList, _ time: Int64) -> WrittenEntries {
        var notes = NoteList()
        var written = WrittenEntries()
        let writer = CSVWriter(quotes: .whereNeeded)
        let header = writer.row(["name", "url", "username", "password", "note"])
        var file = header
        var rows = 0
        var taken: Set<[String]> = []
        var logins: [TableLogin] = []
        for (index, entry) in entries.enumerated() {
            guard let login = TableLogin(entry, index + 1, chromeColumns, &notes) else { continue }
            if let long = tooLong(login) {
                notes.add(.tooLong, "", long)
                continue
            }
            // Chromium keeps one of two rows with equal address and user name.
            let address = chromeAddress(login.address)
            guard taken.insert([address, entry.userName]).inserted else {
                notes.add(.sameLogin)
                continue
            }
            logins.append(login)
            let row = writer.row([
                entry.shownTitle, address, entry.userName, login.password, entry.note,
            ])
            if rows == chromeRowsMax || file.count + row.count > chromeBytesMax {
                written.files.append(file)
                (file, rows) = (header, 0)
            }
            file += row
            rows += 1
        }
        written.files.append(file)
        written.notes = notes.notes
        written.noteUnheld(logins, chromeColumns)
        return written
    }

    /// Chromium's addresses have a path, and it doubles quotes that stand in one.
    private static func chromeAddress(_ given: String) -> String {
        let text = given.replacing("\"", with: "%22")
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        return rest.contains { "/?#".contains($0) } ? text : text + "/"
    }

    private static func tooLong(_ login: TableLogin) -> String? {
        let texts = [
            ("user name", login.entry.userName), ("password", login.password),
            ("note", login.entry.note),
        ]
        for (name, text) in texts where text.utf8.count > chromeTextMax {
            return "its \(name) has more than \(chromeTextMax) bytes, and Chrome refuses such a row"
        }
        return login.address.utf8.count > chromeAddressMax
            ? "its address has more than \(chromeAddressMax) bytes" : nil
    }
}
