import KSKeychain
import KSKeychainTestSupport
import Testing

struct ChangesTests {
    // MARK: Find

    @Test
    func `items of this device are found before synchronizable ones`() throws {
        let fixture = try Fixture()
        try fixture.add("s", secret: "synced", sync: true)
        try fixture.add("s", secret: "local")
        #expect(try fixture.find(fixture.query("s")).map(\.secretText) == ["local", "synced"])
        var one = fixture.query("s")
        one.limit = 1
        #expect(try fixture.find(one).map(\.secretText) == ["local"])
        one.limit = 0
        #expect(try fixture.find(one) == [])
    }

    @Test(arguments: [
        (KeychainQuery.Synchronizable.no, ["local"]), (.yes, ["synced"]),
        (.any, ["local", "synced"]),
    ])
    func `a query selects local items, synchronizable items or both`(
        synchronizable: KeychainQuery.Synchronizable,
        expected: [String]
    ) throws {
        let fixture = try Fixture()
        try fixture.add("s", secret: "local")
        try fixture.add("s", secret: "synced", sync: true)
        let query = fixture.query("s", synchronizable: synchronizable)
        #expect(try fixture.find(query).map(\.secretText) == expected)
    }

    @Test
    func `a list of attributes opens no secret`() throws {
        let fixture = try Fixture()
        for service in ["a", "b", "c"] { try fixture.add(service) }
        var query = fixture.query()
        query.wantsSecret = false
        #expect(try fixture.find(query).map(\.secret) == [nil, nil, nil])
        #expect(fixture.sealing.openedSecretsCount == 0)
    }

    @Test
    func `every searchable attribute can be searched by`() throws {
        let fixture = try Fixture()
        let values: [AttributeName: AttributeValue] = [
            .label: .string("l"), .comment: .data([1, 2]), .description: .string("d"),
            .creator: .integer(7), .type: .integer(8), .scriptCode: .integer(9),
            .alias: .string("al"), .isInvisible: .integer(1), .isNegative: .integer(1),
            .hasCustomIcon: .integer(1), .protectedBy: .string("p"), .generic: .data([3]),
            .syncViewHint: .string("v"), .tokenID: .string("t"), .accessGroup: .string("g"),
            .accessible: .string("ck"),
        ]
        let wanted = try fixture.add("wanted", with: values)
        try fixture.add("other")
        for (name, value) in wanted.attributes
        where ![.creationDate, .modificationDate, .account].contains(name)
            && value != .data([]) && value != .integer(0)
        {
            let found = try fixture.find(fixture.query(with: [name: value]))
            #expect(found == [wanted], "\(name.text)")
        }
        fixture.clock.seconds += 1
        try fixture.add("later")
        let date = fixture.query(with: [.creationDate: .date(fixture.clock.seconds)])
        #expect(try fixture.find(date).count == 1)
    }

    @Test
    func `an item is found by its reference, also after an edit`() throws {
        let fixture = try Fixture()
        let added = try fixture.add("old")
        let changes = ItemChanges(attributes: [.service: .string("new")])
        try fixture.keychain.update(fixture.query("old"), changes)
        var query = fixture.query()
        query.persistentReference = added.persistentReference
        let found = try fixture.find(query)
        #expect(found.map { $0.attributes[.service] } == [.string("new")])
        #expect(found.map(\.persistentReference) == [added.persistentReference])
        query.persistentReference = [1, 2, 3]
        #expect(throws: ItemStoreError.parameter) { try fixture.find(query) }
        query.persistentReference = bytes("inet") + [UInt8](repeating: 0, count: 16)
        #expect(throws: ItemStoreError.parameter) { try fixture.find(query) }
    }

    // MARK: Access groups

    @Test
    func `a caller sees its own groups only`() throws {
        let fixture = try Fixture()
        try fixture.add("mine", with: [.accessGroup: .string("mine")])
        try fixture.add("yours", with: [.accessGroup: .string("yours")])
        var query = fixture.query()
        query.access = .groups(["other", "mine"])
        #expect(try fixture.find(query).map { $0.attributes[.service] } == [.string("mine")])
        #expect(try fixture.keychain.delete(query) == 1)
        #expect(throws: ItemStoreError.itemNotFound) { try fixture.keychain.delete(query) }
        #expect(try fixture.find(fixture.query()).count == 1)
    }

    @Test
    func `every call refuses a foreign group and a caller without groups`() throws {
        let fixture = try Fixture()
        let item = try fixture.add("s", with: [.accessGroup: .string("yours")])
        for access in [CallerAccess.groups([]), .groups(["mine"])] {
            var query = fixture.query(with: [.accessGroup: .string("yours")])
            query.access = access
            #expect(throws: ItemStoreError.missingEntitlement) {
                try fixture.keychain.add(item, access: access)
            }
            #expect(throws: ItemStoreError.missingEntitlement) { try fixture.find(query) }
            #expect(throws: ItemStoreError.missingEntitlement) {
                try fixture.keychain.update(query, .init())
            }
            #expect(throws: ItemStoreError.missingEntitlement) {
                try fixture.keychain.delete(query)
            }
        }
        #expect(ItemStoreError.missingEntitlement.status == -34018)
    }

    @Test
    func `an item can move only to a group of the caller`() throws {
        let fixture = try Fixture()
        try fixture.add("s", with: [.accessGroup: .string("one")])
        var query = fixture.query("s")
        query.access = .groups(["one", "two"])
        #expect(throws: ItemStoreError.missingEntitlement) {
            try fixture.keychain.update(
                query,
                .init(attributes: [.accessGroup: .string("three")])
            )
        }
        try fixture.keychain.update(query, .init(attributes: [.accessGroup: .string("two")]))
        #expect(try fixture.find(query).map(\.accessGroup) == ["two"])
    }

    // MARK: Update

    @Test
    func `an update changes the named attributes of all matching items`() throws {
        let fixture = try Fixture()
        try fixture.add("s", "a", with: [.label: .string("old")])
        try fixture.add("s", "b")
        try fixture.add("t", "a")
        let changes = ItemChanges(attributes: [.label: .string("new")], secret: [9])
        #expect(try fixture.keychain.update(fixture.query("s"), changes) == 2)
        let found = try fixture.find(fixture.query(with: [.label: .string("new")]))
        #expect(found.map(\.secret) == [[9], [9]])
        #expect(try fixture.find(fixture.query(with: [.label: .string("old")])) == [])
        #expect(try fixture.find(fixture.query("t")).map(\.secretText) == ["secret"])
    }

    @Test
    func `a change is dated later than the one before, even if the clock went back`() throws {
        let fixture = try Fixture()
        let added = try fixture.add("s")
        fixture.clock.seconds -= 100
        var last = added.attributes[.modificationDate]
        for _ in 0..<3 {
            let changes = ItemChanges(attributes: [.modificationDate: .date(5)])
            try fixture.keychain.update(fixture.query("s"), changes)
            let now = try fixture.find(fixture.query("s")).first?.attributes[.modificationDate]
            guard case .date(let earlier) = last, case .date(let later) = now else {
                Issue.record("a date is missing")
                return
            }
            #expect(later >= earlier + 0.0009)
            #expect(later < earlier + 1)
            last = now
        }
        fixture.clock.seconds += 200
        try fixture.keychain.update(fixture.query("s"), .init())
        let found = try fixture.find(fixture.query("s"))
        #expect(
            found.map { $0.attributes[.modificationDate] } == [.date(fixture.clock.seconds)]
        )
        #expect(found.map { $0.attributes[.creationDate] } == [added.attributes[.creationDate]])
    }

    @Test
    func `the creation date can be set by an update`() throws {
        let fixture = try Fixture()
        try fixture.add("s")
        let changes = ItemChanges(attributes: [.creationDate: .date(5)])
        try fixture.keychain.update(fixture.query("s"), changes)
        let found = try fixture.find(fixture.query("s"))
        #expect(found.map { $0.attributes[.creationDate] } == [.date(5)])
    }

    @Test
    func `an update to a key that is taken changes no item`() throws {
        let fixture = try Fixture()
        for account in ["a", "b", "c"] { try fixture.add("s", account, sync: true) }
        try fixture.add("taken", "c", sync: true)
        let before = try fixture.find(fixture.query())
        #expect(try fixture.count("heard") == 4)
        let changes = ItemChanges(attributes: [.service: .string("taken")])
        #expect(throws: ItemStoreError.duplicateItem) {
            try fixture.keychain.update(fixture.query("s"), changes)
        }
        #expect(try fixture.find(fixture.query()) == before)
        #expect(try fixture.count("heard") == 4)
    }

    @Test
    func `a failed part of a transaction is undone alone`() throws {
        let fixture = try Fixture()
        try fixture.add("s", "a", sync: true)
        try fixture.add("s", "b", sync: true)
        try fixture.add("taken", "b", sync: true)
        let query = fixture.query("s")
        let item = Item(.genericPassword, attributes: [.service: .string("new")])
        try fixture.keychain.write { database in
            try fixture.keychain.add(item, access: Fixture.all, in: database)
            #expect(throws: ItemStoreError.duplicateItem) {
                try fixture.keychain.update(
                    query,
                    .init(attributes: [.service: .string("taken")]),
                    in: database
                )
            }
            #expect(throws: ItemStoreError.duplicateItem) {
                try fixture.keychain.add(item, access: Fixture.all, in: database)
            }
        }
        #expect(try fixture.find(query).count == 2)
        #expect(try fixture.find(fixture.query("new")).count == 1)
        #expect(try fixture.count("heard") == 3)
    }

    @Test
    func `an update or a delete without a match fails`() throws {
        let fixture = try Fixture()
        #expect(throws: ItemStoreError.itemNotFound) {
            try fixture.keychain.update(fixture.query("s"), .init())
        }
        #expect(throws: ItemStoreError.itemNotFound) {
            try fixture.keychain.delete(fixture.query("s"))
        }
    }

    // MARK: Delete

    @Test
    func `a delete removes all matching items, up to its limit`() throws {
        let fixture = try Fixture()
        for account in ["a", "b", "c"] { try fixture.add("s", account) }
        try fixture.add("s", "a", sync: true)
        var query = fixture.query("s")
        query.limit = 1
        #expect(try fixture.keychain.delete(query) == 1)
        #expect(try fixture.find(fixture.query(synchronizable: .yes)).count == 1)
        query.limit = nil
        #expect(try fixture.keychain.delete(query) == 3)
        #expect(try fixture.find(fixture.query()) == [])
    }
}
