import KSKeyValues
import KSResolution
import KSSyncEngine
import Simulation
import Testing

/// Servers that are put back to a backup while a device is away, or after deleted records are gone.
struct RestoreStoryTests {
    private let world: World
    private var home: SimulatedDevice { world.devices[0] }
    private var away: SimulatedDevice { world.devices[1] }

    init() throws {
        var settings = WorldSettings()
        settings.deviceCount = 2
        settings.removalProbability = 1
        settings.restoreProbability = 1
        world = try World(seed: 1, settings: settings, keepsTrace: false)
        try syncBoth()
    }

    private func syncBoth() throws {
        for device in world.devices + world.devices {
            // What a device has applied is noted with the store's time.
            world.clock.milliseconds += 2000
            try CopyTests.sync(device, in: world)
        }
    }

    /// Lets a device send until it knows that the server went back, and no further.
    private func tell(_ device: SimulatedDevice) throws {
        device.replica.wake()
        for _ in 0..<10 where try device.replica.reconciliation() == nil {
            switch try device.replica.nextRequest() {
            case .send(let request):
                let answer = try world.server.answer(request.request, from: device.member)
                try device.replica.receive(answer, to: request)
            case .waitUntil(let time): world.clock.milliseconds = time
            case .rest, .awaitAnswer: Issue.record("the device hears nothing")
            }
        }
        #expect(try device.replica.reconciliation()?.step == .batch)
    }

    /// The batch's epoch ends, and comes back.
    ///
    /// The device hears of the first restore only, which begins an epoch. The server then refuses
    /// the batch because its generation has ended, or because its actor is closed.
    @Test(arguments: [true, false])
    func `a batch does not bring back what was deleted before two restores`(
        revokes: Bool
    ) throws {
        let backup = world.server.backup()
        try away.write(.increment(by: 5), to: .counter)
        try away.write(.setField("a", .string("old")), to: .map)
        try CopyTests.push(from: away, in: world, arrives: true)
        try CopyTests.sync(home, in: world)
        try home.delete(.counter)
        try home.delete(.map)
        try CopyTests.sync(home, in: world)
        try world.server.restore(backup, isAnnounced: true)
        try tell(away)
        try CopyTests.sync(home, in: world)
        if revokes {
            #expect(try world.revokeSpare(by: home))
            try CopyTests.sync(home, in: world)
        }
        try world.server.restore(backup, isAnnounced: false)
        try CopyTests.sync(home, in: world)
        try syncBoth()
        for device in world.devices {
            #expect(try device.value(of: .counter) == nil, "\(device.name)")
            #expect(try device.value(of: .map) == nil, "\(device.name)")
        }
        try CopyTests.expectAgreement(in: world)
    }

    @Test(arguments: [true, false])
    func `a counter that was removed and made again does not count from before`(
        isSent: Bool
    ) throws {
        try away.write(.increment(by: 100), to: .counter)
        try away.write(.incrementField("n", by: 100), to: .map)
        try syncBoth()
        let backup = world.server.backup()
        try away.delete(.counter)
        try away.delete(.map)
        // Each has applied the deletions, and says so.
        try syncBoth()
        try syncBoth()
        try world.removeRest()
        try syncBoth()
        for device in world.devices {
            #expect(try device.state(key: "counter").counters.isEmpty, "\(device.name)")
        }
        try home.write(.increment(by: 5), to: .counter)
        try home.write(.incrementField("n", by: 5), to: .map)
        if isSent { try syncBoth() }
        try world.server.restore(backup, isAnnounced: true)
        try syncBoth()
        for device in world.devices {
            #expect(try device.value(of: .counter) == .integer(5), "\(device.name)")
            let fields = PropertyDictionary(["n": .integer(5)])
            #expect(try device.value(of: .map) == .dictionary(fields), "\(device.name)")
        }
        try CopyTests.expectAgreement(in: world)
    }

    /// Its keys had ended before the server went back, which another device tells the server.
    ///
    /// Its author sees its own write without its keys first, and then hears that it was accepted.
    @Test
    func `what only an unanswered batch has goes up again if nobody can open it`() throws {
        let backup = world.server.backup()
        #expect(try world.revokeSpare(by: home))
        try CopyTests.sync(home, in: world)
        try world.server.restore(backup, isAnnounced: true)
        try CopyTests.sync(away, in: world)
        try away.add(item: 0, secret: Oracle.secret(1), note: Oracle.note(2))
        try away.write(.increment(by: 5), to: .counter)
        try CopyTests.push(from: away, in: world, arrives: true)
        try CopyTests.sync(home, in: world)
        try syncBoth()
        for device in world.devices {
            let shown = try device.record(item: 0).view.shownSecret
            #expect(shown.flatMap(Oracle.number) == 1, "\(device.name)")
            #expect(try device.value(of: .counter) == .integer(5), "\(device.name)")
        }
        try CopyTests.expectAgreement(in: world)
    }
}
