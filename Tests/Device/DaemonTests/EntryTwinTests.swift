import KSDaemon
import KSKeychain
import KSKeychainFiles
import KSMoving
import Testing

/// Logins of one site and user name that are imported again: which item each of them means.
struct EntryTwinTests {
    private func call(_ file: String, prefer: String? = nil) throws -> ImportEntries {
        let read = try EntryFormat.readFile(SourceFile(Array(file.utf8)))
        let placing = EntryPlacing(read)
        return ImportEntries(
            entries: Array(placing.entries),
            numbers: placing.numbers.map { Int64($0) },
            prefer: prefer,
            namesRealms: read.namesRealms
        )
    }

    private func take(_ file: String, _ device: EnrolledOwner) async throws -> String {
        try await device.owner.take(call(file)).shown
    }

    /// The title and password of each login of u, and its realm and form.
    private func logins(_ device: EnrolledOwner) async throws -> [String] {
        var found: [Item] = []
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            let query = KeychainQuery(
                itemClass,
                attributes: [.account: .string("u")],
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
        return found.map { item in
            var texts = [String(decoding: item.secret ?? [], as: UTF8.self)]
            for name in [AttributeName.label, .securityDomain] {
                if case .string(let text)? = item.attributes[name], !text.isEmpty {
                    texts.append(text)
                }
            }
            let form = item.extras[ItemExtra.field(Entry.formField).valueName]
            if let content = form.flatMap(ItemField.Content.init(decoding:)) {
                texts.append("to " + String(decoding: content.bytes, as: UTF8.self))
            }
            return texts.joined(separator: " ")
        }.sorted()
    }

    // MARK: Titles and histories

    /// Bitwarden's export of logins at https://d.example.
    private func vault(_ logins: (title: String, password: String)..., year: Int) -> String {
        let items = logins.map { login in
            #"{"type":1,"name":"\#(login.title)","revisionDate":"\#(year)-01-01T00:00:00Z","#
                + #""creationDate":"2020-01-01T00:00:00Z","login":{"username":"u","#
                + #""password":"\#(login.password)","uris":[{"uri":"https://d.example"}]}}"#
        }
        return #"{"encrypted":false,"items":[\#(items.joined(separator: ","))]}"#
    }

    @Test
    func `each of two logins of a site gets its own newer password, by its title`() async throws {
        let device = try await EnrolledOwner()
        #expect(try await take(vault(("A", "pa"), ("B", "pb"), year: 2024), device) == "2 0 0 0")
        let second = vault(("A", "pa"), ("B", "pb2"), year: 2029)
        #expect(try await take(second, device).hasPrefix("0 "))
        #expect(try await logins(device) == ["pa A", "pb2 B"])
        // Only the second one, and then both, each with a password that the other one had.
        #expect(try await take(vault(("B", "pb3"), year: 2030), device) == "0 1 0 0")
        #expect(try await take(vault(("B", "pa"), ("A", "pb3"), year: 2031), device) == "0 2 0 0")
        #expect(try await logins(device) == ["pa B", "pb3 A"])
        // One has the password of the other.
        #expect(try await take(vault(("B", "pb3"), year: 2032), device) == "0 1 0 0")
        #expect(try await logins(device) == ["pb3 A", "pb3 B"])
    }

    /// A title that two have, and one that is the site, say nothing.
    @Test(arguments: ["Same", "d.example"])
    func `the own history of a login says which item it is`(title: String) async throws {
        let device = try await EnrolledOwner()
        let two = vault((title, "pa"), (title, "pb"), year: 2024)
        #expect(try await take(two, device) == "2 0 0 0")
        let newer =
            #"{"format":"keychain-sync","version":1,"items":[{"title":"\#(title)","#
            + #""userName":"u","password":"pb2","addresses":[{"url":"https://d.example"}],"#
            + #""changed":"2029-01-01T00:00:00Z","#
            + #""history":[{"what":"password","value":"pb","time":"2024-01-01T00:00:00Z"}]}]}"#
        #expect(try await take(newer, device) == "0 1 0 0")
        #expect(try await logins(device) == ["pa \(title)", "pb2 \(title)"])
    }

    @Test
    func `where nothing says which login it is, it is added and named`() async throws {
        let device = try await EnrolledOwner()
        let two = vault(("Same", "pa"), ("Same", "pb"), year: 2024)
        #expect(try await take(two, device) == "2 0 0 0")
        let third = vault(("Same", "pc"), year: 2029)
        #expect(try await take(third, device) == "1 0 0 0 1 other_form")
        #expect(try await logins(device) == ["pa Same", "pb Same", "pc Same"])
        #expect(try await take(third, device) == "0 0 1 0")
    }

    /// It is no item of the site, but has the user name.
    @Test
    func `an item of the same title at another site stays as it is`() async throws {
        let device = try await EnrolledOwner()
        let others = vault(("A", "pa"), ("B", "pb"), year: 2024)
            .replacing("https://d.example", with: "https://other.example")
        #expect(try await take(others, device) == "2 0 0 0")
        let both = vault(("B", "p1"), ("C", "p2"), year: 2029)
        #expect(try await take(both, device) == "2 0 0 0")
        #expect(try await logins(device) == ["p1 B", "p2 C", "pa A", "pb B"])
    }

    // MARK: Browsers

    private static let site = "twice.example"

    private func chrome(_ passwords: String...) -> String {
        "name,url,username,password,note\n"
            + passwords.map { "\(Self.site),https://\(Self.site)/,u,\($0),\n" }.joined()
    }

    /// A login at a form, and one at a realm.
    private func firefox(_ form: String, _ realm: String, changed: Int = 1) -> String {
        let times = "{x},1700000000000,1,\(changed)700000000000\n"
        return "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,"
            + "timePasswordChanged\n"
            + "https://\(Self.site),u,\(form),,\"https://\(Self.site)\",\(times)"
            + "https://\(Self.site),u,\(realm),\"Staff\",,\(times)"
    }

    /// Chrome has one of the two, and says nothing of realms and forms.
    @Test
    func `a login at a form does not become that of a realm which another program had`()
        async throws
    {
        let device = try await EnrolledOwner()
        #expect(try await take(chrome("basic"), device) == "1 0 0 0")
        #expect(try await take(firefox("form", "basic"), device) == "1 1 0 0")
        let both = ["basic \(Self.site) Staff", "form \(Self.site) to https://\(Self.site)"]
        #expect(try await logins(device) == both)
        #expect(try await take(firefox("form", "basic"), device) == "0 0 2 0")
        #expect(try await take(chrome("basic"), device) == "0 0 1 0")
        #expect(try await take(firefox("form 2", "basic 2", changed: 3), device) == "0 2 0 0")
        #expect(
            try await logins(device) == [
                "basic 2 \(Self.site) Staff", "form 2 \(Self.site) to https://\(Self.site)",
            ]
        )
        // The other way round.
        let other = try await EnrolledOwner()
        #expect(try await take(chrome("form"), other) == "1 0 0 0")
        #expect(try await take(firefox("form", "basic"), other) == "1 1 0 0")
        #expect(try await logins(other) == both)
    }

    /// They are of the item without a realm, which stays.
    @Test
    func `earlier passwords stay where they are`() async throws {
        let device = try await EnrolledOwner()
        #expect(try await take(chrome("first"), device) == "1 0 0 0")
        let newer = try call(chrome("basic"), prefer: "file")
        #expect(try await device.owner.take(newer).shown == "0 1 0 0")
        #expect(try await take(firefox("form", "basic"), device) == "2 0 0 0")
        #expect(
            try await logins(device) == [
                "basic \(Self.site)", "basic \(Self.site) Staff",
                "form \(Self.site) to https://\(Self.site)",
            ]
        )
        #expect(try await take(firefox("form", "basic"), device) == "0 0 2 0")
    }

    /// Without an account there is no history to hold the other password.
    @Test
    func `without an account both logins are taken, too`() throws {
        let device = try EmptyKeychain()
        #expect(try device.take(call(chrome("basic"))).shown == "1 0 0 0")
        #expect(try device.take(call(firefox("form", "basic"))).shown == "1 1 0 0")
        #expect(try device.take(call(firefox("form", "basic"))).shown == "0 0 2 0")
    }

    @Test
    func `a password that is replaced counts as a change, and is named`() throws {
        let device = try EmptyKeychain()
        func row(_ password: String, _ note: String) -> String {
            "name,url,username,password,note\nx,https://x.example/,u,\(password),\(note)\n"
        }
        #expect(try device.take(call(row("one", "n1"))).shown == "1 0 0 0")
        let taken = try device.take(call(row("two", "n2"), prefer: "file"))
        #expect(taken.shown == "0 1 0 0 2 present, 2 other_form")
        #expect(
            taken.notes.last?.sentence
                == "Entry 2 (x): the password is replaced, and the earlier one becomes a field."
        )
    }
}
