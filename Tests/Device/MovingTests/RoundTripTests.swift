import KSMoving
import KSTestSupport
import Testing

/// What a writer writes and its reader reads back.
struct RoundTripTests {
    private static let time: Int64 = 1_795_842_602_000

    private func format(_ name: String) throws -> EntryFormat {
        try #require(EntryFormat.named(name))
    }

    private func written(_ entries: EntryList, _ name: String) throws -> WrittenEntries {
        let write = try #require(try format(name).write)
        return try write(entries, TargetFile(time: Self.time))
    }

    private func reread(_ bytes: [UInt8]) throws -> ReadEntries {
        try EntryFormat.readFile(SourceFile(bytes))
    }

    /// Our own file has everything: what is read back is what was written, to the byte.
    @Test(arguments: 1...20)
    func `our own file gives every entry back as it was`(seed: UInt64) throws {
        var maker = EntryMaker(seed: seed)
        var entries = maker.entries(60)
        for index in entries.indices where maker.chance(30) {
            entries[index].itemClass = "genp"
            entries[index].place = "service \(index)"
            entries[index].isSynced = maker.chance(50)
            entries[index].realm = maker.chance(50) ? "" : "realm"
            entries[index].secret = [0xFF, 0, 1]
            var attribute = Entry.Attribute("gena")
            attribute.data = [1, 2, 255]
            entries[index].attributes = [attribute]
            entries[index].history.append(
                .init("field", name: "old", kind: "secret", value: [0xFE], time: nil)
            )
        }
        let file = try written(entries, "keychain-sync")
        #expect(file.notes.isEmpty && file.files.count == 1)
        let read = try reread(file.files[0])
        #expect(read.format == "keychain-sync" && read.notes.isEmpty)
        #expect(read.entries == entries)
        #expect(try written(read.entries, "keychain-sync").files == file.files)
    }

    /// Of every entry each part comes back, or is in the report; both are counted.
    @Test(arguments: 1...20)
    func `Bitwarden's file gives back what it holds, and the rest is named`(seed: UInt64) throws {
        var maker = EntryMaker(seed: seed)
        let entries = maker.entries(60)
        let file = try written(entries, "bitwarden")
        let read = try reread(file.files[0])
        #expect(read.format == "bitwarden" && read.notes.isEmpty && read.count == entries.count)
        var (held, named) = (0, 0)
        for (index, pair) in zip(entries, read.entries).enumerated() {
            let notes = file.notes.filter { $0.entry == index + 1 }
            let (before, after) = pair
            #expect(before.title == after.title && before.note == after.note || !notes.isEmpty)
            func compare<Part: Equatable>(_ one: Part, _ other: Part, _ name: String) {
                if one == other {
                    held += 1
                } else if notes.isEmpty {
                    Issue.record("\(name) of entry \(index + 1) is lost without a word")
                } else {
                    named += 1
                }
            }
            compare(before.type, after.type, "type")
            compare(before.userName, after.userName, "user name")
            compare(before.secret ?? [], after.secret ?? [], "secret")
            compare(before.note, after.note, "note")
            compare(before.isFavorite, after.isFavorite, "favorite")
            compare(before.tags, after.tags, "tags")
            compare(before.addresses, after.addresses, "addresses")
            compare(before.fields, after.fields, "fields")
            compare(before.created, after.created, "creation")
            compare(before.changed, after.changed, "change")
            compare(before.history, after.history, "history")
        }
        #expect(held > 400 && named > 20, "\(held) held, \(named) named")
        // Nothing is lost on the second way: what was read is held whole.
        let again = try written(read.entries, "bitwarden")
        #expect(try reread(again.files[0]).entries.count == read.entries.count)
    }

    @Test(arguments: ["chrome", "firefox", "apple", "keepassxc"], 1...5)
    func `a table gives back each login, or names it`(name: String, seed: UInt64) throws {
        var maker = EntryMaker(seed: seed)
        let entries = maker.entries(80)
        let file = try written(entries, name)
        #expect(file.files.count == 1)
        let read = try reread(file.files[0])
        #expect(read.format == name)
        let leftOut = Set(file.notes.filter(\.reason.isOfEntry).map(\.entry))
        // What KeePassXC holds as a row without a password is no login to a reader.
        let rows = entries.count - leftOut.count
        #expect(read.count == rows, "\(read.count) rows of \(rows)")
        for (index, entry) in entries.enumerated() where !leftOut.contains(index + 1) {
            guard entry.secret?.isEmpty == false, entry.type != "note" else { continue }
            let found = read.entries.first {
                $0.secret == entry.secret && $0.userName == entry.userName
            }
            #expect(found != nil, "entry \(index + 1) of \(name)")
            if name != "firefox", let found { #expect(found.title == entry.title) }
            if name != "firefox", let found { #expect(found.note.hasPrefix(entry.note)) }
            if name == "firefox", entry.changed != nil { #expect(found?.changed == entry.changed) }
        }
        #expect((leftOut.count > 5 || name == "keepassxc") && rows > 5)
    }

    @Test
    func `Chrome's file is split at its rows, and what it refuses is named`() throws {
        var entries: EntryList = []
        for number in 1...3010 {
            var entry = Entry()
            entry.title = "t\(number)"
            entry.addresses = [.init("https://a\(number).example")]
            entry.secret = Array("p\(number)".utf8)
            entries.append(entry)
        }
        entries[1].note = String(repeating: "n", count: 1001)
        entries[3].addresses = entries[2].addresses
        let file = try written(entries, "chrome")
        let rows = try file.files.map { try reread($0).count }
        #expect(rows == [3000, 8])
        #expect(file.notes.map(\.entry) == [2, 4])
        #expect(file.notes.map(\.reason) == [.tooLong, .sameLogin])
    }

    @Test
    func `Firefox's file has one login of a site and user name, and ends without a line`() throws {
        var first = Entry()
        first.addresses = [.init("https://a.example")]
        (first.secret, first.userName, first.realm) = (Array("one".utf8), "kim", "R")
        var second = first
        (second.secret, second.realm, second.changed) = (Array("two".utf8), nil, 5000)
        let file = try written([first, second], "firefox")
        let texts = file.files.map { String(decoding: $0, as: UTF8.self) }
        // Those of different realms stand in files of their own.
        try #require(texts.count == 2 && file.notes.isEmpty)
        #expect(texts[0].contains("\"kim\",\"one\",\"R\",,\"{"))
        #expect(texts[1].contains("\"kim\",\"two\",,\"\",\"{"))
        #expect(texts[1].hasSuffix("\"5000\",\"5000\",\"5000\""))
        #expect(texts[0].hasSuffix("\"\(Self.time)\""))
    }

    /// As Firefox 153 takes them: it would replace the password of another login, or refuse a row.
    @Test
    func `what Firefox takes for the same login is named, and the last changed one is written`()
        throws
    {
        func login(_ address: String, _ password: String, _ changed: Int64) -> Entry {
            var entry = Entry()
            (entry.userName, entry.secret, entry.changed) = ("ann", Array(password.utf8), changed)
            entry.addresses = [.init(address)]
            return entry
        }
        var entries: EntryList = [
            login("https://forum.example/one", "older", 1000),
            login("HTTPS://Forum.example/two", "newer", 2000),
            login("https://joe@user.example", "user", 1), login("https://realm.example", "r", 1),
            login("android://aGFzaA==@com.example/", "app", 1),
            login("https://xn--mnchen-3ya.example/x", "written otherwise", 1),
            login("https://M\u{FC}nchen.example", "city", 2),
        ]
        entries[3].realm = "R"
        entries[3].fields = [.init("form sends to", "url", text: "https://x.example/sso")]
        let file = try written(entries, "firefox")
        try #require(file.files.count == 1)
        let text = String(decoding: file.files[0], as: UTF8.self)
        #expect(text.contains("\"newer\"") && !text.contains("older"))
        #expect(text.contains("\"https://user.example\"") && !text.contains("x.example"))
        #expect(
            file.notes.map { "\($0.entry) \($0.reason.rawValue) \($0.part)" } == [
                "1 same_login ", "2 not_held the path of its address",
                "3 not_held the user in its address", "4 not_held the field form sends to",
                "5 not_held the hash in its address", "6 same_login ",
            ]
        )
    }

    @Test
    func `Firefox's logins of several forms come back as they were`() throws {
        func login(_ form: String?, _ password: String) -> Entry {
            var entry = Entry()
            (entry.userName, entry.secret) = ("ann", Array(password.utf8))
            entry.addresses = [.init("https://a.example")]
            (entry.created, entry.changed) = (Self.time, Self.time + 1)
            if let form { entry.fields = [.init(Entry.formField, text: form)] }
            return entry
        }
        let own = login("https://a.example", "own")
        let other = login("https://sso.example", "other")
        var bob = login(nil, "any")
        bob.userName = "bob"
        let file = try written([own, other, bob], "firefox")
        let back = try file.files.flatMap { try reread($0).entries }
        #expect(file.files.count == 2 && file.notes.isEmpty)
        #expect(back == [own, bob, other])
        // A login at any form is the same to Firefox as one at each.
        let clash = try written([own, login(nil, "any"), other], "firefox")
        #expect(clash.notes.map(\.reason) == [.sameLogin, .sameLogin])
        #expect(try clash.files.flatMap { try reread($0).entries } == [own])
    }

    @Test(arguments: ["chrome", "apple", "keepassxc"])
    func `a form of the own site is said once for a table that has none`(name: String) throws {
        var entry = Entry()
        (entry.title, entry.userName, entry.secret) = ("a.example", "ann", Array("own".utf8))
        entry.addresses = [.init("https://a.example/login")]
        entry.fields = [.init(Entry.formField, text: "https://a.example")]
        let file = try written([entry], name)
        #expect(file.notes.isEmpty)
        #expect(file.unheld == [UnheldPart("the form that sends to its own site", 1)])
        entry.fields = [.init(Entry.formField, text: "https://b.example")]
        #expect(try written([entry], name).notes.map(\.part) == ["the field form sends to"])
    }

    @Test
    func `two rules of one address are kept, or the second is named`() throws {
        var entry = Entry()
        (entry.title, entry.userName, entry.secret) = ("a.example", "ann", Array("one".utf8))
        entry.addresses = [
            .init("https://a.example/x", "exact"), .init("https://a.example/x", "start"),
        ]
        for name in ["keychain-sync", "bitwarden"] {
            let file = try written([entry], name)
            #expect(file.notes.isEmpty)
            #expect(try reread(file.files[0]).entries[0].addresses == entry.addresses)
        }
        let table = try written([entry], "apple")
        let rules = ["start", "exact"].map { "the rule \"\($0)\" of its address" }
        #expect(table.notes.map(\.part) == rules)
    }

    /// A newer program has rules that this one does not know.
    @Test
    func `a rule of our own file that is not known stays as it is`() throws {
        let rules = [#""fuzzy ü""#, "{}", "null"]
        let addresses = rules.enumerated().map { number, rule in
            #"{"url":"https://a\#(number).example","match":\#(rule)}"#
        }
        let read = try reread(
            Array(
                (#"{"format":"keychain-sync","version":1,"items":[{"title":"t","addresses":["#
                    + addresses.joined(separator: ",") + "]}]}").utf8
            )
        )
        #expect(read.entries[0].addresses.map(\.match) == ["fuzzy ü", "exact", "domain"])
        #expect(read.notes.map(\.reason) == [.wrongType])
        #expect(read.notes.map(\.part) == ["the rule of the address https://a1.example"])
        let file = try written(read.entries, "keychain-sync")
        let text = String(decoding: file.files[0], as: UTF8.self)
        #expect(text.contains(addresses[0]) && file.notes.isEmpty)
        let bitwarden = try written(read.entries, "bitwarden").notes.map(\.part)
        #expect(bitwarden == ["the rule fuzzy ü of the address https://a0.example"])
    }

    @Test
    func `Chrome's file has no quotes in addresses, and its titles are made of hosts`() throws {
        var entry = Entry()
        (entry.title, entry.secret) = ("h.example", Array("one".utf8))
        entry.addresses = [.init("https://h.example/?q=\"x\"")]
        var named = entry
        named.title = "Home"
        named.addresses = [.init("https://i.example/")]
        let file = try written([entry, named], "chrome")
        #expect(String(decoding: file.files[0], as: UTF8.self).contains("/?q=%22x%22,"))
        #expect(file.unheld.contains(UnheldPart("the title", 1)))
    }
}
