import KSDaemon
import KSKeychain
import KSMoving
import KSPersonalItems
import Testing

/// Entries of files that no program of this version writes, as items.
struct EntryItemTests {
    private func entry(_ type: String) -> Entry {
        var entry = Entry()
        (entry.type, entry.title, entry.itemClass) = (type, "Shop", "genp")
        return entry
    }

    @Test
    func `a rule of a newer program stays as it is`() throws {
        var entry = entry("login")
        entry.addresses = [.init("a.example", "regex"), .init("b.example", "host")]
        let item = PersonalItem(try EntryItem(entry, number: 1).item)
        #expect(item.addresses.map(\.match.rawValue) == ["regex", "host"])
    }

    @Test
    func `text that is no key stays in the field of a key`() throws {
        var entry = entry("ssh-key")
        entry.fields = [
            .init("public key", text: "ask Bob"), .init("private key", "secret", text: "none yet"),
        ]
        let item = PersonalItem(try EntryItem(entry, number: 1).item)
        #expect(item.type == .sshKey)
        #expect(item.fields.map(\.value) == [Array("ask Bob".utf8), Array("none yet".utf8)])
    }
}
