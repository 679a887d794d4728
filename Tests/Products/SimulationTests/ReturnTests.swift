import KSKeyValues
import KSKeychain
import KSRecords
import KSResolution
import KSTestSupport
import Simulation
import KSSyncEngine
import Testing

/// Stories of devices that leave their account and join it again.
struct ReturnTests {
    private static func world() throws -> World {
        var settings = WorldSettings()
        settings.deviceCount = 2
        let world = try World(seed: 1, settings: settings, keepsTrace: false)
        for device in world.devices { try CopyTests.sync(device, in: world) }
        return world
    }

    private static func text(_ text: String) -> PropertyValue { .string(text) }

    private static func list(_ texts: String...) -> PropertyValue { .array(texts.map(text)) }

    private static func join(_ device: SimulatedDevice, in world: World) throws {
        try device.joinAgain(epoch: world.server.epoch)
        for each in world.devices + world.devices { try CopyTests.sync(each, in: world) }
        try CopyTests.expectAgreement(in: world)
    }

    /// Each pair: a merge type, and what programs see of its entry on every device.
    private static func expect(
        _ values: KeyValuePairs<MergeType, PropertyValue?>,
        in world: World,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (type, value) in values {
            for device in world.devices {
                #expect(
                    try device.value(of: type) == value,
                    "\(type) on \(device.name)",
                    sourceLocation: sourceLocation
                )
            }
        }
    }

    private static func number(of item: Int, on device: SimulatedDevice) throws -> Int? {
        try device.contents()[SimulatedDevice.key(item: item).canonicalBytes]?.secret
            .flatMap(Oracle.number)
    }

    @Test
    func `changes without the account join those of the other devices`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try home.add(item: 2, secret: Oracle.secret(3), note: Oracle.note(4))
        try home.write(.increment(by: 1), to: .counter)
        try home.write(.insert([Self.text("a"), Self.text("b")]), to: .set)
        try home.write(.append([Self.text("a"), Self.text("b")]), to: .list)
        try home.write(.setField("f", .integer(1)), .incrementField("n", by: 1), to: .map)
        try home.write(.set(Self.text("old"), base: nil), to: .register)
        for device in [home, away] { try CopyTests.sync(device, in: world) }

        try away.leave(keepsItems: true)
        try away.change(item: 0, secret: Oracle.secret(5))
        try away.write(.increment(by: 10), to: .counter)
        try away.write(.remove([Self.text("a")]), .insert([Self.text("away")]), to: .set)
        try away.write(.append([Self.text("away")]), .removeAt(0), to: .list)
        try away.write(.setField("f", .integer(2)), .incrementField("n", by: 10), to: .map)
        try away.write(.set(Self.text("away"), base: nil), to: .register)
        try home.change(item: 2, secret: Oracle.secret(6))
        try home.write(.increment(by: 100), to: .counter)
        try home.write(.insert([Self.text("home")]), to: .set)
        try home.write(.insertAt(0, [Self.text("home")]), to: .list)
        try home.write(.setField("g", .integer(3)), .incrementField("n", by: 100), to: .map)
        try CopyTests.sync(home, in: world)

        try Self.join(away, in: world)
        let fields = [("f", 2), ("g", 3), ("n", 111)].map { ($0.0, PropertyValue.integer($0.1)) }
        try Self.expect(
            [
                .counter: .integer(111), .set: Self.list("b", "away", "home"),
                .list: Self.list("home", "b", "away"),
                .map: .dictionary(PropertyDictionary(fields)), .register: Self.text("away"),
            ],
            in: world
        )
        for device in world.devices {
            #expect(try Self.number(of: 0, on: device) == 5)
            #expect(try Self.number(of: 2, on: device) == 6)
        }
    }

    @Test
    func `what was deleted or replaced while a device was away stays so`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        for item in [0, 2] {
            try home.add(item: item, secret: Oracle.secret(item), note: Oracle.note(item))
        }
        try home.write(.increment(by: 4), to: .counter)
        try home.write(.append([Self.text("a")]), to: .list)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.leave(keepsItems: true)
        _ = try home.keychain.delete(home.query(item: 0))
        try home.change(item: 2, secret: Oracle.secret(7))
        try home.delete(.counter)
        try home.write(.removeAt(0), to: .list)
        try CopyTests.sync(home, in: world)
        try Self.join(away, in: world)
        try Self.expect([.counter: nil, .list: Self.list()], in: world)
        for device in world.devices {
            #expect(try Self.number(of: 0, on: device) == nil)
            #expect(try Self.number(of: 2, on: device) == 7)
        }
    }

    /// The server accepted the batch, or never got it; the device cannot know.
    @Test(arguments: [false, true])
    func `a batch without an answer counts once after a return`(arrives: Bool) throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.write(.increment(by: 1), to: .counter)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.write(.increment(by: 10), to: .counter)
        try CopyTests.push(from: away, in: world, arrives: arrives)
        try away.write(.increment(by: 100), to: .counter)
        try away.leave(keepsItems: true)
        try away.write(.increment(by: 1000), to: .counter)
        try Self.join(away, in: world)
        try Self.expect([.counter: .integer(1111)], in: world)
    }

    /// An unsent value is shown over all others, and a sealed one by its time.
    @Test
    func `a return does not write again what a page has shown over an unsent edit`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try away.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        world.clock.milliseconds += 60_000
        try home.add(item: 0, secret: Oracle.secret(3), note: Oracle.note(4))
        try CopyTests.sync(home, in: world)
        try CopyTests.push(from: away, in: world, arrives: false)
        try CopyTests.pullOnly(to: away, in: world)
        #expect(try Self.number(of: 0, on: away) == 3)
        try away.leave(keepsItems: true)
        try Self.join(away, in: world)
        let state = try #require(try home.record(item: 0).mirror)
        let secrets = state.candidates(for: .secret).compactMap(\.value)
        #expect(secrets.compactMap(Oracle.number) == [1, 3])
        #expect(state.history.isEmpty)
    }

    @Test
    func `a deletion that was not sent is sent after the return`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try home.write(.increment(by: 4), to: .counter)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        _ = try away.keychain.delete(away.query(item: 0))
        try away.delete(.counter)
        try away.leave(keepsItems: true)
        try Self.join(away, in: world)
        try Self.expect([.counter: nil], in: world)
        for device in world.devices { #expect(try Self.number(of: 0, on: device) == nil) }
    }

    /// It was deleted from a device that had nothing to do with the account.
    @Test
    func `what is deleted without the account comes back with it, unless it never went up`()
        throws
    {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try home.write(.increment(by: 4), to: .counter)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.add(item: 2, secret: Oracle.secret(3), note: Oracle.note(4))
        try away.write(.insert([Self.text("a")]), to: .set)
        try away.write(.increment(by: 1), to: .counter)
        try away.leave(keepsItems: true)
        for item in [0, 2] { _ = try away.keychain.delete(away.query(item: item)) }
        for type in [MergeType.counter, .set] { try away.delete(type) }
        try Self.join(away, in: world)
        // The unsent increment went with the entry.
        try Self.expect([.counter: .integer(4), .set: nil], in: world)
        for device in world.devices {
            #expect(try Self.number(of: 0, on: device) == 1)
            #expect(try Self.number(of: 2, on: device) == nil)
        }
    }

    /// The deletion was sent before the device left, or not.
    @Test(arguments: [false, true])
    func `what was deleted and then made again without the account is new there`(
        isSent: Bool
    ) throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        let types = [MergeType.register, .counter, .list, .map]
        func write(_ text: String, on device: SimulatedDevice) throws {
            try device.write(.set(Self.text(text), base: nil), to: .register)
            try device.write(.increment(by: 4), to: .counter)
            try device.write(.append([Self.text(text)]), to: .list)
            try device.write(.setField(text, .integer(1)), to: .map)
        }
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try write("old", on: home)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        _ = try away.keychain.delete(away.query(item: 0))
        for type in types { try away.delete(type) }
        if isSent { try CopyTests.sync(away, in: world) }
        try away.leave(keepsItems: true)
        try away.add(item: 0, secret: Oracle.secret(5), note: Oracle.note(6))
        try write("new", on: away)
        try Self.join(away, in: world)
        let fields = PropertyDictionary([("new", PropertyValue.integer(1))])
        try Self.expect(
            [
                .register: Self.text("new"), .counter: .integer(4), .list: Self.list("new"),
                .map: .dictionary(fields),
            ],
            in: world
        )
        for device in world.devices { #expect(try Self.number(of: 0, on: device) == 5) }
    }

    /// Not only hidden: it would count for the limits, and be sent to every device.
    @Test(arguments: [false, true])
    func `nothing is left of what was deleted and then made again without the account`(
        isSent: Bool
    ) throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        func write(_ text: String, on device: SimulatedDevice) throws {
            try device.write(.set(Self.text(text), base: nil), to: .register)
            try device.write(.insert([Self.text(text)]), to: .set)
            try device.write(.setField(text, Self.text(text)), to: .map)
            try device.write(.append([Self.text(text)]), to: .list)
        }
        try write("deleted", on: home)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        let types = [MergeType.register, .set, .map, .list]
        for type in types { try away.delete(type) }
        if isSent { try CopyTests.sync(away, in: world) }
        try away.leave(keepsItems: true)
        try write("made again", on: away)
        try Self.join(away, in: world)
        // The history of a register may have it.
        for type in types where type != .register || isSent {
            let bytes = try home.state(key: type.name).encoded
            #expect(bytes.firstRange(of: Array("made again".utf8)) != nil, "\(type)")
            #expect(bytes.firstRange(of: Array("deleted".utf8)) == nil, "\(type)")
        }
    }

    /// To start from a number instead would drop what another device has counted since.
    @Test
    func `a counter that was made again adds to that of another device`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.write(.increment(by: 4), to: .counter)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.delete(.counter)
        try CopyTests.sync(away, in: world)
        try away.leave(keepsItems: true)
        try away.write(.increment(by: 10), to: .counter)
        world.clock.milliseconds += 60_000
        try home.write(.reset(to: 100), to: .counter)
        try Self.join(away, in: world)
        try Self.expect([.counter: .integer(110)], in: world)
    }

    @Test
    func `a password that was set to what it is revives nothing`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        world.clock.milliseconds += 60_000
        try away.change(item: 0, secret: Oracle.secret(1))
        try away.leave(keepsItems: true)
        _ = try home.keychain.delete(home.query(item: 0))
        try CopyTests.sync(home, in: world)
        try Self.join(away, in: world)
        for device in world.devices { #expect(try Self.number(of: 0, on: device) == nil) }
    }

    /// One of the renames is in a batch without an answer, or none is.
    @Test(arguments: [false, true])
    func `an item that was renamed twice and then deleted comes back too`(isInBatch: Bool) throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.change(item: 0, [.account: .string("account 2")])
        if isInBatch { try CopyTests.push(from: away, in: world, arrives: false) }
        try away.change(item: 2, [.account: .string("account 4")])
        try away.leave(keepsItems: true)
        _ = try away.keychain.delete(away.query(item: 4))
        try Self.join(away, in: world)
        for device in world.devices {
            #expect(try Self.number(of: 0, on: device) == 1)
            for item in [2, 4] { #expect(try Self.number(of: item, on: device) == nil) }
        }
    }

    /// The account still has it under its old name.
    @Test
    func `an item that was renamed unsent and then deleted comes back too`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.change(item: 0, [.account: .string("account 2")])
        try away.leave(keepsItems: true)
        _ = try away.keychain.delete(away.query(item: 2))
        try Self.join(away, in: world)
        for device in world.devices {
            #expect(try Self.number(of: 0, on: device) == 1)
            #expect(try Self.number(of: 2, on: device) == nil)
        }
    }

    @Test
    func `a key that was made again with another type replaces the account's`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.write(.insert([Self.text("a")]), to: .set)
        try home.write(.declare(.maximum), .set(.integer(10), base: nil), to: .maximum)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.leave(keepsItems: true)
        for type in [MergeType.set, .maximum] { try away.delete(type) }
        try away.write(.increment(by: 3), to: .set)
        // A lower number, as a plain value.
        try away.write(.set(.integer(5), base: nil), to: .maximum)
        try Self.join(away, in: world)
        try Self.expect([.set: .integer(3), .maximum: .integer(5)], in: world)
    }

    /// A server may forget a deletion once all devices have applied it.
    ///
    /// One that lies may hide what it likes.
    @Test
    func `what the account no longer lists is added again`() throws {
        let world = try Self.world()
        let (home, away) = (world.devices[0], world.devices[1])
        try home.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try home.write(.increment(by: 4), to: .counter)
        try home.write(.append([Self.text("a")]), to: .list)
        for device in [home, away] { try CopyTests.sync(device, in: world) }
        try away.write(.increment(by: 1), to: .counter)
        try away.leave(keepsItems: true)
        _ = try home.keychain.delete(home.query(item: 0))
        for type in [MergeType.counter, .list] { try home.delete(type) }
        try CopyTests.sync(home, in: world)

        try away.joinAgain(epoch: world.server.epoch)
        guard case .send(let request) = try away.replica.nextRequest(),
            case .page(let page) = try world.server.answer(request.request, from: away.member)
        else {
            Issue.record("nothing is pulled")
            return
        }
        #expect(page.records.count == 3 && !page.hasMore)
        let empty = PageAnswer(
            records: [],
            cursor: page.cursor,
            hasMore: false,
            vector: page.vector,
            circleVersion: page.circleVersion
        )
        try away.replica.receive(.page(empty), to: request)
        #expect(try away.value(of: .counter) == .integer(5))
        for device in [away, home] { try CopyTests.sync(device, in: world) }
        try Self.expect([.counter: .integer(5), .list: Self.list("a")], in: world)
        for device in world.devices { #expect(try Self.number(of: 0, on: device) == 1) }
        // This server had only hidden the deletions: they show when it answers the additions.
        #expect(try home.replica.reconciliation() == nil)
        #expect(try away.replica.reconciliation()?.reason == .serverWentBack)
    }

    @Test
    func `who removes an element does not revive a key that another has deleted`() throws {
        let world = try Self.world()
        let (first, second) = (world.devices[0], world.devices[1])
        try first.write(.insert([Self.text("a"), Self.text("b")]), to: .set)
        try first.write(.setField("a", .integer(1)), .setField("b", .integer(2)), to: .map)
        for device in [first, second] { try CopyTests.sync(device, in: world) }
        try first.delete(.set)
        try first.delete(.map)
        try second.write(.remove([Self.text("a")]), to: .set)
        try second.write(.removeField("a"), to: .map)
        for device in [second, first, second, first] { try CopyTests.sync(device, in: world) }
        try CopyTests.expectAgreement(in: world)
        try Self.expect([.set: nil, .map: nil], in: world)
    }
}
