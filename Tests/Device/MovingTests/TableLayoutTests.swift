import KSMoving
import Testing

/// The layouts of programs' tables.
struct TableLayoutTests {
    private func read(
        _ table: String,
        format: String? = nil,
        map: [String] = []
    ) throws -> ReadEntries {
        var file = SourceFile(Array(table.utf8))
        file.map = map.isEmpty ? nil : ColumnMap(map)
        return try EntryFormat.readFile(file, format: format)
    }

    /// Each field as its name, kind and text.
    private func fields(_ entry: Entry?) -> [String] {
        (entry?.fields ?? []).map { "\($0.name)/\($0.kind)/\($0.text ?? "")" }
    }

    private static let headers = [
        ("chrome", "name,url,username,password,note"),
        ("apple", "Title,URL,Username,Password,Notes,OTPAuth"),
        (
            "firefox",
            "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,"
                + "timePasswordChanged"
        ),
        (
            "bitwarden",
            "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,"
                + "login_password,login_totp"
        ),
        ("lastpass", "url,username,password,totp,extra,name,grouping,fav"),
        (
            "keepassxc",
            "Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created"
        ),
        ("1password", "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes"),
        (
            "nordpass",
            "name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,pin,"
                + "expirydate,zipcode,folder,full_name,phone_number,email,address1,address2,city,"
                + "country,state,type,custom_fields"
        ),
        (
            "protonpass",
            "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault"
        ),
        (
            "dashlane",
            "username,username2,username3,title,password,note,url,category,otpSecret"
        ),
        ("roboform", "Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2"),
        ("enpass", "Title,Field,*Field,Value"),
        ("other", "website,login,password,comments,security question"),
    ]

    @Test(arguments: headers)
    func `each layout is known by its own header`(name: String, header: String) throws {
        #expect(try read(header).format == name)
        let quoted = header.split(separator: ",").map { "\" \($0.uppercased())\"" }
        #expect(try read(quoted.joined(separator: ";")).format == name)
        #expect(try read("\n\n" + header).format == name)
        #expect(Self.headers.count == TableLayout.names.count)
    }

    @Test
    func `a file without known columns is refused with the list of known ones`() throws {
        for table in ["site,login,secret\na,b,c\n", "url,username\n", "\"name,url"] {
            #expect(throws: MovingError.unknownLayout) { try read(table) }
        }
        #expect(throws: MovingError.emptyFile) { try read("") }
        #expect(throws: MovingError.emptyFile) { try read("\u{FEFF}\n") }
        for name in TableLayout.names {
            #expect(MovingError.unknownLayout.sentence.contains(name))
        }
    }

    @Test
    func `a forced layout is used, or its missing columns are named`() throws {
        let table = "url,username,password\nhttps://example.org,a,p\n"
        #expect(try read(table, format: "firefox").entries.count == 1)
        let error = try #require(throws: MovingError.self) { try read(table, format: "chrome") }
        #expect(error == .missingColumns(format: "chrome", columns: ["name"]))
        #expect(error.sentence.contains("lacks the columns name"))
    }

    @Test(arguments: [";", "\t", ",", "|"])
    func `the separator is that of the header, or the one that is named`(separator: String) throws {
        let rows = [
            ["name", "url", "username", "password", "note"], ["n", "example.org", "a", "p", ""],
        ]
        let table = rows.map { $0.joined(separator: separator) }.joined(separator: "\n")
        let isKnown = separator != "|"
        let read = try read(isKnown ? table : "sep=|\n" + table)
        #expect(read.format == "chrome" && read.entries.first?.secretText == "p")
        #expect(read.numbers == [isKnown ? 2 : 3])
    }

    // MARK: Columns

    @Test
    func `a column that a layout does not know becomes a field of each entry`() throws {
        let read = try read(
            "url,username,password,totp,extra,name,grouping,fav,lucky number\n"
                + "https://heron.example,ada,pw,,,Heron,,1,4711\nfinch.example,ada,pw,,,,,0,\n"
        )
        #expect(read.format == "lastpass" && read.notes.isEmpty)
        #expect(read.entries.map(fields) == [["lucky number/text/4711"], []])
        #expect(read.entries.map(\.isFavorite) == [true, false])
    }

    @Test
    func `the user says what columns hold, and what they leave out is named`() throws {
        let table = "Where;Who;What;Since;Pin;Rest\na.example;ada;pw;2025-01-01T00:00:00Z;17;x\n"
        let map = ["where=url", "Who=username", "What=password", "Since=changed", "Pin=secret"]
        let read = try read(table, map: map)
        let entry = try #require(read.entries.first)
        #expect(entry.addresses.map(\.text) == ["https://a.example"] && entry.userName == "ada")
        #expect(entry.secretText == "pw" && entry.changed == 1_735_689_600_000)
        #expect(fields(entry) == ["Pin/secret/17"])
        #expect(read.notes.map(\.part) == ["the column \"Rest\""] && read.notes.hasLoss)
        #expect(try self.read(table, map: map + ["rest=skip"]).notes.isEmpty)
        #expect(throws: MovingError.missingColumns(format: "other", columns: ["No"])) {
            try self.read(table, map: ["No=url"])
        }
        #expect(throws: MovingError.mapOfOther) {
            try self.read(#"{"encrypted":false,"items":[]}"#, map: map)
        }
        for wrong in [["a"], ["a=b"], ["a=url", "A=note"], ["=url", "=url"]] {
            #expect(ColumnMap(wrong) == nil)
        }
    }

    @Test
    func `Apple's note and one-time codes are kept, and a wrong code stays as text`() throws {
        let read = try read(
            """
            Title,URL,Username,Password,Notes,OTPAuth
            Shop,https://example.org/,ada,pw,hello,otpauth://totp/x?secret=NBSWY3DP
            Shop,https://example.org/,ada,pw,,no code!
            """
        )
        #expect(read.entries.map(\.note) == ["hello", ""])
        #expect(read.entries.map { $0.fields.map(\.kind) } == [["otp"], ["secret"]])
        #expect(read.notes.map(\.reason) == [.otherForm])
    }

    @Test
    func `Firefox's empty realm is one, and its form is a field unless it is any`() throws {
        let read = try read(
            """
            "url","username","password","httpRealm","formActionOrigin","guid"
            "https://example.org","ada","one",,"https://example.org","{1}"
            "https://example.org","ada","two","",,"{2}"
            "https://example.org","bob","two",,"https://b.example","{3}"
            "https://example.org","eve","two",,"","{4}"
            """
        )
        #expect(read.entries.map(\.realm) == [nil, "", nil, nil])
        #expect(
            read.entries.map { $0.fields.map(\.text) } == [
                ["https://example.org"], [], ["https://b.example"], [],
            ]
        )
    }

    @Test
    func `KeePassXC's recycle bin and references are named, and rows of it stay apart`() throws {
        let rows = [
            ("Root/Recycle Bin", "ada", "pw"), ("Root/Recycle Bin/Old", "ada", "pw"),
            ("Root", "ada", "{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}"), ("Root", "ada", ""),
            ("Root/Work/Mail", "ada", "pw"),
        ]
        let header = "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Last Modified\"\n"
        let lines = rows.map { "\"\($0.0)\",t,\($0.1),\($0.2),a.example,\n" }.joined()
        let read = try read(header + lines)
        #expect(read.notes.map(\.reason) == [.inTrash, .inTrash, .row])
        #expect(read.entries.map(\.tags) == [[], ["Work/Mail"]])
        #expect(read.entries.map(\.secretText) == [nil, "pw"])
    }

    // MARK: Types

    @Test
    func `Bitwarden's notes and fields are kept`() throws {
        let header = Self.headers[3].1
        let read = try read(
            header + "\n,1,login,Mail,n,\"pin: 1\ncity: Bern\nmore\",1,"
                + "\"https://example.org/a,b,https://example.com\",ada,pw,\n"
                + ",,note,Secret,text,,0,,,,\n,,card,Odd,text,,0,,,,\n"
        )
        #expect(read.entries.map(\.type) == ["login", "note", "note"])
        #expect(fields(read.entries.first) == ["pin/text/1", "city/text/Bern\nmore"])
        #expect(read.entries[1].secretText == "text")
        #expect(read.notes.map(\.reason) == [.partNotHeld, .otherForm])
    }

    @Test
    func `NordPass's cards, identities, fields and folders are kept`() throws {
        let read = try read(
            Self.headers[7].1 + "\n"
                + "Work,,,,,,,,,,,,,,,,,,,,,folder,\n"
                + #"Site,https://s.example,"[""https://t.example""]",me,pw,,,,,,,,Work,,,,,,,,,"#
                + #"password,"[{""label"":""PIN"",""type"":""hidden"",""value"":""12""}]""# + "\n"
                + "Visa,,,,,,Jane Doe,4242,123,99,03/27,1010,,,,,,,,,,credit_card,\n"
                + "Jane,,,,,,,,,,,,,Jane Doe,555,j@a.example,Main St,,Vienna,AT,,identity,\n"
                + "Wifi,,,,,the note,,,,,,,,,,,,,,,,note,\n"
        )
        #expect(read.entries.map(\.type) == ["login", "card", "identity", "note"])
        #expect(read.count == 4 && read.numbers == [3, 4, 5, 6] && read.notes.isEmpty)
        #expect(read.remarks == ["1 row is a folder, which becomes a tag of its entries."])
        #expect(
            read.entries[0].addresses.map(\.text) == ["https://s.example", "https://t.example"]
        )
        #expect(read.entries[0].tags == ["Work"] && fields(read.entries[0]) == ["PIN/secret/12"])
        #expect(
            fields(read.entries[1]) == [
                "holder/text/Jane Doe", "number/secret/4242", "code/secret/123", "pin/secret/99",
                "expires/month/2027-03", "postcode/text/1010",
            ]
        )
        #expect(fields(read.entries[2]).contains("email/email/j@a.example"))
    }

    @Test
    func `Proton Pass's types, times and vaults are kept`() throws {
        let card =
            #""{""cardholderName"":""J"",""number"":""42"","#
            + #"""expirationDate"":""052030"",""note"":""n""}""#
        let read = try read(
            Self.headers[8].1 + "\n"
                + "login,A,\"https://a.example, https://b.example\",me@a.example,me,pw,,,"
                + "1700000000,1700000001,Home\n"
                + "login,B,https://b.example,me@a.example,,pw,,,1700000000,1700000001,Home\n"
                + "note,N,,,,,text,,1700000000,1700000001,Home\n"
                + "creditCard,C,,,,,\(card),,1700000000,1700000001,Home\n"
                + "alias,D,,x@pm.example,,,,,1700000000,1700000001,Home\n"
        )
        #expect(read.entries.map(\.type) == ["login", "note", "card", "login"].inserting("login"))
        #expect(read.entries.map(\.userName) == ["me", "me@a.example", "", "", "x@pm.example"])
        #expect(fields(read.entries[0]) == ["email/email/me@a.example"])
        #expect(read.entries.allSatisfy { $0.created == 1_700_000_000_000 && $0.tags == ["Home"] })
        #expect(fields(read.entries[3]).contains("expires/month/2030-05"))
        #expect(read.entries[3].note == "n")
        #expect(read.notes.map(\.entry) == [6])
    }

    @Test
    func `LastPass's cards and keys are cards and keys`() throws {
        let read = try read(
            """
            url,username,password,totp,extra,name,grouping,fav
            http://sn,,,,"NoteType:Credit Card
            Name on Card:J
            Type:Visa
            Number:4111
            Security Code:123
            Start Date:,
            Expiration Date:May,2027
            Notes:first
            second",Visa,Cards\\Deep,0
            http://sn,,,,"NoteType:SSH Key
            Private Key:-----BEGIN
            AAAA
            -----END
            Notes:",Key,,0
            http://sn,,,,"NoteType:Insurance
            Policy:1",Other,,0

            """
        )
        #expect(read.entries.map(\.type) == ["card", "ssh-key", "note"])
        // A folder within another one, as elsewhere.
        #expect(read.entries[0].tags == ["Cards/Deep"])
        #expect(
            fields(read.entries[0]) == [
                "holder/text/J", "brand/text/Visa", "number/secret/4111", "code/secret/123",
                "expires/month/2027-05",
            ]
        )
        #expect(read.entries[0].note == "first\nsecond")
        #expect(fields(read.entries[1]) == ["private key/secret/-----BEGIN\nAAAA\n-----END"])
        #expect(read.entries[2].secretText == "NoteType:Insurance\nPolicy:1")
    }

    @Test
    func `RoboForm's and Enpass's cells beyond the header are fields`() throws {
        let robo = try read(
            Self.headers[10].1 + "\n"
                + #""A","https://a.example","https://a.example","me","pw","n","/Work","#
                + #""User ID$,,,txt,me","Password$,,,pwd,pw","pin,,,pwd,1,2","#
                + #""TOTP KEY$,,,txt,NBSWY3DP""#
                + "\n"
        )
        let entry = try #require(robo.entries.first)
        #expect(entry.tags == ["Work"] && entry.addresses.count == 1 && robo.notes.isEmpty)
        #expect(
            fields(entry) == [
                "pin/secret/1,2", "one-time code/otp/otpauth://totp/?secret=NBSWY3DP",
            ]
        )
        let enpass = try read(
            "Title,Field,*Field,Value\n"
                + "Mail,Username,me,*Password,pw,Website,https://m.example,*PIN,17,a note\n"
                + "Visa,Cardholder,J,*Number,4111,Expiry date,05/27,\n" + "Safe,12-34\n"
        )
        #expect(enpass.entries.map(\.type) == ["login", "card", "note"])
        #expect(enpass.entries[0].secretText == "pw" && enpass.entries[0].note == "a note")
        #expect(fields(enpass.entries[0]) == ["PIN/secret/17"])
        #expect(fields(enpass.entries[1]).last == "expires/month/2027-05")
        // Its table may have no header.
        let bare = try read("Mail,Username,me,*Password,pw\n", format: "enpass")
        #expect(bare.entries.first?.userName == "me" && bare.numbers == [1])
    }

    @Test
    func `a table with columns that is called Enpass's is read by them, or refused`() throws {
        let names = "Title,Username,Email,Password,Website,TOTP,Phone,Note,Tags\n"
        let read = try read(
            names + "E,ann,a@x.example,ep,https://en.example,NBSWY3DP,+49,en,t1\n",
            format: "enpass"
        )
        #expect(read.entries.map(\.title) == ["E"] && read.entries.first?.secretText == "ep")
        #expect(read.entries.first?.addresses.map(\.text) == ["https://en.example"])
        #expect(throws: MovingError.missingColumns(format: "enpass", columns: ["field"])) {
            try self.read("Title,Username,Password,Note,Tags\na,b,c,d,e\n", format: "enpass")
        }
        // The first entry of a table without a header has a note of two lines.
        let rows = "Mail,Username,ann,Password,ep,Website,https://m.example,\"a\nb\"\n"
        let bare = try self.read(rows, format: "enpass")
        #expect(bare.entries.map(\.note) == ["a\nb"] && bare.entries.first?.secretText == "ep")
        #expect(throws: MovingError.otherFormat("enpass")) {
            try self.read("\"Mail,Username,ann\n", format: "enpass")
        }
    }

    @Test
    func `a first line of blanks hides no header`() throws {
        let read = try read(" \t \r\nname,url,username,password\na,https://a.example,u,p\n")
        #expect(read.format == "chrome" && read.entries.map(\.title) == ["a"])
        #expect(read.numbers == [3])
    }

    @Test
    func `the first row of Enpass's table without a header is an entry`() throws {
        let rows =
            "Bank,Username,u,Password,p,Website,https://bank.test,n\n"
            + "Mail,Username,v,*Password,q,Website,https://m.test,TOTP Secret Key,NBSWY3DP,\n"
        let enpass = try read(rows)
        #expect(enpass.entries.map(\.secretText) == ["p", "q"] && enpass.numbers == [1, 2])
        #expect(enpass.entries.map { $0.fields.filter { $0.kind == "otp" }.count } == [0, 1])
        // Usual names in the same places are a header.
        let usual = try read("Title,URL,Notes,Password,Login\na,https://a.example,n,pw,u\n")
        #expect(usual.entries.map(\.secretText) == ["pw"])
    }
}

extension [String] {
    fileprivate func inserting(_ first: String) -> [String] { [first] + self }
}
