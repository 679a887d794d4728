import KSImporting
import Testing

struct ImportFormatTests {
    @Test(arguments: ImportFormat.allCases)
    func `each layout is known by its own header`(format: ImportFormat) throws {
        let header = format.columns.joined(separator: ",")
        #expect(try ImportPlan(bytes: Array(header.utf8), format: nil).format == format)
        let quoted = format.columns.map { "\" \($0.uppercased())\"" }.joined(separator: ",")
        #expect(try ImportPlan(bytes: Array(quoted.utf8), format: nil).format == format)
    }

    @Test
    func `a file without known columns is refused with the list of known ones`() throws {
        let error = try #require(throws: ImportError.self) {
            try ImportPlan(bytes: Array("site,login,secret\na,b,c\n".utf8), format: nil)
        }
        #expect(error == .unknownLayout)
        for format in ImportFormat.allCases {
            #expect(error.sentence.contains(format.rawValue))
        }
    }

    @Test
    func `a forced layout is used, or its missing columns are named`() throws {
        let bytes = Array("url,username,password\nhttps://example.org,a,p\n".utf8)
        #expect(try ImportPlan(bytes: bytes, format: .firefox).items.count == 1)
        let error = try #require(throws: ImportError.self) {
            try ImportPlan(bytes: bytes, format: .chrome)
        }
        #expect(error == .missingColumns(format: .chrome, columns: ["name"]))
        #expect(error.sentence.contains("lacks the columns name"))
    }

    @Test(arguments: [
        "url,username,password", "name,url,username,password,note,cardnumber",
        "title,website,login,pwd,extra", "Title,URL,Username,Password,Notes,Tags",
    ])
    func `a table of another program is read by the usual names of columns`(
        header: String
    ) throws {
        let row = header.split(separator: ",").map { column in
            column.lowercased().contains("u") && column != "cardnumber" ? "x.example.org" : "v"
        }
        let table = header + "\n" + row.joined(separator: ",") + "\n"
        let plan = try ImportPlan(bytes: Array(table.utf8), format: nil)
        #expect(plan.format == .other && plan.items.count == 1)
        let unread = plan.remarks.filter { $0.reason == .columnLeftOut }
        #expect(unread.map(\.column) == (header.hasSuffix("number") ? ["cardnumber"] : []))
    }

    @Test
    func `a table without a column for addresses, users or passwords is of no known layout`() {
        for header in ["url,username", "username,password,name", "url,password,note"] {
            #expect(throws: ImportError.unknownLayout) {
                try ImportPlan(bytes: Array("\(header)\n".utf8), format: nil)
            }
        }
    }

    @Test(arguments: [";", "\t", ","])
    func `the separator is that of the header`(separator: String) throws {
        let rows = [
            ["name", "url", "username", "password", "note"],
            ["n", "https://example.org", "a,b;c", "\"p;q,r\"", ""],
        ]
        let fields = separator == "\t" ? rows : [rows[0], ["n", "example.org", "a", "p", ""]]
        let table = fields.map { $0.joined(separator: separator) }.joined(separator: "\n")
        let plan = try ImportPlan(bytes: Array(table.utf8), format: nil)
        #expect(plan.format == .chrome && plan.items.map(\.server) == ["example.org"])
        let wanted: ImportPlan.Separator =
            switch separator {
            case ";": .semicolon
            case "\t": .tab
            default: .comma
            }
        #expect(plan.separator == wanted)
    }

    @Test(arguments: [
        (bytes: [0xFF, 0xFE, 0x6E, 0x00], error: ImportError.notUTF8),
        (bytes: [0xFE, 0xFF], error: .notUTF8),
        (bytes: [], error: .empty),
        (bytes: [0xEF, 0xBB, 0xBF, 0x0A], error: .empty),
        (bytes: Array("\"name,url".utf8), error: .unknownLayout),
    ])
    func `a file that is not a table is refused`(bytes: [UInt8], error: ImportError) throws {
        #expect(throws: error) { try ImportPlan(bytes: bytes, format: nil) }
        #expect(error.sentence.hasSuffix("."))
    }

    @Test
    func `apple's notes, title and one-time code are imported`() throws {
        let table = """
            Title,URL,Username,Password,Notes,OTPAuth
            Shop,https://example.org/,ada,pw,hello,otpauth://totp/x?secret=A
            Shop,https://example.org/,ada,pw,hello,otpauth://totp/x?secret=A
            Shop,https://example.org/,ada,pw,hello,otpauth://totp/x?secret=B
            """
        let plan = try ImportPlan(bytes: Array(table.utf8), format: nil)
        #expect(plan.items.map(\.label) == ["Shop"])
        #expect(plan.items.map(\.comment) == ["hello"])
        let codes = ["A", "B"].map { "otpauth://totp/x?secret=" + $0 }
        #expect(plan.items.map(\.oneTimeCodes) == [codes])
        #expect(plan.findings.isEmpty && plan.oneTimeCodeCount == 3 && plan.equalRowCount == 1)
    }

    @Test
    func `firefox's realm distinguishes logins of one address, and the label is the server`()
        throws
    {
        let table = """
            "url","username","password","httpRealm","formActionOrigin","guid"
            "https://example.org","ada","one","","https://example.org","{1}"
            "https://example.org","ada","two","Staff",,"{2}"
            """
        let plan = try ImportPlan(bytes: Array(table.utf8), format: nil)
        #expect(plan.items.map(\.securityDomain) == ["", "Staff"])
        #expect(plan.items.map(\.label) == ["example.org", "example.org"])
    }

    @Test
    func `bitwarden's logins and fields are imported, its other kinds are reported`() throws {
        let header = ImportFormat.bitwarden.columns.joined(separator: ",")
        let table = """
            \(header)
            ,,login,Mail,n,"pin: 1",0,"https://example.org/a,b,https://example.com",ada,pw,seed
            ,,note,Secret,text,,0,,,,
            ,,login,Router,,,0,,admin,pw,
            """
        let plan = try ImportPlan(bytes: Array(table.utf8), format: nil)
        #expect(plan.items.map(\.server) == ["example.org", "example.com", "Router"])
        let comment = "n\npin: 1"
        #expect(plan.items.map(\.comment) == [comment, comment, ""])
        #expect(plan.items.map(\.oneTimeCodes) == [["seed"], ["seed"], []])
        #expect(plan.findings.map { "\($0.row) \($0.reason)" } == ["3 notALogin"])
    }
}

extension ImportFormat {
    /// All columns that the program writes, in its order.
    fileprivate var columns: [String] {
        switch self {
        case .chrome: ["name", "url", "username", "password", "note"]
        case .apple: ["title", "url", "username", "password", "notes", "otpauth"]
        case .firefox:
            [
                "url", "username", "password", "httprealm", "formactionorigin", "guid",
                "timecreated", "timelastused", "timepasswordchanged",
            ]
        case .bitwarden:
            [
                "folder", "favorite", "type", "name", "notes", "fields", "reprompt", "login_uri",
                "login_username", "login_password", "login_totp",
            ]
        case .lastpass:
            ["url", "username", "password", "totp", "extra", "name", "grouping", "fav"]
        case .keepassxc:
            [
                "group", "title", "username", "password", "url", "notes", "totp", "icon",
                "last modified", "created",
            ]
        case .onePassword:
            [
                "title", "url", "username", "password", "otpauth", "favorite", "archived", "tags",
                "notes",
            ]
        case .other: ["website", "login", "password", "comments", "security question"]
        }
    }
}
