import KSDaemon
import KSKeychain
import KSKeychainFiles
import KSMoving
import Testing

/// Logins of one site and user that a file tells apart, and rules of addresses, on a device with
/// an account.
struct SavedLoginTests {
    /// A row of Firefox's table for ann at https://a.example.
    private func row(
        _ password: String,
        realm: String? = nil,
        form: String? = nil,
        created: Int = 1,
        changed: Int = 1
    ) -> String {
        let place = [realm, form].map { $0.map { "\"\($0)\"" } ?? "" }.joined(separator: ",")
        let times = "\(created)000000000000,1,\(changed)000000000000"
        return "https://a.example,ann,\(password),\(place),{x},\(times)\n"
    }

    private func take(_ rows: [String], _ device: EnrolledOwner) async throws -> String {
        let header =
            "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,"
            + "timePasswordChanged\n"
        return try await take(header + rows.joined(), device)
    }

    private func take(_ file: String, _ device: EnrolledOwner) async throws -> String {
        let read = try EntryFormat.readFile(SourceFile(Array(file.utf8)))
        let placing = EntryPlacing(read)
        let call = ImportEntries(
            entries: Array(placing.entries),
            numbers: placing.numbers.map { Int64($0) },
            namesRealms: read.namesRealms
        )
        return try await device.owner.take(call).shown
    }

    private func items(_ user: String, _ device: EnrolledOwner) async throws -> [Item] {
        var found: [Item] = []
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            let query = KeychainQuery(
                itemClass,
                attributes: [.account: .string(user)],
                synchronizable: .any,
                access: KeychainFile.access,
                wantsSecret: true,
                wantsExtras: true
            )
            do {
                found += try await device.owner.find(query)
            } catch ItemStoreError.itemNotFound {
                continue
            }
        }
        return found
    }

    /// The password, realm and form of each login of ann's.
    private func logins(_ device: EnrolledOwner) async throws -> [String] {
        try await items("ann", device).map { item in
            var texts = [String(decoding: item.secret ?? [], as: UTF8.self)]
            if case .string(let realm)? = item.attributes[.securityDomain], !realm.isEmpty {
                texts.append(realm)
            }
            let form = item.extras[ItemExtra.field(Entry.formField).valueName]
            if let content = form.flatMap(ItemField.Content.init(decoding:)) {
                texts.append(String(decoding: content.bytes, as: UTF8.self))
            }
            return texts.joined(separator: " ")
        }.sorted()
    }

    private static let (own, sso) = ("https://a.example", "https://sso.example")

    /// The form of the site itself, and any form, which the table leaves empty.
    @Test(arguments: [own, ""])
    func `a changed login of a form stays apart from one at a realm`(form: String) async throws {
        let device = try await EnrolledOwner()
        let realm = row("at realm", realm: "Staff")
        let first = [realm, row("one", form: form)]
        #expect(try await take(first, device) == "2 0 0 0")
        #expect(try await take(first, device) == "0 0 2 0")
        let changed = row("two", form: form, changed: 2)
        for _ in 1...2 { #expect(try await take([changed], device).hasPrefix("0 ")) }
        #expect(try await take([realm, changed], device) == "0 0 2 0")
        let shown = form.isEmpty ? "two" : "two \(form)"
        #expect(try await logins(device) == ["at realm Staff", shown])
        // The other way round.
        let newer = row("at realm 2", realm: "Staff", changed: 3)
        #expect(try await take([changed, newer], device) == "0 1 1 0")
        #expect(try await logins(device) == ["at realm 2 Staff", shown])
    }

    /// A file without realms means the login at a realm that has its password; Firefox's does not.
    @Test
    func `a login of a form with the password of one at a realm is a second one`() async throws {
        let device = try await EnrolledOwner()
        let rows = [row("same", realm: "Staff"), row("same", form: Self.own)]
        #expect(try await take(rows, device) == "2 0 0 0")
        #expect(try await take(rows, device) == "0 0 2 0")
        #expect(try await logins(device) == ["same Staff", "same \(Self.own)"])
    }

    /// In any order, and with only one of them in the file.
    @Test(arguments: ["one", "other"])
    func `two forms of a site and user are two logins, and each gets its own changes`(
        second: String
    ) async throws {
        let device = try await EnrolledOwner()
        let (first, other) = (row("one", form: Self.own), row(second, form: Self.sso))
        #expect(try await take([first, other], device) == "2 0 0 0")
        #expect(try await take([other, first], device) == "0 0 2 0")
        #expect(try await take([other], device) == "0 0 1 0")
        let changed = row("changed", form: Self.sso, changed: 2)
        #expect(try await take([changed], device) == "0 1 0 0")
        #expect(try await take([first, changed], device) == "0 0 2 0")
        #expect(try await logins(device) == ["changed \(Self.sso)", "one \(Self.own)"])
        // A third one, older than all others, so that it would get the place of the first.
        let third = row("one", form: "https://third.example", created: 0)
        #expect(try await take([third], device) == "1 0 0 0")
        #expect(try await take([third, first, changed], device) == "0 0 3 0")
    }

    /// Its place is that of another login with its realm.
    @Test
    func `a realm that an item cannot have is named`() async throws {
        let device = try await EnrolledOwner()
        let items = ["1", "2"].map {
            #"{"type":"login","title":"t","userName":"ann","password":"\#($0)","realm":"R","#
                + #""addresses":[{"url":"https://a.example"}]}"#
        }
        let file =
            #"{"format":"keychain-sync","version":1,"items":["#
            + items.joined(separator: ",") + "]}"
        #expect(try await take(file, device) == "2 0 0 0 2 not_held")
    }

    // MARK: Rules

    private func vault(_ uris: String...) -> String {
        let list = uris.map { "{\($0)}" }.joined(separator: ",")
        return #"{"encrypted":false,"items":[{"type":1,"name":"A","login":{"username":"ann","#
            + #""password":"p","uris":[\#(list)]}}]}"#
    }

    private func rule(_ address: String, _ device: EnrolledOwner) async throws -> String? {
        let name = ItemExtra.address(address).valueName
        let rules = try await items("ann", device).compactMap { $0.extras[name] }
        return rules.first.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The site itself may be one of them, which usually is no address of its item.
    @Test(arguments: ["https://a.example/x", "https://a.example"])
    func `of two rules of one address the first is kept, and the second is named`(
        address: String
    ) async throws {
        let device = try await EnrolledOwner()
        let uris = [#""uri":"\#(address)","match":0"#, #""uri":"\#(address)","match":3"#]
        for _ in 1...2 {
            let taken = try await take(vault(uris[0], uris[1]), device)
            #expect(taken.hasSuffix(" 1 not_held"), "\(taken)")
        }
        #expect(try await rule(address, device) == "domain")
        let other = try await EnrolledOwner()
        #expect(try await take(vault(uris[1], uris[0]), other) == "1 0 0 0 1 not_held")
        #expect(try await rule(address, other) == "exact")
        // The rule of a later file is not newer, since it has no time.
        let start = vault(#""uri":"\#(address)","match":2"#)
        #expect(try await take(start, other) == "0 0 0 1 1 present")
        #expect(try await rule(address, other) == "exact")
        // A file that says nothing of rules has no other one.
        #expect(try await take(vault(#""uri":"\#(address)""#), other) == "0 0 1 0")
    }

    @Test
    func `a rule that is not known is kept as it is, and named`() async throws {
        let device = try await EnrolledOwner()
        func file(_ rule: String) -> String {
            #"{"format":"keychain-sync","version":1,"items":[{"title":"t","userName":"ann","#
                + #""addresses":[{"url":"https://a.example/x","match":"\#(rule)"}]}]}"#
        }
        #expect(try await take(file("fuzzy ü"), device) == "1 0 0 0 1 other_form")
        #expect(try await take(file("fuzzy ü"), device) == "0 0 1 0 1 other_form")
        #expect(try await rule("https://a.example/x", device) == "fuzzy ü")
        let other = try await EnrolledOwner()
        let long = String(repeating: "x", count: 300)
        #expect(try await take(file(long), other) == "1 0 0 0 1 not_held")
        #expect(try await rule("https://a.example/x", other) == "exact")
    }
}
