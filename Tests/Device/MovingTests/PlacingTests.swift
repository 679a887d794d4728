import KSMoving
import KSTestSupport
import Testing

/// The places of entries in a keychain.
struct PlacingTests {
    private func login(_ title: String, _ address: String, _ password: String) -> Entry {
        var entry = Entry()
        (entry.title, entry.userName, entry.secret) = (title, "kim", Array(password.utf8))
        entry.addresses = [.init(address)]
        return entry
    }

    private func placed(_ entries: EntryList) -> EntryList {
        var read = ReadEntries(format: "test")
        for (index, entry) in entries.enumerated() { read.append(entry, number: index + 1) }
        return EntryPlacing(read).entries
    }

    @Test
    func `a login at a site is an internet password, and keeps its path as an address`() {
        let entries = placed([
            login("A", "https://a.example:8443", "1"), login("B", "b.example/login", "2"),
            login("C", "android://x@com.example", "3"),
        ])
        #expect(entries.map(\.itemClass) == ["inet", "inet", "genp"])
        #expect(entries.map(\.place) == ["a.example", "b.example", "C"])
        #expect(entries.map { $0.addresses.count } == [0, 1, 1])
        #expect(entries[0].links.map(\.text) == ["https://a.example:8443"])
    }

    /// As tables do.
    @Test
    func `a host without a scheme is taken as https, by imports and writers alike`() throws {
        let entries: EntryList = [
            login("A", "a.example", "1"), login("B", "b.example:8443/login", "2"),
            login("C", "https://c.example", "3"),
        ]
        var read = ReadEntries(format: "test")
        for (index, entry) in entries.enumerated() { read.append(entry, number: index + 1) }
        let placing = EntryPlacing(read)
        #expect(placing.assumed == [1, 2])
        #expect(placing.entries.map(\.addresses.count) == [0, 1, 0])
        let links = ["https://a.example", "https://b.example:8443/login", "https://c.example"]
        #expect(placing.entries.flatMap(\.links).map(\.text) == links)
        for name in ["chrome", "firefox", "apple"] {
            let write = try #require(EntryFormat.named(name)?.write)
            let direct = try write(entries, TargetFile(time: 0))
            let stored = try write(placing.entries, TargetFile(time: 0))
            #expect(direct.leftOutCount == 0 && direct.files == stored.files, "\(name)")
            #expect(stored.notes.allSatisfy { !$0.part.hasPrefix("the address") }, "\(name)")
            let named = direct.notes.filter { $0.part.hasPrefix("the address") }
            #expect(named.map(\.entry) == [1, 2] && !named.hasLoss, "\(name)")
        }
    }

    /// A passkey that was a login without a password on its way has its site and user name.
    @Test
    func `of two entries the one with a password gets the site`() {
        var passkey = login("A", "https://a.example", "")
        (passkey.secret, passkey.created) = (nil, 1)
        var real = login("A", "https://a.example", "1")
        real.created = 2
        for entries in [[passkey, real], [real, passkey]] {
            let site = placed(EntryList(entries)).first { $0.itemClass == "inet" }
            #expect(site?.secretText == "1")
        }
    }

    /// Two logins of one site and user stay two, in whichever order the file has them.
    @Test(arguments: 1...10)
    func `logins of one site and user stay apart, whatever their order is`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let entries: EntryList = [
            login("One", "https://a.example/one", "1"), login("Two", "https://a.example/two", "2"),
            login("Two", "https://a.example/three", "3"),
        ]
        func places(_ entries: EntryList) -> Set<[String]> {
            Set(placed(entries).map { [$0.itemClass ?? "", $0.place, $0.title] })
        }
        let expected = places(entries)
        #expect(expected.count == 3)
        #expect(places(EntryList(entries.shuffled(using: &generator))) == expected)
        // Twice the same is one.
        #expect(placed([entries[0], entries[0]]).count == 1)
    }

    @Test
    func `names that no item can have are changed, and the change is named`() {
        var entry = login("A", "not an address", "1")
        entry.fields = [
            .init("password", text: "x"), .init("same", text: "1"), .init("same", text: "2"),
            .init("", text: "3"), .init("tab\tname", text: "4"),
        ]
        entry.tags = ["a\u{0}b", ""]
        var read = ReadEntries(format: "test")
        read.append(entry, number: 7)
        let placing = EntryPlacing(read)
        #expect(
            placing.entries[0].fields.map(\.name)
                == ["password (field)", "same", "same 2", "field", "tab name", "address"]
        )
        #expect(placing.entries[0].tags == ["a b"])
        #expect(placing.notes.count == 5 && placing.notes.allSatisfy { $0.entry == 7 })
        #expect(!placing.notes.hasLoss)
    }
}
