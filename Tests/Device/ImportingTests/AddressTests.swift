import KSImporting
import Testing

/// Where a row is filed: people look for a site by its host.
struct AddressTests {
    /// The servers, each with its port, of one Bitwarden login with these addresses; then the
    /// comment.
    private func filed(_ addresses: String, name: String = "n") throws -> [String] {
        let table = """
            type,name,login_uri,login_username,login_password
            login,"\(name)","\(addresses)",ada,pw
            """
        let plan = try ImportPlan(bytes: Array(table.utf8), format: nil)
        let servers = plan.items.map { $0.port == 0 ? $0.server : "\($0.server):\($0.port)" }
        return servers + plan.items.prefix(1).map(\.comment).filter { !$0.isEmpty }
    }

    @Test(arguments: [
        ("https://a.example,https://b.example/x,http://c.example", "a.example b.example c.example"),
        ("a.example, b.example:81 ,192.168.1.1", "a.example b.example:81 192.168.1.1"),
        ("https://a.example/list/1,2,b.html", "a.example"),
        ("https://a.example/list/1,b.example", "a.example b.example"),
        ("https://a.example/?q=1,b:2,c/d", "a.example"),
        ("https://a.example,https://A.example/login", "a.example"),
        ("https://a.example,http://a.example", "a.example a.example"),
        ("[2001:db8::1]:8080,localhost", "2001:db8::1:8080 localhost"),
        ("a.example,xn--fiqs8s.xn--fiqs8s", "a.example xn--fiqs8s.xn--fiqs8s"),
        (",a.example,", "a.example"), ("a.example,note,b.example/,c", "a.example b.example"),
    ])
    func `a comma separates where another address follows`(
        addresses: String,
        servers: String
    ) throws {
        let filed = try filed(addresses).filter { $0 != "note" }
        #expect(filed.joined(separator: " ") == servers)
    }

    @Test
    func `a site comes before an app, and an app before other text`() throws {
        let app = "androidapp://org.example"
        #expect(try filed("\(app),a.example") == ["a.example", "address: " + app])
        #expect(try filed("\(app),iosapp://x") == [app, "address: iosapp://x"])
        #expect(try filed("my note, \(app)") == [app, "my note"])
        #expect(try filed("my note") == ["n", "my note"])
        #expect(try filed("my note", name: "https://b.example/") == ["b.example", "my note"])
        #expect(try filed("router") == ["router"])
    }

    @Test
    func `a cell with very many commas or sites is read at once, and nothing of it is lost`()
        throws
    {
        let commas = "https://a.example/" + String(repeating: ",", count: 1 << 20)
        #expect(try filed(commas) == ["a.example"])
        let sites = (0..<10_000).map { "s\($0).example" }
        let found = try filed(sites.joined(separator: ","))
        #expect(found.prefix(100) == sites.prefix(100))
        #expect(found.last == sites.dropFirst(100).joined(separator: "\n"))
    }

    // MARK: Rows of KeePassXC that are no logins

    @Test(arguments: [
        ("Root/Recycle Bin", "ada", "pw", ImportFinding.Reason.deleted),
        ("Root/Recycle Bin/Old", "ada", "pw", .deleted),
        ("Root", "ada", "{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}", .reference),
        ("Root", "{ref:U@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}", "pw", .reference),
        ("Root", "ada", "", .noPassword),
    ])
    func `deleted entries and references are named, and not imported`(
        group: String,
        account: String,
        password: String,
        reason: ImportFinding.Reason
    ) throws {
        let table = """
            "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified"
            "\(group)","t","\(account)","\(password)","a.example","","","",""
            """
        let plan = try ImportPlan(bytes: Array(table.utf8), format: nil)
        #expect(plan.items.isEmpty && plan.findings.map(\.reason) == [reason])
        #expect(plan.remarks.isEmpty)
    }

    // MARK: Which password is current

    @Test
    func `dates decide, and rows without one come after those with one`() throws {
        let header = "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Last Modified\"\n"
        let rows = [
            ("undated", ""), ("old", "2024-12-31T23:59:59Z"), ("new", "2026-02-02T10:00:00Z"),
            ("also undated", "yesterday"), ("old", "2025-01-01T00:00:00Z"),
            ("middle", "2025-01-01T00:00:01Z"),
        ]
        let lines = rows.map { "Root,t,ada,\($0.0),a.example,\($0.1)\n" }.joined()
        let plan = try ImportPlan(bytes: Array((header + lines).utf8), format: nil)
        let item = try #require(plan.items.first)
        let secrets = item.secrets.map { String(decoding: $0, as: UTF8.self) }
        #expect(secrets == ["new", "middle", "old", "undated", "also undated"])
        #expect(item.secretRows == [4, 7, 3, 2, 5])
    }

    @Test(arguments: [
        ([] as [Int], ""), ([3], "3"), ([2, 3], "2-3"), ([2, 4, 5, 6, 9], "2, 4-6, 9"),
        ([3, 3, 4, 4, 8], "3-4, 8"),
    ])
    func `numbers of rows are shown as ranges`(rows: [Int], text: String) {
        #expect(RowNumbers.text(rows) == text)
    }
}
