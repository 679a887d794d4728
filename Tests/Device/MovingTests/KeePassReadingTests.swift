import KSMoving
import Testing

/// KeePass's databases that pykeepass and KeePassXC have made.
struct KeePassReadingTests {
    private static let password = "correct horse"

    private func fault(_ file: SourceFile) throws -> MovingError {
        try #require(throws: MovingError.self) { try EntryFormat.readFile(file) }
    }

    private func entry(_ title: String, in read: ReadEntries) throws -> Entry {
        try #require(read.entries.first { $0.title == title })
    }

    /// Each cipher and derivation; and the XML of the first one, which has no attachments.
    @Test(arguments: [
        "aes-argon2d.kdbx", "chacha20-argon2id.kdbx", "twofish-aeskdf.kdbx", "keepassxc-4.xml",
    ])
    func `every part of a database is read, or named`(name: String) throws {
        let isXML = name.hasSuffix("xml")
        let read = try EntryFormat.readFile(
            testFile(name, password: isXML ? nil : Self.password)
        )
        #expect(read.format == (isXML ? "keepass-xml" : "kdbx"))
        #expect(read.count == 7 && read.remarks.isEmpty)
        #expect(
            Set(read.entries.map(\.title)) == ["Mail", "Twin", "Only text", "Codes", "Lost file"]
        )
        let mail = try entry("Mail", in: read)
        #expect(mail.userName == "anna" && mail.secretText == "pw-3" && mail.type == "login")
        #expect(mail.note == "line 1\nline 2 ümläut <&>")
        #expect(mail.addresses.map(\.text) == ["https://a.example/login", "https://b.example"])
        // KeePassXC sorts them.
        let tags = isXML ? ["two words", "urgent"] : ["urgent", "two words"]
        #expect(mail.tags == ["Work/Servers"] + tags)
        let fields = Dictionary(uniqueKeysWithValues: mail.fields.map { ($0.name, $0) })
        #expect(fields["pin"] == .init("pin", "secret", text: "0815"))
        #expect(fields["Color"] == .init("Color", "text", text: "blue"))
        #expect(fields["expires"] == .init("expires", text: "2027-05-31T12:00:00Z"))
        let code = try #require(fields["one-time code"])
        #expect(code.kind == "otp" && code.text?.contains("JBSWY3DPEHPK3PXP") == true)
        if !isXML { #expect(fields["key.bin"]?.value == Array(0...255)) }
        #expect(fields.count == (isXML ? 4 : 5), "\(fields.keys)")
        // 2026-11-01 and later, at ten o'clock.
        let day: Int64 = 86_400_000
        let first: Int64 = 1_793_527_200_000
        #expect(mail.created == first && mail.changed == first + 3 * day)
        let earlier = mail.history.map { earlier in
            let days = ((earlier.time ?? 0) - first) / day
            return "\(earlier.what) \(String(decoding: earlier.value, as: UTF8.self)) \(days)"
        }
        #expect(earlier == ["field 4711 2", "password pw-2 1", "title Post 0", "password pw-1 0"])
        let twin = try entry("Twin", in: read)
        #expect(twin.userName == "anna" && twin.secretText == "pw-3")
        #expect(twin.addresses.map(\.text) == ["https://a.example/login"])
        #expect(twin.note.hasPrefix("{REF:"))
        #expect(twin.fields.first?.text?.contains("&digits=8&period=60") == true)
        let note = try entry("Only text", in: read)
        #expect(note.type == "note" && note.secretText == "a text" && note.note.isEmpty)
        let codes = try entry("Codes", in: read).fields
        #expect(codes.count == 1 && codes[0].text?.contains("algorithm=SHA256") == true)
        let lost = try entry("Lost file", in: read)
        #expect(lost.fields.isEmpty)
        let notes = read.notes.map(\.sentence).sorted()
        #expect(notes.count(where: { $0.hasSuffix("left out: it is in the trash.") }) == 2)
        #expect(notes.contains { $0.contains("(Lost file): not held: the attachment gone.txt") })
        #expect(notes.contains { $0.contains("(Twin): not held: a reference in its note") })
        #expect(notes.contains { $0.contains("(Mail): not held: an earlier user name") })
    }

    @Test(arguments: [
        ("key-1", "key-1.keyx", password), ("key-2", "key-2.keyx", password),
        ("key-hex", "key-hex", password), ("key-any", "key-any.jpg", password),
        ("key-raw", "key-raw", nil), ("key-raw", "key-raw", ""),
    ])
    func `a key file of each kind opens its database`(
        name: String,
        key: String,
        password: String?
    ) throws {
        let file = try testFile("\(name).kdbx", password: password, keyFile: key)
        #expect(try EntryFormat.readFile(file).entries.count == 5)
        #expect(try fault(testFile("\(name).kdbx", password: "correct horse")) == .wrongPassword)
        let other = key == "key-raw" ? "key-hex" : "key-raw"
        let wrong = try testFile("\(name).kdbx", password: password, keyFile: other)
        #expect(try fault(wrong) == .wrongPassword)
    }

    /// Version 3.1, and what pykeepass leaves of it.
    @Test(arguments: ["keepassxc-31.kdbx", "pykeepass-31-stale.kdbx", "keepassxc-31.xml"])
    func `a database of version 3 is read, and a stale hash is reported`(name: String) throws {
        let isXML = name.hasSuffix("xml")
        let read = try EntryFormat.readFile(
            testFile(name, password: isXML ? nil : Self.password)
        )
        #expect(read.remarks.count == (name.contains("stale") ? 1 : 0), "\(read.remarks)")
        let mail = try entry("Mail", in: read)
        #expect(read.entries.count == 1 && read.notes.isEmpty)
        #expect(mail.secretText == "pw-2" && mail.tags == ["Web"] && mail.userName == "ann")
        #expect(mail.history.map(\.value) == [Array("pw-1".utf8)])
        let file = try #require(mail.fields.first)
        #expect(file.value == Array(String(repeating: "hello ", count: 100).utf8))
        #expect(mail.created != nil && mail.changed != nil)
        if !isXML {
            #expect(try fault(testFile(name, password: "correct")) == .wrongPassword)
            #expect(try fault(testFile(name)) == .passwordNeeded)
        }
    }

    /// Every byte of a database of version 4 is authenticated.
    @Test
    func `a cut or changed database is refused, and is never half read`() throws {
        for name in ["chacha20-argon2id.kdbx", "keepassxc-31.kdbx"] {
            let file = try testFile(name, password: Self.password)
            for step in 0..<40 {
                let index = 8 + (file.bytes.count - 9) * step / 40
                var bytes = file.bytes
                bytes[index] ^= 0x10
                let changed = SourceFile(bytes, password: file.password)
                let cut = SourceFile(Array(file.bytes[..<index]), password: file.password)
                for broken in [changed, cut] {
                    do {
                        let read = try EntryFormat.readFile(broken)
                        // Of version 3 the hash of a header is all that protects it.
                        #expect(name.contains("31") && read.entries.count == 1, "\(index)")
                    } catch {
                        #expect(error.sentence.hasSuffix("."), "\(index)")
                    }
                }
            }
        }
    }

    @Test
    func `hostile XML ends with a sentence`() throws {
        func read(_ text: String) throws -> MovingError {
            try fault(SourceFile(Array(text.utf8)))
        }
        let start = "<KeePassFile><Root>"
        let bomb = #"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>"#
        #expect(try read(bomb + start) == .hostileXML)
        let deep = start + String(repeating: "<Group>", count: 5000)
        #expect(try read(deep) == .hostileXML)
        let tag = start + "<a b=\"" + String(repeating: "x", count: 4 << 20)
        #expect(try read(tag) == .hostileXML)
        let many = start + "<Group>" + String(repeating: "<Entry></Entry>", count: 100_001)
        #expect(try read(many) == .tooManyEntries(max: 100_000))
        let nested = start + "<Group><Entry><History><Entry><History><Entry>"
        #expect(try read(nested) == .tooManyEntries(max: 100_000))
        #expect(try read(start + "\n</Group>") == .notXML(line: 2))
        #expect(try read("<KeePassFile>\n<Root><Group>\n") == .notXML(line: 3))
        // What has no password has no stream for protected values, either.
        let value = "<Group><Entry><String><Value Protected=\"True\">AAAA</Value></String>"
        #expect(try read(start + value) == .damaged)
        #expect(try read("<a><KeePassFile/></a>") == .unknownFormat)
    }

    /// References that refer to each other again and again.
    @Test
    func `references end, however they refer to each other`() throws {
        var text = "<KeePassFile><Root><Group>"
        for number in 0..<20 {
            let next = "{REF:N@T:t\((number + 1) % 20)}"
            text += "<Entry><String><Key>Title</Key><Value>t\(number)</Value></String>"
            text += "<String><Key>UserName</Key><Value>u</Value></String>"
            text += "<String><Key>Notes</Key><Value>\(next)\(next)\(next)</Value></String></Entry>"
        }
        text += "</Group></Root></KeePassFile>"
        let read = try EntryFormat.readFile(SourceFile(Array(text.utf8)))
        #expect(read.entries.count == 20 && read.notes.count == 20)
        #expect(read.entries.reduce(0) { $0 + $1.note.utf8.count } < 40 << 20)
    }
}
