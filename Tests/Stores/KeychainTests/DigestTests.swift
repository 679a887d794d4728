import KSKeychain
import Testing

struct DigestTests {
    @Test
    func `the digest is over a property list in DER`() {
        let item = Item(
            .genericPassword,
            attributes: [
                .account: .string("a"), .creationDate: .date(800_000_000.5),
                .creator: .integer(-129),
            ],
            secret: [1]
        )
        let pairs: [[UInt8]] = [
            [0x30, 9, 0x0C, 4] + bytes("acct") + [0x0C, 1] + bytes("a"),
            [0x30, 10, 0x0C, 4] + bytes("crtr") + [2, 2, 0xFF, 0x7F],
            [0x30, 11, 0x0C, 6] + bytes("v_Data") + [4, 1, 1],
            [0x30, 25, 0x0C, 4] + bytes("cdat") + [0x18, 17] + bytes("20260509061320.5Z"),
        ]
        #expect(ItemDigest.encoded(item) == [0x31, 63] + pairs.flatMap(\.self))
        #expect(ItemDigest.of(item).count == 20)
    }

    @Test(
        arguments: [
            (0, "20010101000000Z"), (-1, "20001231235959Z"), (-978_307_200, "19700101000000Z"),
            (99_532_799, "20040226235959Z"), (99_705_600, "20040229000000Z"),
            (-1_288_420_200, "19600304173000Z"), (252_423_993_599, "99991231235959Z"),
            (0.001, "20010101000000.001Z"), (0.25, "20010101000000.25Z"),
        ] as [(Double, String)]
    )
    func `a date is written as its day and time`(seconds: Double, text: String) {
        let item = Item(.key, attributes: [.startDate: .date(seconds)])
        let encoded = ItemDigest.encoded(item)
        #expect(String(decoding: encoded.suffix(text.utf8.count), as: UTF8.self) == text)
    }

    @Test
    func `attributes of one device are not in the digest`() {
        let item = Item(.genericPassword, attributes: [.account: .string("a")])
        var local = item
        local.attributes[.multiUser] = .data([])
        local.attributes[.systemBound] = .integer(0)
        local.attributes[.digest] = .data([UInt8](repeating: 1, count: 20))
        #expect(ItemDigest.of(local) == ItemDigest.of(item))
        local.attributes[.label] = .string("l")
        #expect(ItemDigest.of(local) != ItemDigest.of(item))
    }

    @Test
    func `an item's digest follows every change`() throws {
        let fixture = try Fixture()
        let added = try fixture.add("s")
        #expect(added.attributes[.digest] == .data(ItemDigest.of(added)))
        try fixture.keychain.update(fixture.query("s"), ItemChanges(secret: [1]))
        let changed = try #require(try fixture.find(fixture.query("s")).first)
        #expect(changed.attributes[.digest] == .data(ItemDigest.of(changed)))
        #expect(changed.attributes[.digest] != added.attributes[.digest])
    }
}
