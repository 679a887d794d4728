import KSKeychain
import KSPersonalItems
import KSResolution
import KSTestSupport
import Testing

/// An item as people see it, and what an edit changes of it.
struct PersonalItemTests {
    private func item(_ extras: ItemExtras = [:]) -> PersonalItem {
        PersonalItem(
            Item(
                .internetPassword,
                attributes: [
                    .label: .string("Bank"), .server: .string("bank.example"),
                    .account: .string("ann"), .comment: .string("a note"),
                ],
                extras: extras
            )
        )
    }

    private func applying(_ edit: ItemEdit, to item: PersonalItem) throws -> PersonalItem {
        var changed = item.item
        changed.extras.change(try edit.changes(of: item))
        return PersonalItem(changed)
    }

    private func text(_ name: String, _ value: String, _ kind: ItemField.Kind = .text) -> ItemField
    {
        ItemField(name: name, kind: kind, value: Array(value.utf8))
    }

    private func refusal(_ change: (inout ItemEdit) -> Void) -> ItemEditError? {
        var edit = ItemEdit()
        change(&edit)
        do throws(ItemEditError) {
            _ = try edit.changes(of: item())
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `fields keep the order in which they are added, and one can be moved`() throws {
        var edit = ItemEdit()
        edit.fields = ["one", "two", "three"].map { .init(text($0, $0)) }
        let item = try applying(edit, to: item())
        #expect(item.fields.map(\.name) == ["one", "two", "three"])
        var move = ItemEdit()
        move.fields = [.init(text("three", "three"), before: "one")]
        let moved = try applying(move, to: item)
        #expect(moved.fields.map(\.name) == ["three", "one", "two"])
        #expect(try move.changes(of: item).count == 1, "only the position changes")
    }

    @Test
    func `an edit changes what it names and nothing else`() throws {
        var edit = ItemEdit()
        edit.fields = [.init(text("PIN", "1234", .secret))]
        edit.addedTags = ["work"]
        edit.addedAddresses = [.init("https://a.example", .host)]
        edit.isFavorite = true
        edit.type = .login
        let first = try applying(edit, to: item())
        #expect(first.tags == ["work"] && first.isFavorite && first.type == .login)
        #expect(first.addresses == [.init("https://a.example", .host)])
        #expect(first.field("PIN")?.value == Array("1234".utf8))
        #expect(try edit.changes(of: first).isEmpty, "the same again changes nothing")
        var other = ItemEdit()
        other.isFavorite = false
        other.removedTags = ["work"]
        other.removedFields = ["PIN"]
        other.removedAddresses = ["https://a.example"]
        let second = try applying(other, to: first)
        #expect(second.tags.isEmpty && !second.isFavorite && second.fields.isEmpty)
        #expect(second.addresses.isEmpty)
        #expect(second.item.extras.keys.allSatisfy { $0 == ItemMark.type.extra.valueName })
    }

    @Test
    func `values of a kind that is not known are kept through an edit`() throws {
        let strange = ValueName(kind: ValueName.Kind.extra, nameBytes: [1, 2, 3])
        let newer = ItemField(name: "iris", kind: .init(rawValue: "scan"), value: [1, 2])
        let before = item([
            strange: [7],
            ItemExtra.field("iris").valueName: ItemField.Content(newer.kind, newer.value).encoded,
        ])
        var edit = ItemEdit()
        edit.fields = [.init(text("PIN", "1"))]
        let after = try applying(edit, to: before)
        #expect(after.item.extras[strange] == [7] && after.field("iris") == newer)
    }

    @Test
    func `a rule of a newer program is shown as it is, and kept byte for byte`() throws {
        let (odd, plain) = (ItemExtra.address("a.example"), ItemExtra.address("b.example"))
        let bytes: [UInt8] = Array("regex".utf8) + [0xFF]
        let before = item([odd.valueName: bytes, plain.valueName: Array("host".utf8)])
        let address = try #require(before.addresses.first)
        #expect(address.text == "a.example" && address.match.rawValue.hasPrefix("regex"))
        var edit = ItemEdit()
        edit.addedTags = ["work"]
        edit.addedAddresses = [address]
        #expect(try applying(edit, to: before).item.extras[odd.valueName] == bytes)
        // Also where it gets another place.
        edit.removedAddresses = ["a.example", "b.example"]
        edit.addedAddresses = [.init("b.example", .host), address]
        let moved = try applying(edit, to: before)
        #expect(moved.addresses.map(\.text) == ["b.example", "a.example"])
        #expect(moved.item.extras[odd.valueName] == bytes)
        #expect(try edit.changes(of: before)[odd.valueName] == nil)
    }

    @Test
    func `what an item cannot hold is refused with its reason`() {
        #expect(refusal { $0.fields = [.init(text("", "x"))] } == .unusable("a field name"))
        #expect(refusal { $0.fields = [.init(text("a\nb", "x"))] } == .unusable("a field name"))
        #expect(refusal { $0.addedTags = [""] } == .unusable("a tag"))
        for address in [
            "not an address", "https://", "...", "x|y.example", "https://<h>/", "data:text",
            "h.example:0", "h.example:65536", "https://me@h.example:x/", "[::1]:y",
            "a\u{202E}b.example",
        ] {
            #expect(refusal { $0.addedAddresses = [.init(address)] } == .noAddress(address))
        }
        for address in [
            "example.org", "nas", "nas:5001", "https://a.example/x?y={z}|<w>", "app://com.example",
            "[::1]:8443", "https://[fe80::1]/x", "https://me:pw@h.example/", "b\u{FC}cher.example",
            "android://aGFzaA==@com.example/", "https://h.example:65535/a:b",
        ] {
            #expect(refusal { $0.addedAddresses = [.init(address)] } == nil)
        }
        #expect(
            refusal { $0.addedTags = [String(repeating: "t", count: 257)] } == .tooLong("a tag")
        )
        #expect(refusal { $0.removedFields = ["none"] } == .noSuchField("none"))
        for name in ["title", "Note", "user name", "tags"] {
            #expect(refusal { $0.fields = [.init(text(name, "x"))] } == .commonName(name))
        }
        let file = ItemField(
            name: "scan.pdf",
            kind: .file,
            value: [UInt8](repeating: 0, count: ItemLimits.attachmentBytesMax + 1)
        )
        #expect(
            refusal { $0.fields = [.init(file)] }
                == .attachmentTooLarge(field: "scan.pdf", bytes: ItemLimits.attachmentBytesMax + 1)
        )
        let binary = ItemField(name: "f", kind: .text, value: [0xFF])
        #expect(refusal { $0.fields = [.init(binary)] } == .noText(field: "f"))
    }

    @Test(
        arguments: [
            (
                ItemField.Kind.date, ["2027-02-28", "2028-02-29"],
                ["2027-02-29", "2027-13-01", "soon"]
            ),
            (.month, ["2027-05", "05/27"], ["2027-5", "2027-00", "13/27"]),
            (.email, ["a@b.example"], ["a", "a b@c"]),
            (.phone, ["+41 44 000 00 00"], ["none"]),
            (.url, ["https://a.example", "a.example"], ["somewhere"]),
        ]
    )
    func `a value of another kind is refused`(
        kind: ItemField.Kind,
        good: [String],
        bad: [String]
    ) {
        for value in good {
            #expect(refusal { $0.fields = [.init(text("f", value, kind))] } == nil)
        }
        for value in bad {
            let error = refusal { $0.fields = [.init(text("f", value, kind))] }
            guard case .wrongValue = error else {
                Issue.record("\(value) is taken as \(kind.rawValue)")
                continue
            }
        }
    }

    /// Fields are moved at random, and each move has one result on all devices.
    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `a moved field stands where it was put`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var expected: [String] = []
        var item = item()
        for number in 0..<40 {
            var edit = ItemEdit()
            let isNew = expected.count < 3 || Bool.random(using: &random)
            let name =
                isNew ? "f\(number)" : expected[Int.random(in: 0..<expected.count, using: &random)]
            let others = expected.filter { $0 != name }
            let before = Bool.random(using: &random) ? others.randomElement(using: &random) : nil
            edit.fields = [.init(text(name, name), before: before)]
            item = try applying(edit, to: item)
            if let before, let index = others.firstIndex(of: before) {
                expected = others
                expected.insert(name, at: index)
            } else if isNew {
                expected = others + [name]
            }
            #expect(item.fields.map(\.name) == expected)
        }
    }
}
