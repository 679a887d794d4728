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

    private static func writeFirefox(_ entries: EntryList, _ time: Int64) -> WrittenEntries {
        var notes = NoteList()
        var written = WrittenEntries()
        var writers: [CSVWriter] = []
        // Of logins with equal origin and user name in one file Firefox takes the newest alone, so
        // those of other realms and forms go to further files.
        var counts: [[String]: Int] = [:]
        var logins: [TableLogin] = []
        let newest = newestFirefoxLogins(of: entries)
        for (index, entry) in entries.enumerated() {
            guard let login = TableLogin(entry, index + 1, firefoxColumns, &notes) else { continue }
            guard newest.contains(index) else {
                notes.add(.sameLogin)
                continue
            }
            let origin = noteFirefoxAddress(login, &notes)
            let key = [FirefoxLogin.normal(origin), entry.userName]
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
            let form = firefoxForm(entry, &notes)
            writers[place].write([
                origin, entry.userName, login.password, entry.realm,
                form, firefoxID(key + [entry.realm ?? "\n", form ?? ""]),
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

    /// What makes two logins one in Firefox.
    private struct FirefoxLogin: Hashable {
        let origin: String
        let userName: [UInt8]
        let realm: [UInt8]?
        /// Nil for any form, and for a login at a realm.
        private(set) var form: String?

        init(_ login: TableLogin) {
            origin = Self.normal(firefoxOrigin(login.address).origin)
            userName = Array(login.entry.userName.utf8)
            // To Firefox an empty realm and no realm are the same.
            realm = login.entry.realm.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
            let form = realm == nil ? login.entry.form : nil
            self.form = form.map { Self.normal(firefoxOrigin($0).origin) }
        }

        /// The same login at any form.
        var atAnyForm: FirefoxLogin {
            var login = self
            login.form = nil
            return login
        }

        /// An origin in the spelling that Firefox gives it.
        static func normal(_ origin: String) -> String {
            guard let scheme = origin.firstRange(of: "://") else { return Punycode.host(origin) }
            return origin[..<scheme.upperBound].lowercased()
                + Punycode.host(origin[scheme.upperBound...])
        }
    }

    /// The indices of the entries that are written: of those that are one login, the last changed
    /// one, and the first of several.
    private static func newestFirefoxLogins(of entries: EntryList) -> Set<Int> {
        var logins: [(index: Int, changed: Int64, login: FirefoxLogin)] = []
        var known = NoteList()
        for (index, entry) in entries.enumerated() {
            guard let login = TableLogin(entry, index + 1, firefoxColumns, &known) else { continue }
            logins.append((index, entry.changed ?? .min, FirefoxLogin(login)))
        }
        // A login at any form is one with those of each form.
        let isAtAny = Set(logins.lazy.map(\.login).filter { $0.form == nil })
        var newest: [FirefoxLogin: (index: Int, changed: Int64)] = [:]
        for (index, changed, login) in logins {
            let key = isAtAny.contains(login.atAnyForm) ? login.atAnyForm : login
            if let held = newest[key], held.changed >= changed { continue }
            newest[key] = (index, changed)
        }
        return Set(newest.values.map(\.index))
    }

    /// The origin, with notes about what else of the address and realm Firefox leaves out.
    private static func noteFirefoxAddress(
        _ login: TableLogin,
        _ notes: inout NoteList
    ) -> String {
        let (origin, user, hasPath) = firefoxOrigin(login.address)
        if hasPath { notes.add(.partNotHeld, "the path of its address") }
        if user != nil {
            let isApp = login.address.hasPrefix("android://")
            notes.add(.partNotHeld, isApp ? "the hash in its address" : "the user in its address")
        }
        if login.entry.realm?.isEmpty == true {
            notes.add(.otherForm, "the empty realm", "becomes no realm")
        }
        return origin
    }

    /// Where a form sends the login: any form of the site if the entry names none, and none for
    /// HTTP's own login, since Firefox refuses a row with both.
    private static func firefoxForm(_ entry: Entry, _ notes: inout NoteList) -> String? {
        let form = entry.form
        guard entry.realm?.isEmpty != false else {
            if form != nil { notes.add(.partNotHeld, "the field \(Entry.formField)") }
            return nil
        }
        guard let form else { return "" }
        let (origin, _, hasPath) = firefoxOrigin(form)
        if hasPath { notes.add(.partNotHeld, "the path of the field \(Entry.formField)") }
        return origin
    }

    /// The address without its path and user.
    private static func firefoxOrigin(
        _ text: String
    ) -> (origin: String, user: Substring?, hasPath: Bool) {
        guard let scheme = text.firstRange(of: "://") else { return (text, nil, false) }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? text.endIndex
        let path = text[end...]
        let at = rest[..<end].lastIndex(of: "@")
        let host = at.map { rest[rest.index(after: $0)..<end] } ?? rest[..<end]
        return (
            String(text[..<scheme.upperBound] + host), at.map { rest[..<$0] },
            !path.isEmpty && path != "/"
        )
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
