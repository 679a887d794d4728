internal import KSImporting

// Firefox's table, as Firefox 153 writes and reads it.
extension EntryFormat {
    private static let firefoxColumns: TableLogin.Columns = [.realm, .times, .form]

    static let firefox = EntryFormat(
        name: "firefox",
        isFormat: nil,
        read: { file throws(MovingError) in
            try ReadEntries(table: file.bytes, format: .firefox)
        },
        write: { entries, target in writeFirefox(entries, target.time) }
    )

    private static let firefoxHeader = [
        "url", "username", "password", "httpRealm", "formActionOrigin", "guid", "timeCreated",
        "timeLastUsed", "timePasswordChanged",
    ]

    private static func writeFirefox(_ entries: [Entry], _ time: Int64) -> WrittenEntries {
        var notes = NoteList()
        var written = WrittenEntries()
        var writers: [CSVWriter] = []
        // Of logins with equal origin and user name in one file Firefox takes the newest alone.
        var counts: [[String]: Int] = [:]
        var logins: [TableLogin] = []
        for (index, entry) in entries.enumerated() {
            guard let login = TableLogin(entry, index + 1, firefoxColumns, &notes) else { continue }
            let origin = firefoxOrigin(login.address)
            if login.address != origin, login.address != origin + "/" {
                notes.add(.partNotHeld, "the path of its address")
            }
            let key = [origin, entry.userName]
            let place = counts[key, default: 0]
            counts[key] = place + 1
            if place == writers.count {
                var writer = CSVWriter(quotes: .always, lineEnd: "\r\n")
                writer.write(firefoxHeader)
                writers.append(writer)
            }
            logins.append(login)
            // Without a time a row never changes a login that is there.
            let changed = entry.changed ?? time
            writers[place].write([
                origin, entry.userName, login.password, entry.realm,
                // Any form of the site, if the entry names none; none for HTTP's own login.
                entry.fields.first { $0.name == TableRow.formField }?.text
                    ?? (entry.realm == nil ? "" : nil),
                firefoxID(key + [entry.realm ?? "\n"] + (place == 0 ? [] : ["\(place)"])),
                String(entry.created ?? changed), String(changed), String(changed),
            ])
        }
        if writers.isEmpty {
            var writer = CSVWriter(quotes: .always, lineEnd: "\r\n")
            writer.write(firefoxHeader)
            writers = [writer]
        }
        // Firefox writes no line end after the last row.
        written.files = writers.map { Array($0.bytes.dropLast(2)) }
        written.notes = notes.notes
        written.noteUnheld(logins, firefoxColumns)
        return written
    }

    /// The address without its path.
    private static func firefoxOrigin(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let end = text[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        return String(text[..<end])
    }

    /// A name in the form of a UUID: the same login has the same in every export.
    private static func firefoxID(_ parts: [String]) -> String {
        let bytes = Array(parts.joined(separator: "\u{0}").utf8)
        // FNV-1a, twice from different starts: it only has to differ, not to be secret.
        let halves = [0xCBF2_9CE4_8422_2325, 0x84222325_CBF29CE4].map { (start: UInt64) in
            bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        let digits = halves.map { half in
            let text = String(half, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        let all = Array(digits)
        func part(_ range: Range<Int>) -> String { String(all[range]) }
        return "{\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-8\(part(17..<20))-"
            + "\(part(20..<32))}"
    }
}
