import Foundation
import KSCertificates
import KSTestPrograms
import Testing

/// The folder of the earlier programs; nil if the environment names no folder.
private let earlierPrograms = ProcessInfo.processInfo.environment["KEYCHAIN_SYNC_EARLIER"]

extension EndToEndTests {
    /// A day on one account with programs of an earlier version beside those of this one.
    ///
    /// `scripts/check-versions` builds the earlier programs, and names their folder.
    @Suite(.enabled(if: earlierPrograms != nil), .serialized)
    struct EarlierVersionTests {
        enum Version: String {
            case earlier, present

            var programs: String {
                self == .present ? Programs.folder : earlierPrograms ?? ""
            }
        }

        @Test(
            arguments: [
                (.earlier, [.present, .present]), (.present, [.earlier, .earlier]),
                (.earlier, [.earlier, .present]), (.present, [.earlier, .present]),
                (.present, [.present, .earlier]),
            ] as [(Version, [Version])]
        )
        func `after a day the devices have the same, and nothing is lost`(
            server: Version,
            devices: [Version]
        ) async throws {
            try await World.with(serverPrograms: server.programs) { world in
                let day = try await Day(in: world, devices.map(\.programs))
                try await day.addItems()
                try await day.edit()
                try await day.undo()
                try await day.revoke()
                try await day.fillAccount()
                try await day.suspendAccount()
                try await day.restoreServer()
                try await day.logOutAndIn()
                try await day.end()
            }
        }
    }
}

/// What people and an operator do with an account in a day.
private struct Day {
    private let world: World
    private let laptop: Device
    private let phone: Device
    /// A third device has the programs of the laptop.
    private let programs: String

    private var devices: [Device] { [laptop, phone] }

    init(in world: World, _ programs: [String]) async throws {
        self.world = world
        self.programs = programs[0]
        laptop = world.device("laptop", programs: programs[0])
        phone = world.device("phone", programs: programs[1])
        try await world.server.start()
        for device in devices { try await device.startDaemon() }
        try #require(try await laptop.signUp().status == 0)
        try #require(try await phone.logIn().status == 0)
    }

    // MARK: Steps

    /// Items of all kinds, a file, an import and values of all merge types.
    func addItems() async throws {
        let password = try world.write("one\n", to: "bank password")
        try await laptop.expect([
            "new", "login", "--title", "Bank", "--site", "bank.example", "--user", "ada",
            "--password-file", password, "--field", "branch=Nord", "--secret", "PIN=1111", "--otp",
            "JBSWY3DPEHPK3PXP", "--address", "https://pay.example=exact", "--note", "first",
            "--tag", "money", "--favorite",
        ])
        try await laptop.expect(["attach", "Bank", try world.writeBytes(40_000, to: "scan.pdf")])
        try await phone.save("mail", "one")
        try await phone.save("gone", "one")
        try await phone.expect([
            "add-internet-password", "--sync", "-r", "htps", "-s", "site.example", "-a", "ada",
            "-w", "one",
        ])
        let text = try world.write("under the stone\n", to: "note text")
        try await phone.expect(["new", "note", "House", "--text-file", text])
        try await phone.expect(["new", "card", "--title", "Visa", "--field", "number=4111"])
        let certificate = try certificate()
        for query in [
            #""kSecClass":"kSecClassCertificate","kSecValueData":{"$data":"hex:\#(certificate)"}"#,
            #""kSecClass":"kSecClassKey","kSecAttrApplicationLabel":{"$data":"utf8:key"}"#
                + #","kSecAttrLabel":"Key","kSecValueData":{"$data":"utf8:bytes"}"#,
        ] {
            let line = #"{"fn":"SecItemAdd","query":{"kSecAttrSynchronizable":true,\#(query)}}"#
            let answer = try await laptop.start("keychain", ["rpc"], input: line + "\n").result()
            #expect(answer.output.contains(#""status":0"#), "\(answer)")
        }
        let rows = (1...5).map { "Row \($0),https://row\($0).example,ada,password \($0)\n" }
        let table = try world.write("name,url,username,password\n" + rows.joined(), to: "t.csv")
        #expect(try await phone.client("import", table).status == 0)
        for (name, value) in Self.values {
            try await kv(laptop, "set", "app", name, value, "--type", name)
        }
        try await expectSame()
        for device in devices {
            let item = try await device.item("Bank")
            #expect(item["PIN"] == "1111" && item.password == "one" && item.tags == ["money"])
            let file = try await device.bytes(of: "scan.pdf", in: "Bank", to: world.path("copy"))
            #expect(file.count == 40_000)
        }
    }

    /// Edits of both devices without the server: some join, and some are a conflict.
    func edit() async throws {
        try await world.server.kill()
        for (device, word) in [(laptop, "laptop"), (phone, "phone")] {
            try await device.expect(["edit", "Bank", "--add", "\(word)=\(word)"])
            try await device.expect(["edit", "Bank", "--set", "branch=\(word)"])
            try await device.expect(["tag", "Bank", word])
            try await device.save("mail", "of the \(word)")
            try await kv(device, "increment", "app", "counter", "--by", "5")
            try await kv(device, "add", "app", "list", word, "--text")
            try await kv(device, "set-field", "app", "map", word, "1")
        }
        try await phone.expect(["delete-generic-password", "-s", "gone"])
        try await phone.expect(["rename", "House", "Garden"])
        try await world.server.start()
        try await expectSame()
        for device in devices {
            let bank = try await device.item("Bank")
            #expect(bank["laptop"] == "laptop" && bank["phone"] == "phone")
            #expect(bank["branch"] == "phone" && bank.conflicts == ["branch"])
            #expect(bank.tags == ["laptop", "money", "phone"])
            #expect(try await device.password("mail") == "of the phone")
            #expect(try await device.password("gone") == nil)
            let history = try await lookAtMail(device)
            for value in ["one", "of the laptop"] { #expect(history.contains(value), "\(history)") }
            #expect(try await kv(device, "get", "app", "counter") == "20\n")
            let list = try await kv(device, "get", "app", "list")
            for word in ["a", "laptop", "phone"] { #expect(list.contains("\"\(word)\"")) }
            #expect(try await device.item("Garden").type == "note")
        }
        try await laptop.expect(["edit", "Bank", "--set", "branch=settled"])
        try await expectSame()
        #expect(try await phone.item("Bank").conflicts == [])
    }

    /// An earlier value and a deleted item come back on the other device.
    func undo() async throws {
        try await phone.expect(["edit", "Bank", "--set", "note=second"])
        try await phone.expect(["rm", "Garden", "--yes"])
        try await expectSame()
        struct History: Decodable {
            struct Version: Decodable {
                let version: Int?
                let name: String
            }
            let versions: [Version]
        }
        let shown = try await laptop.run(["history", "Bank", "--json"])
        let history = try JSONDecoder().decode(History.self, from: Data(shown.output.utf8))
        let number = history.versions.first { $0.name == "note" && $0.version != nil }?.version
        try await laptop.expect(["restore", "Bank", String(try #require(number, "\(shown)"))])
        try await laptop.expect(["restore", "Garden"])
        try await expectSame()
        for device in devices {
            #expect(try await device.item("Bank").note == "first")
            let text = try await device.item("Garden").password
            #expect(text?.contains("under the stone") == true)
        }
    }

    /// A third device joins and is removed: it keeps what it has, and gets nothing more.
    func revoke() async throws {
        let tablet = world.device("tablet", programs: programs)
        try await tablet.startDaemon()
        #expect(try await tablet.logIn().status == 0)
        // A device lists a conflict until somebody has looked at it there.
        _ = try await lookAtMail(tablet)
        let different = try await differences(tablet, phone)
        #expect(different == [])
        let removed = try await phone.client("revoke", "tablet")
        #expect(removed.status == 0, "\(removed)")
        try await laptop.save("later", "one")
        try await expectSame()
        let refused = try await tablet.sync()
        #expect(refused.status == 77 && refused.errors.contains("removed"), "\(refused)")
        #expect(try await tablet.password("mail") == "of the phone")
        #expect(try await tablet.password("later") == nil)
        await (try tablet.runningDaemon).stop()
    }

    /// A full account takes nothing and loses nothing.
    func fillAccount() async throws {
        try await operate("accounts", "quota", World.account, "1")
        for number in 1...30 {
            try await laptop.save("big \(number)", String(repeating: "x", count: 40_000))
        }
        let full = try await laptop.sync()
        #expect(full.status == 1 && full.errors.contains("The account is full"), "\(full)")
        try await operate("accounts", "quota", World.account, "none")
        _ = try await laptop.client("doctor")
        try await expectSame()
        #expect(try await phone.password("big 30")?.count == 40_000)
    }

    func suspendAccount() async throws {
        try await operate("accounts", "suspend", World.account)
        try await phone.save("suspended", "one")
        let refused = try await phone.sync()
        #expect(refused.status == 77 && refused.errors.contains("has suspended"), "\(refused)")
        try await operate("accounts", "resume", World.account)
        try await expectSame()
        #expect(try await laptop.password("suspended") == "one")
    }

    /// The server goes back to a backup: the devices put it right.
    func restoreServer() async throws {
        let backup = world.path("backup")
        try await operate("backup", backup)
        try await laptop.save("mail", "after the backup")
        try await phone.expect(["delete-generic-password", "-s", "later"])
        try await kv(phone, "increment", "app", "counter", "--by", "5")
        try await expectSame()
        try await world.server.stop()
        try await operate("restore", backup, "--force")
        try await world.server.start()
        for device in devices {
            let isRight = try await eventually(seconds: 60) {
                try await device.hasCompared()
            }
            #expect(isRight, "\(device.name)")
        }
        try await expectSame()
        for device in devices {
            #expect(try await device.password("mail") == "after the backup")
            #expect(try await device.password("later") == nil)
            #expect(try await kv(device, "get", "app", "counter") == "25\n")
        }
    }

    /// A logout that keeps the items, and one that removes them.
    func logOutAndIn() async throws {
        let before = try await contents(laptop)
        for options in [["--keep-items"], []] {
            let logout = try await phone.start("sync-client", ["logout"] + options).result()
            #expect(logout.status == 0, "\(logout)")
            let login = try await phone.logIn()
            #expect(login.status == 0, "\(login)")
            try await expectSame()
        }
        #expect(try await contents(phone) == before)
    }

    /// The account ends with its owner's word, and the device keeps its items.
    func end() async throws {
        let before = try await contents(laptop)
        let deleted = try await laptop.client(
            "delete-account",
            "--yes",
            "--password-file",
            world.passwordFile
        )
        #expect(deleted.status == 0, "\(deleted)")
        let refused = try await phone.sync()
        #expect(refused.status == 77, "\(refused)")
        #expect(try await titles(laptop).count == before.count - 1)
    }

    // MARK: Parts

    /// Each merge type with a value.
    private static let values = [
        ("register", "0"), ("max", "5"), ("min", "5"), ("counter", "10"), ("set", #"["a"]"#),
        ("map", #"{"x":1}"#), ("list", #"["a"]"#),
    ]

    /// Syncs the devices, and compares all that they have.
    private func expectSame(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // Others' requests may meet a server that has just started.
        for device in devices { _ = try await device.sync() }
        for device in devices {
            let isSynced = try await eventually(seconds: 60) {
                try await device.sync().status == 0
            }
            let status = try await device.client("status").output
            #expect(isSynced, "\(device.name): \(status)", sourceLocation: sourceLocation)
            #expect(status.contains("\nunsent       0\n"), "\(status)")
        }
        _ = try await laptop.sync()
        let different = try await differences(laptop, phone)
        #expect(different == [], sourceLocation: sourceLocation)
    }

    private func lookAtMail(_ device: Device) async throws -> String {
        let words = ["history", "-s", "mail", "-a", "ada", "--show-secrets"]
        return try await device.start("sync-client", words).result().output
    }

    /// What only one of two devices has.
    private func differences(_ left: Device, _ right: Device) async throws -> [String] {
        let (left, right) = (try await contents(left), try await contents(right))
        return Set(left).symmetricDifference(right).map { String($0.prefix(1500)) }.sorted()
    }

    private func titles(_ device: Device) async throws -> [String] {
        struct Listed: Decodable { let title: String }
        let list = try await device.run(["list", "--json"])
        try #require(list.status == 0, "\(list)")
        return try JSONDecoder().decode([Listed].self, from: Data(list.output.utf8))
            .map(\.title).sorted()
    }

    /// Each item with its secrets and its code, and the key-value store.
    private func contents(_ device: Device) async throws -> [String] {
        var contents: [String] = []
        for title in try await titles(device) {
            let item = try await device.item(title)
            contents.append("\(item)")
        }
        return contents + [try await kv(device, "export", "app")]
    }

    @discardableResult
    private func kv(_ device: Device, _ arguments: String...) async throws -> String {
        let result = try await device.start("sync-client", ["kv"] + arguments).result()
        #expect(result.status == 0, "\(arguments): \(result)")
        return result.output
    }

    private func operate(_ arguments: String...) async throws {
        let result = try await world.server.command(arguments)
        #expect(result.status == 0, "\(arguments): \(result)")
    }

    /// A certificate in DER, as hexadecimal digits.
    private func certificate() throws -> String {
        let made = try SelfSignedCertificate.make(
            hostNames: ["cert.example"],
            addresses: [],
            validDays: 30,
            now: UInt64(Date().timeIntervalSince1970)
        )
        let lines = made.certificatePEM.split(separator: "\n").filter { !$0.hasPrefix("-") }
        let bytes = try #require(Data(base64Encoded: lines.joined()))
        return bytes.map { String(format: "%02x", $0) }.joined()
    }
}
