import KSCausality
import KSKeyValues
import KSResolution
import KSSyncEngine
import Simulation
import Testing

/// Counters that one device changes while another one is away, and the account's keys change.
struct CounterStoryTests {
    private let world: World
    private var home: SimulatedDevice { world.devices[0] }
    private var away: SimulatedDevice { world.devices[1] }

    /// Both devices have counted, and hold the same.
    init() throws {
        var settings = WorldSettings()
        settings.deviceCount = 2
        world = try World(seed: 1, settings: settings, keepsTrace: false)
        try syncBoth()
        try home.write(.increment(by: 100), to: .counter)
        try home.write(.incrementField("n", by: 100), to: .map)
        try syncBoth()
        try away.write(.increment(by: 20), to: .counter)
        try away.write(.incrementField("n", by: 20), to: .map)
        try syncBoth()
    }

    private func syncBoth() throws {
        for device in world.devices + world.devices { try CopyTests.sync(device, in: world) }
    }

    /// What happens at home while the other device is away: a third device is revoked, and each key
    /// generation gets an increment.
    private func revokeAtHome() throws {
        try home.write(.increment(by: 3), to: .counter)
        try home.write(.incrementField("n", by: 3), to: .map)
        try CopyTests.sync(home, in: world)
        #expect(try world.revokeSpare(by: home))
        try CopyTests.sync(home, in: world)
        try home.write(.increment(by: 4), to: .counter)
        try home.write(.incrementField("n", by: 4), to: .map)
        try CopyTests.sync(home, in: world)
    }

    private func expect(counter: Int64, field: Int64) throws {
        try syncBoth()
        for device in world.devices {
            #expect(try device.value(of: .counter) == .integer(counter), "\(device.name)")
            let fields = PropertyDictionary(["n": .integer(field)])
            #expect(try device.value(of: .map) == .dictionary(fields), "\(device.name)")
        }
        try CopyTests.expectAgreement(in: world)
    }

    @Test
    func `increments that were not sent count once`() throws {
        try away.write(.increment(by: 5), to: .counter)
        try away.write(.incrementField("n", by: 5), to: .map)
        try revokeAtHome()
        try expect(counter: 132, field: 132)
    }

    @Test(arguments: [true, false])
    func `a batch of the ended generation, whose answer was lost, counts once`(
        arrives: Bool
    ) throws {
        try away.write(.increment(by: 5), to: .counter)
        try CopyTests.push(from: away, in: world, arrives: arrives)
        try revokeAtHome()
        away.replica.giveUpRequest()
        try expect(counter: 132, field: 127)
    }

    /// How a device comes to send a batch again whose answer it never got.
    private enum Repetition: CaseIterable { case leavesBefore, leavesAfter, takesNewActor }

    @Test(arguments: Repetition.allCases, [true, false])
    private func `an increment of a batch that was taken apart counts once`(
        repetition: Repetition,
        arrives: Bool
    ) throws {
        try away.write(.increment(by: 5), to: .counter)
        try away.write(.incrementField("n", by: 5), to: .map)
        try CopyTests.push(from: away, in: world, arrives: arrives)
        if repetition == .leavesBefore { try away.leave(keepsItems: true) }
        try revokeAtHome()
        switch repetition {
        case .leavesBefore: break
        case .leavesAfter: try away.leave(keepsItems: true)
        case .takesNewActor: try away.replica.takeNewActor()
        }
        if repetition != .takesNewActor { try away.joinAgain(epoch: world.server.epoch) }
        try expect(counter: 132, field: 132)
    }

    @Test
    func `a reset covers what its user had seen, and no later increment`() throws {
        try away.write(.reset(to: 1), to: .counter)
        try away.write(.removeField("n"), to: .map)
        try revokeAtHome()
        try expect(counter: 1 + 3 + 4, field: 7)
    }

    @Test
    func `a deletion covers what its user had seen, and later increments stay`() throws {
        try away.delete(.counter)
        try away.delete(.map)
        try revokeAtHome()
        try expect(counter: 7, field: 7)
    }

    @Test
    func `each generation of a device has an entry, and counts once`() throws {
        for generation in 1...3 as ClosedRange<Int64> {
            try away.write(.increment(by: 5), to: .counter)
            try away.write(.incrementField("n", by: 5), to: .map)
            try revokeAtHome()
            try expect(counter: 120 + 12 * generation, field: 120 + 12 * generation)
        }
        let series = try away.state(key: "counter").counters.values.map(\.series.count)
        #expect(series == [8])
    }
}
