import KSMoving
import Testing

/// ~/.git-credentials and ~/.netrc.
struct LoginFileTests {
    private func read(_ text: String) throws -> ReadEntries {
        try EntryFormat.readFile(SourceFile(Array(text.utf8)))
    }

    @Test
    func `a line of git's file is taken apart as git does`() throws {
        let read = try read(
            "https://ann:p%40ss%3aw%c3%b6rd@h.example%3a8443\r\n\n"
                + "https://a%20b:pw@github.com/team/repo.git\n"
                + "smtp://ann%40m.example:pw@m.example%3a587\n"
                + "cert://:key@/keys/ann.pem\n"
                + "https://user@no.example\nnonsense\n"
        )
        #expect(read.format == "git-credentials")
        #expect(read.entries.map(\.userName) == ["ann", "a b", "ann@m.example", ""])
        #expect(read.entries[0].secretText == "p@ss:wörd")
        #expect(read.entries.map(\.title).prefix(2) == ["h.example:8443", "github.com"])
        #expect(
            read.entries.flatMap(\.addresses).map(\.text) == [
                "https://h.example:8443", "https://github.com/team/repo.git",
                "smtp://m.example:587", "cert:///keys/ann.pem",
            ]
        )
        #expect(read.count == 6 && read.numbers == [1, 2, 3, 4])
        #expect(read.notes.map(\.entry) == [5, 6])
        #expect(read.notes.allSatisfy { $0.reason == .row })
        #expect(
            read.notes[0].sentence == "Entry 5: left out: line 6 is no URL with user name"
                + " and password."
        )
        // None of the file is repeated.
        #expect(!read.notes.contains { $0.sentence.contains("nonsense") })
    }

    /// Git takes the first line that fits; the others are older.
    @Test
    func `the first line for a site and user counts, and later ones are its history`() throws {
        let read = try read(
            "https://ann:new@h.example\nhttps://bob:b@h.example\nhttps://ann:old@h.example\n"
                + "https://ann:new@h.example\n"
        )
        #expect(read.entries.map(\.userName) == ["ann", "bob"] && read.count == 2)
        #expect(read.entries[0].secretText == "new")
        #expect(read.entries[0].history.map(\.value) == [Array("old".utf8)])
    }

    @Test
    func `bytes that are no text stay as they are`() throws {
        let read = try read("https://a%ff:%fe%00%zz@h.example\n")
        #expect(read.entries[0].secret == [0xFE, 0] + Array("%zz".utf8))
        #expect(read.entries[0].userName == "a%ff")
        #expect(read.notes.map(\.reason) == [.otherForm])
    }

    private static let netrc = #"""
        # for curl
        machine api.example.com
            login ann # a comment
            password "with \"blanks\" and \\"
        machine ftp.example.com login anonymous password back\slash account secret
        macdef init
        cd /pub
        login password

        machine mail.example.com login ann password #first port 993 bogus
        machine imap.example.com login ann password "open port imap
        machine api.example.com login ann password older
        machine empty.example.com
        default login anonymous password me@
        """#

    @Test
    func `.netrc gives each machine with quotes, comments and ports as curl takes them`() throws {
        let read = try read(Self.netrc)
        #expect(read.format == "netrc")
        #expect(
            read.entries.map(\.title) == [
                "api.example.com", "ftp.example.com", "mail.example.com", "imap.example.com",
                "netrc default",
            ]
        )
        #expect(
            read.entries.compactMap(\.secretText) == [
                #"with "blanks" and \"#, #"back\slash"#, "#first", "\"open", "me@",
            ]
        )
        #expect(read.entries[0].history.map(\.value) == [Array("older".utf8)])
        #expect(read.entries[1].fields.map(\.name) == ["account"])
        #expect(read.entries[2].addresses.map(\.text) == ["mail.example.com:993"])
        #expect(read.entries[3].fields.map(\.name) == ["port"])
        #expect(read.entries[4].addresses.isEmpty && read.entries[4].userName == "anonymous")
    }

    @Test
    func `what .netrc has beside logins is named by its line, and no word is repeated`() throws {
        let read = try read(Self.netrc)
        let sentences = read.notes.map(\.sentence)
        #expect(sentences.contains { $0.contains("not held: the macro on line 6") })
        #expect(sentences.contains { $0.contains("a word on line 10") })
        #expect(
            sentences.contains { $0.contains("Entry 5: left out: it has no password") }
                || sentences.contains { $0.contains("empty.example.com") }
        )
        #expect(!sentences.contains { $0.contains("bogus") || $0.contains("slash/") })
        #expect(read.leftOutCount == 1 && read.count == 6)
    }

    /// A table with such columns stays a table.
    @Test(arguments: [
        "machine\tlogin\tpassword\nm.example\tann\tpw\n",
        "url,username,password\nhttps://a.example,ann,pw\n",
        "name,url,username,password\n\"machine a login b\",https://a.example,ann,pw\n",
    ])
    func `a table is never taken for one of them`(_ table: String) {
        // Some of these have no columns that a table needs.
        let format = (try? read(table))?.format
        #expect(!["netrc", "git-credentials"].contains(format))
    }

    @Test(arguments: [
        "default login a password b", "machine a.example\n", "#c\n\nmachine a password b",
        "macdef init\nls\n\nmachine a.example login b password c\n",
    ])
    func `a file of machines is known by its first words`(_ text: String) throws {
        #expect(try read(text).format == "netrc")
    }
}
