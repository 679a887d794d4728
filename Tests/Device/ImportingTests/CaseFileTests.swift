import Foundation
import KSImporting
import Testing

/// Files of other programs, under `Cases`.
struct CaseFileTests {
    private func plan(_ name: String) throws -> ImportPlan {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Cases")
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
        return try ImportPlan(bytes: bytes, format: nil)
    }

    /// Each item as its server, port, account and secrets.
    private func shown(_ plan: ImportPlan) -> [String] {
        plan.items.map { item in
            let port = item.port == 0 ? "" : ":\(item.port)"
            let secrets = item.secrets.map { String(decoding: $0, as: UTF8.self) }
            return "\(item.server)\(port) \(item.account) \(secrets.joined(separator: "|"))"
        }
    }

    /// Each report as its row and reason.
    private func findings(_ plan: ImportPlan) -> [String] {
        plan.findings.map { "\($0.row) \($0.reason.rawValue)" }
    }

    /// Each remark as its column, reason and rows.
    private func remarks(_ plan: ImportPlan) -> [String] {
        plan.remarks.map { "\($0.column) \($0.reason.rawValue) \(RowNumbers.text($0.rows))" }
    }

    @Test
    func `LastPass's note, one-time code and folder are kept, its secure note is no login`()
        throws
    {
        let plan = try plan("lastpass.csv")
        #expect(plan.format == .lastpass)
        #expect(shown(plan) == ["bank.example.net vera lp,1\"x"])
        #expect(
            plan.items.map(\.comment) == [
                "PIN of the card: 4711\nsecond line\nfolder: Money"
            ]
        )
        #expect(plan.items.map(\.oneTimeCodes) == [["KRSXG5CTMVRXEZLU"]])
        #expect(plan.items.map(\.label) == ["Kestrel Bank"])
        #expect(findings(plan) == ["3 not_a_login"])
        #expect(remarks(plan) == ["url path_left_out 2"])
    }

    @Test
    func `KeePassXC's one-time code and group are kept`() throws {
        let plan = try plan("keepassxc.csv")
        #expect(plan.format == .keepassxc)
        #expect(shown(plan) == ["heron.example.org olaf kp-2"])
        let code = "otpauth://totp/Heron:olaf?secret=MFRGGZDFMZTWQ2LK&issuer=Heron"
        #expect(plan.items.map(\.label) == ["Heron Mail"])
        #expect(
            plan.items.map { $0.comment.split(separator: "\n").sorted() } == [
                ["folder: Web", "say hello"]
            ]
        )
        #expect(plan.items.map(\.oneTimeCodes) == [[code]])
        #expect(remarks(plan) == ["Created column_left_out 2"])
    }

    @Test
    func `each site of a login is found under its own host`() throws {
        let plan = try plan("bitwarden-uris.csv")
        #expect(
            shown(plan) == [
                "owl.example.org ute bw-1", "owl.example.net ute bw-1",
                "crow.example.org ute bw-2", "crow.example.net ute bw-2",
                "jay.example.org ute bw-3", "jay.example.net ute bw-3",
                "finch.example.org ute bw-4", "tit.example.org ute bw-5",
                "www.dove.example.org ute bw-6", "nas.example.org:5001 ute bw-7",
            ]
        )
        #expect(plan.items.allSatisfy { $0.protocolCode == "htps" })
        #expect(plan.items[6].comment == "address: androidapp://com.example.finch")
        #expect(plan.findings.isEmpty)
        #expect(
            remarks(plan) == [
                "login_uri path_left_out 2, 6-7", "login_uri https_assumed 3-4, 7-8",
            ]
        )
    }

    @Test
    func `Firefox's own dates say which password is current`() throws {
        let plan = try plan("firefox-dates.csv")
        #expect(plan.format == .firefox)
        #expect(shown(plan) == ["swift.example.org kim new-2|old-1"])
        #expect(plan.items.map(\.secretRows) == [[3, 2]])
        #expect(findings(plan) == ["4 not_a_login"])
    }

    @Test
    func `1Password's hosts without a scheme are sites, and what has no place is named`() throws {
        let plan = try plan("onepassword.csv")
        #expect(plan.format == .onePassword)
        #expect(
            shown(plan) == [
                "www.kea.example.org bo 1p-1", "192.168.7.1 admin 1p-2",
                "kea-mail.example.org bo 1p-3",
            ]
        )
        #expect(plan.items.map(\.comment) == ["n", "", "n2\ntags: work,mail"])
        let code = "otpauth://totp/x?secret=NBSWY3DP"
        #expect(plan.items.map(\.oneTimeCodes) == [[], [], [code]])
        #expect(
            remarks(plan) == [
                "Favorite column_left_out 4", "Archived column_left_out 3",
                "Url path_left_out 3-4", "Url https_assumed 2-4",
            ]
        )
    }

    @Test
    func `semicolons separate columns too`() throws {
        let plan = try plan("semicolon.csv")
        #expect(plan.format == .chrome && plan.separator == .semicolon)
        #expect(shown(plan) == ["pipit3.example.org bo bf-3"])
    }

    // MARK: Files that browsers wrote

    @Test(arguments: [
        ("chromium-156", ImportFormat.chrome, 16), ("chromium-after-firefox-import", .chrome, 13),
        ("chromium-after-own-import", .chrome, 15), ("firefox-esr-153", .firefox, 16),
        ("firefox-after-chromium-import", .firefox, 14),
        ("keepassxc-after-chromium-import-defaults", .keepassxc, 17),
    ])
    func `every row of a program's file is imported, and every password is kept`(
        name: String,
        format: ImportFormat,
        rowCount: Int
    ) throws {
        let plan = try plan("browsers/\(name).csv")
        #expect(plan.format == format && plan.rowCount == rowCount)
        #expect(plan.findings.allSatisfy { $0.reason == .otherName })
        let rows = plan.items.flatMap(\.rows).sorted()
        #expect(rows == Array(2..<(rowCount + 2)))
        let secretCount = plan.items.reduce(0) { $0 + $1.secrets.count }
        #expect(secretCount + plan.equalRowCount == rowCount)
    }

    @Test
    func `Firefox's realms, forms and dates are distinguished`() throws {
        let plan = try plan("browsers/firefox-esr-153.csv")
        let twice = plan.items.filter { $0.server == "twice.example" }
        #expect(twice.map(\.securityDomain) == ["", "Staff"])
        // Of one login with two forms the later password is current.
        #expect(twice[0].secrets == [Array("sso-pw".utf8), Array("form-pw".utf8)])
        let router = plan.items.filter { $0.server == "127.0.0.1" }
        #expect(router.map(\.securityDomain) == ["Router \"Admin\", floor 2", "Zone B"])
        let unread = plan.remarks.filter { $0.reason == .columnLeftOut }
        #expect(
            unread.map(\.column) == ["formActionOrigin", "guid", "timeCreated", "timeLastUsed"]
        )
        #expect(unread[1].rows == Array(2...17))
    }

    @Test
    func `an entry whose title is its address is filed under it`() throws {
        let plan = try plan("browsers/keepassxc-after-chromium-import-defaults.csv")
        let bank = try #require(plan.items.first { $0.server == "bank.example" })
        #expect(bank.protocolCode == "htps" && bank.account == "robin.f")
        // Its import put the notes into the column of addresses.
        let plain = try #require(plan.items.first { $0.server == "plain.example" })
        #expect(plain.comment == "folder: http:/plain.example\nno user name here")
        #expect(plan.items.contains { $0.server == "127.0.0.1" && $0.port == 18_080 })
    }
}
