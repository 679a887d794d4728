import GRDB
import KSKeychain
import KSResolution
import Testing

struct ItemsTests {
    @Test
    func `an added item is found with its secret`() throws {
        let fixture = try Fixture()
        let added = try fixture.add("mail", "anna", secret: "pw")
        #expect(try fixture.find(fixture.query("mail")) == [added])
        #expect(added.secretText == "pw")
        #expect(added.persistentReference?.count == 20)
        #expect(added.persistentReference.map { Array($0.prefix(4)) } == bytes("genp"))
    }

    @Test
    func `missing attributes get the class's defaults`() throws {
        let fixture = try Fixture()
        let item = try fixture.keychain.add(
            Item(.internetPassword, attributes: [:]),
            access: .groups(["first", "second"])
        )
        let now = AttributeValue.date(fixture.clock.seconds)
        #expect(
            item.attributes == [
                .creationDate: now, .modificationDate: now, .accessGroup: .string("first"),
                .accessible: .string("ak"), .synchronizable: .integer(0),
                .tombstone: .integer(0), .multiUser: .data([]), .account: .string(""),
                .securityDomain: .string(""), .server: .string(""),
                .networkProtocol: .integer(0), .authenticationType: .string(""),
                .port: .integer(0), .path: .string(""), .systemBound: .integer(0),
                .digest: .data(ItemDigest.of(item)),
            ]
        )
    }

    @Test
    func `the dates of a caller are overwritten by an add`() throws {
        let fixture = try Fixture()
        let item = try fixture.add(
            "s",
            with: [.creationDate: .date(1), .modificationDate: .date(2)]
        )
        #expect(item.attributes[.creationDate] == .date(fixture.clock.seconds))
        #expect(item.attributes[.modificationDate] == .date(fixture.clock.seconds))
    }

    @Test
    func `an item without a secret is kept, and so is an empty secret`() throws {
        let fixture = try Fixture()
        try fixture.add("none", secret: nil)
        try fixture.add("empty", secret: "")
        #expect(try fixture.find(fixture.query("none")).map(\.secret) == [nil])
        #expect(try fixture.find(fixture.query("empty")).map(\.secret) == [[]])
    }

    @Test(arguments: [
        AttributeName.accessGroup, .service, .account, .synchronizable, .syncViewHint, .tokenID,
        .sharingGroup, .multiUser,
    ])
    func `items that differ in a key attribute are two items`(name: AttributeName) throws {
        let fixture = try Fixture()
        try fixture.add("s")
        let other: AttributeValue
        switch name {
        case .synchronizable: other = .integer(1)
        case .multiUser: other = .data([UInt8](repeating: 7, count: 16))
        default: other = .string("other")
        }
        var attributes: [AttributeName: AttributeValue] = [
            .service: .string("s"), .account: .string("account"),
        ]
        attributes[name] = other
        let item = Item(.genericPassword, attributes: attributes)
        try fixture.keychain.add(item, access: Fixture.all)
        #expect(throws: ItemStoreError.duplicateItem) {
            try fixture.keychain.add(item, access: Fixture.all)
        }
        #expect(try fixture.find(fixture.query()).count == 2)
    }

    @Test
    func `items that differ in label, comment or protection class are one item`() throws {
        let fixture = try Fixture()
        try fixture.add("s")
        let more: [[AttributeName: AttributeValue]] = [
            [.label: .string("l")], [.comment: .string("c")], [.generic: .data([1])],
            [.description: .string("d")], [.accessible: .string("ck")],
        ]
        for attributes in more {
            #expect(throws: ItemStoreError.duplicateItem) {
                try fixture.add("s", with: attributes)
            }
        }
    }

    @Test(arguments: ItemClass.allCases)
    func `every attribute of the key is in the table's key`(itemClass: ItemClass) {
        let shared: Set<AttributeName> = [
            .accessGroup, .synchronizable, .syncViewHint, .tokenID, .multiUser, .sharingGroup,
        ]
        let own: Set<AttributeName> =
            switch itemClass {
            case .genericPassword: [.account, .service]
            case .internetPassword:
                [
                    .account, .securityDomain, .server, .networkProtocol, .authenticationType,
                    .port, .path,
                ]
            case .certificate: [.certificateType, .issuer, .serialNumber]
            case .key:
                [
                    .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySize,
                    .effectiveKeySize, .startDate, .endDate,
                ]
            }
        let key = Set(itemClass.attributes.filter(\.isInPrimaryKey).map(\.name))
        #expect(key == shared.union(own))
    }

    @Test
    func `text and data of the same bytes are one key, and keep their types`() throws {
        let fixture = try Fixture()
        let item = Item(
            .internetPassword,
            attributes: [.server: .data(bytes("example.com")), .port: .string("80")]
        )
        try fixture.keychain.add(item, access: Fixture.all)
        let same = Item(
            .internetPassword,
            attributes: [.server: .string("example.com"), .port: .integer(80)]
        )
        #expect(throws: ItemStoreError.duplicateItem) {
            try fixture.keychain.add(same, access: Fixture.all)
        }
        let found = try fixture.find(
            KeychainQuery(
                .internetPassword,
                attributes: same.attributes,
                synchronizable: .no,
                access: Fixture.all
            )
        )
        #expect(found.map { $0.attributes[.server] } == [.data(bytes("example.com"))])
        #expect(found.map { $0.attributes[.port] } == [.integer(80)])
    }

    @Test
    func `in a data attribute the number 5 differs from the text 5`() throws {
        let fixture = try Fixture()
        try fixture.add("5")
        let number = Item(
            .genericPassword,
            attributes: [.service: .integer(5), .account: .string("account")]
        )
        #expect(try fixture.find(fixture.query(with: [.service: .integer(5)])) == [])
        try fixture.keychain.add(number, access: Fixture.all)
        let found = try fixture.find(fixture.query(with: [.service: .integer(5)]))
        #expect(found.map { $0.attributes[.service] } == [.integer(5)])
        let sameBytes = fixture.query(with: [.service: .data([5, 0, 0, 0])])
        #expect(try fixture.find(sameBytes).count == 1)
    }

    @Test
    func `two spellings of one character are two items`() throws {
        let fixture = try Fixture()
        try fixture.add("caf\u{e9}")
        try fixture.add("cafe\u{301}")
        #expect(try fixture.find(fixture.query("caf\u{e9}")).count == 1)
        #expect(AttributeValue.string("\u{e9}") != .string("e\u{301}"))
    }

    @Test
    func `upper and lower case are two items`() throws {
        let fixture = try Fixture()
        try fixture.add("s", "Anna")
        try fixture.add("s", "anna")
        #expect(try fixture.find(fixture.query(with: [.account: .string("anna")])).count == 1)
    }

    static let refused: [(AttributeName, AttributeValue)] = [
        (.label, .date(1)), (.accessGroup, .integer(1)), (.accessGroup, .data([0xFF])),
        (.accessible, .string("zz")), (.accessible, .integer(6)), (.synchronizable, .integer(2)),
        (.synchronizable, .string("yes")), (.creator, .data([1])), (.creationDate, .integer(1)),
        (.creationDate, .date(.nan)), (.multiUser, .data([1])), (.multiUser, .string("")),
        (.tombstone, .integer(1)),
    ]

    @Test(arguments: refused)
    func `a value of the wrong type is refused`(
        name: AttributeName,
        value: AttributeValue
    ) throws {
        let fixture = try Fixture()
        #expect(throws: ItemStoreError.parameter) { try fixture.add("s", with: [name: value]) }
        #expect(try fixture.count("genp") == 0)
    }

    @Test
    func `a number attribute may hold text that is not a number`() throws {
        let fixture = try Fixture()
        try fixture.add("text", with: [.creator: .string("abcd")])
        try fixture.add("number", with: [.creator: .string("12")])
        try fixture.add("padded", with: [.creator: .string("012")])
        let found = try fixture.find(fixture.query()).map { $0.attributes[.creator] }
        #expect(found == [.string("abcd"), .integer(12), .string("012")])
        #expect(try fixture.find(fixture.query(with: [.creator: .integer(12)])).count == 1)
    }

    @Test
    func `an attribute of another class is unknown`() throws {
        let fixture = try Fixture()
        #expect(throws: ItemStoreError.noSuchAttribute) {
            try fixture.add("s", with: [.server: .string("x")])
        }
        #expect(throws: ItemStoreError.noSuchAttribute) {
            try fixture.find(fixture.query(with: [.server: .string("x")]))
        }
        #expect(throws: ItemStoreError.noSuchAttribute) {
            try fixture.keychain.update(fixture.query(), .init(attributes: [.port: .integer(1)]))
        }
        #expect(ItemStoreError.noSuchAttribute.status == -25303)
    }

    @Test
    func `an attribute sealed with the secret is found only with the secret`() throws {
        let fixture = try Fixture()
        let item = Item(.internetPassword, attributes: [.notesData: .data([9])], secret: [1])
        try fixture.keychain.add(item, access: Fixture.all)
        var query = KeychainQuery(.internetPassword, synchronizable: .any, access: Fixture.all)
        #expect(try fixture.find(query).map { $0.attributes[.notesData] } == [nil])
        query.wantsSecret = true
        #expect(try fixture.find(query).map { $0.attributes[.notesData] } == [.data([9])])
        query.wantsAttributes = false
        let found = try fixture.find(query)
        #expect(found.map(\.attributes) == [[.notesData: .data([9])]])
        #expect(found.map(\.secret) == [[1]])
    }

    @Test
    func `an item that is too large is refused`() throws {
        let fixture = try Fixture()
        let large = String(repeating: "x", count: 64 << 10)
        try fixture.add("local", secret: large)
        #expect(throws: ItemStoreError.dataTooLarge) {
            try fixture.add("synced", secret: large, sync: true)
        }
        #expect(fixture.recorder.changes == [])
    }
}
