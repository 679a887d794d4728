import KSImporting
import KSTestSupport
import Testing

struct ImportPlanTests {
    private let header = "name,url,username,password,note\n"

    private func plan(_ rows: String, format: ImportFormat? = nil) throws -> ImportPlan {
        try ImportPlan(bytes: Array((header + rows).utf8), format: format)
    }

    @Test
    func `a web row becomes an internet password`() throws {
        let plan = try plan("Shop,https://Shop.Example.org:8443/login?x=1,ada,pw 1,my note\n")
        let item = try #require(plan.items.first)
        #expect(
            [item.account, item.comment, item.label, item.server] == [
                "ada", "my note", "Shop", "shop.example.org",
            ]
        )
        #expect(item.port == 8443 && item.protocolCode == "htps" && item.securityDomain.isEmpty)
        #expect(item.secrets == [Array("pw 1".utf8)])
        #expect(plan.findings.isEmpty && plan.rowCount == 1)
    }

    @Test(arguments: [
        ("https://example.org", "htps", "example.org", 0),
        ("https://example.org:443/", "htps", "example.org", 0),
        ("http://example.org:80", "http", "example.org", 0),
        ("http://example.org:443", "http", "example.org", 443),
        ("HTTPS://user:p@EXAMPLE.org?q@r", "htps", "example.org", 0),
        ("http://[2001:db8::1]:8080/", "http", "2001:db8::1", 8080),
        ("https://bücher.example.org#x", "htps", "bücher.example.org", 0),
        ("https://example.org:99999/", nil, "https://example.org:99999/", 0),
        ("https:///nohost", nil, "https:///nohost", 0),
        ("android://AbC=@org.example.app/", nil, "android://AbC=@org.example.app/", 0),
        ("example.org/login", "htps", "example.org", 0),
        ("WWW.Example.org", "htps", "www.example.org", 0),
        ("192.168.7.1/admin", "htps", "192.168.7.1", 0),
        ("nas.example.org:5001", "htps", "nas.example.org", 5001),
        ("nas:5001/ui", "htps", "nas", 5001),
        ("nas/ui", "htps", "nas", 0),
        ("[2001:db8::1]:8080", "htps", "2001:db8::1", 8080),
        ("localhost", "htps", "localhost", 0),
        (" https://example.org ", "htps", "example.org", 0),
        ("router", nil, "router", 0),
        ("mailto:ada@example.org", nil, "mailto:ada@example.org", 0),
        ("ada@example.org", nil, "ada@example.org", 0),
        ("example..org", nil, "example..org", 0),
        ("ftp://example.org", nil, "ftp://example.org", 0),
    ])
    func `server, protocol and port come from the address`(
        url: String,
        protocolCode: String?,
        server: String,
        port: UInt16
    ) throws {
        let item = try #require(try plan("n,\(url),a,p,\n").items.first)
        #expect(item.protocolCode == protocolCode)
        #expect(item.server == server)
        #expect(item.port == port)
    }

    @Test(arguments: ["n,https://example.org,a,p", "n,https://example.org,a,p,note,more"])
    func `a row with a field too few or too many is refused`(row: String) throws {
        let plan = try plan(row + "\n")
        #expect(plan.items.isEmpty)
        #expect(plan.findings.map(\.reason) == [.wrongFieldCount])
    }

    @Test
    func `two pages of one site are one item, and equal rows are counted`() throws {
        let plan = try plan(
            """
            Site,https://example.org/a,ada,pw,
            Site,https://example.org/b,ada,pw,
            Site,https://example.org/a,bob,pw,

            """
        )
        #expect(plan.items.map(\.rows) == [[2, 3], [4]])
        #expect(plan.equalRowCount == 1)
        #expect(plan.supersededSecretCount == 0)
    }

    @Test
    func `another password for one login keeps the first current and marks the item`() throws {
        let plan = try plan(
            """
            Site,https://example.org/,ada,first,
            Site,https://example.org/,ada,second,
            Site,https://example.org/,ada,first,
            Site,https://example.org/,ada,third,

            """
        )
        let item = try #require(plan.items.first)
        #expect(plan.items.count == 1 && item.secrets.count > 1)
        #expect(item.secrets == ["first", "second", "third"].map { Array($0.utf8) })
        #expect(item.secretRows == [2, 3, 5])
        #expect(plan.supersededSecretCount == 2 && plan.equalRowCount == 1)
    }

    @Test
    func `notes of one login are all kept, and another name is reported`() throws {
        let plan = try plan(
            """
            Site,https://example.org/,ada,pw,one
            Other,https://example.org/,ada,pw,two
            Site,https://example.org/,ada,pw,two
            Other,https://example.org/,ada,pw,one

            """
        )
        #expect(plan.items.map(\.comment) == ["one\ntwo"])
        #expect(plan.items.map(\.label) == ["Site"])
        #expect(plan.findings.map(\.reason) == [.otherName])
        #expect(plan.equalRowCount == 2)
    }

    @Test
    func `texts that only look equal stay two items and two passwords`() throws {
        let plan = try plan(
            "n,https://example.org,caf\u{E9},p\u{E9},\nn,https://example.org,cafe\u{301},p,\n"
                + "n,https://example.org,caf\u{E9},pe\u{301},\n"
        )
        #expect(plan.items.map(\.secrets.count) == [2, 1])
    }

    @Test
    func `each row that cannot be imported is reported by its number, and the rest is imported`()
        throws
    {
        let bytes =
            Array((header + "n,https://a.example.org,a,,\nn,https://b.example.org,a,p\n").utf8)
            + Array("n,https://c.example.org,a,".utf8) + [0xFF] + Array(",\n,,a,p,\n".utf8)
            + Array("n,https://d.example.org,a,\"p\"x,\nn,https://e.example.org,a,p,\n".utf8)
            + Array("n,https://f.example.org,a,p,\"\n".utf8)
        let plan = try ImportPlan(bytes: bytes, format: nil)
        #expect(plan.items.map(\.server) == ["e.example.org"])
        #expect(
            plan.findings.map { "\($0.row) \($0.reason.rawValue)" } == [
                "2 no_password", "3 wrong_field_count", "4 not_text", "5 no_address",
                "6 text_after_quote", "8 unterminated_quote",
            ]
        )
        #expect(plan.refusedRowCount == 6 && plan.rowCount == 7)
        #expect(
            plan.findings[0].sentence == "Row 2 (line 2): not imported: it has no password."
        )
    }

    @Test
    func `every reason is one sentence, with the row, the line and the outcome`() {
        let sentences: [ImportFinding.Reason: String] = [
            .unterminatedQuote: "not imported: it has a quote that is never closed.",
            .textAfterQuote:
                "not imported: it has text between a closing quote and the next separator.",
            .quoteInField:
                "not imported: it has a quote in a field that does not begin with one.",
            .wrongFieldCount: "not imported: it does not have as many fields as the header.",
            .notText: "not imported: it is not UTF-8 text.",
            .noPassword: "not imported: it has no password.",
            .noAddress: "not imported: it has neither an address nor a name.",
            .notALogin: "not imported: it is not a login.",
            .otherName:
                "imported, but an earlier row of this login has another name, which is kept.",
            .deleted: "not imported: it is in the recycle bin.",
            .reference:
                "not imported: its user name or password refers to another entry; write it out"
                + " and export again.",
        ]
        for reason in ImportFinding.Reason.allCases {
            let finding = ImportFinding(row: 17, line: 23, reason: reason)
            #expect(finding.sentence == sentences[reason].map { "Row 17 (line 23): " + $0 })
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `every row is an item's, equal or reported, and every password is kept`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let urls = ["https://example.org/a", "http://example.org", "android://x@org.example", ""]
        let rows = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            [
                ["n", ""].randomElement(using: &random) ?? "",
                urls.randomElement(using: &random) ?? "", random.csvText(),
                ["", "p", "q", random.csvText()].randomElement(using: &random) ?? "",
                random.csvText(),
            ]
        }
        var writer = CSVWriter(random: random)
        let table = writer.table([["name", "url", "username", "password", "note"]] + rows)
        let plan = try ImportPlan(bytes: table, format: nil)
        let itemRows = Set(plan.items.flatMap(\.rows))
        #expect(plan.rowCount == rows.count, "seed \(seed)")
        #expect(itemRows.count + plan.refusedRowCount == rows.count, "seed \(seed)")
        let kept = Set(plan.items.flatMap(\.secrets))
        for row in rows where !(row[0].isEmpty && row[1].isEmpty) && !row[3].isEmpty {
            #expect(kept.contains(Array(row[3].utf8)), "seed \(seed)")
        }
    }

    private static let headers = [
        "name,url,username,password,note\n", "url\tusername\tpassword\tlucky number\n",
        "type;name;login_uri;login_username;login_password;login_totp\n",
        "Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created\n",
    ]

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `garbage below a header never crashes and accounts for every row`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let header = Self.headers[Int(seed % UInt64(Self.headers.count))]
        let separators = header.utf8.filter { ",;\t".utf8.contains($0) }
        let alphabet = Array("\"\"login.\n\r:/h@[],9".utf8) + [0xFF, 0xC3, 0xB6] + separators
        let garbage = (0..<Int.random(in: 0...300, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? 0
        }
        let plan = try ImportPlan(bytes: Array(header.utf8) + garbage, format: nil)
        let itemRows = Set(plan.items.flatMap(\.rows))
        #expect(itemRows.count + plan.refusedRowCount == plan.rowCount, "seed \(seed)")
        #expect(plan.remarks.allSatisfy { itemRows.isSuperset(of: $0.rows) }, "seed \(seed)")
    }
}
