import KSCausality
import KSKeyValues
import KSResolution
import Simulation
import KSSyncEngine
import Testing

/// Counters whose entries are summed up when a device was revoked, while another device is away.
struct FoldStoryTests {
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

    /// What happens at home while the other device is away: an increment, the revocation, and a
    /// write that folds.
    private func foldAtHome() throws {
        try home.write(.increment(by: 3), to: .counter)
        try home.write(.incrementField("n", by: 3), to: .map)
        try CopyTests.sync(home, in: world)
        #expect(try world.revokeSpare(by: home))
        try CopyTests.sync(home, in: world)
        try home.write(.increment(by: 4), to: .counter)
        try home.write(.incrementField("n", by: 4), to: .map)
        try CopyTests.sync(home, in: world)
        // The sum, and the increment of the new actor.
        for type in [MergeType.counter, .map] {
            let series = try home.state(key: type.name).counters.values.map { counter in
                counter.series.keys.count { $0.actor == .folded }
            }
            #expect(series == [1])
        }
    }

    private func expect(counter: Int64?, field: Int64?) throws {
        try syncBoth()
        for device in world.devices {
            #expect(try device.value(of: .counter) == counter.map { .integer($0) })
            let fields = field.map { PropertyDictionary(["n": .integer($0)]) }
            #expect(try device.value(of: .map) == fields.map { .dictionary($0) })
        }
        try CopyTests.expectAgreement(in: world)
    }

    @Test
    func `increments that were not sent count once`() throws {
        try away.write(.increment(by: 5), to: .counter)
        try away.write(.incrementField("n", by: 5), to: .map)
        try foldAtHome()
        try expect(counter: 132, field: 132)
    }

    @Test
    func `a batch that was accepted before, and whose answer was lost, counts once`() throws {
        try away.write(.increment(by: 5), to: .counter)
        try CopyTests.push(from: away, in: world, arrives: true)
        try CopyTests.sync(home, in: world)
        try foldAtHome()
        away.replica.giveUpRequest()
        try expect(counter: 132, field: 127)
    }

    @Test
    func `a batch that never arrived counts once`() throws {
        try away.write(.increment(by: 5), to: .counter)
        try CopyTests.push(from: away, in: world, arrives: false)
        try foldAtHome()
        away.replica.giveUpRequest()
        try expect(counter: 132, field: 127)
    }

    /// How a device comes to send a batch again whose answer it never got.
    private enum Repetition: CaseIterable { case leavesBefore, leavesAfter, takesNewActor }

    @Test(arguments: Repetition.allCases, [true, false])
    private func `an increment of a batch that was taken apart counts once after a fold`(
        repetition: Repetition,
        arrives: Bool
    ) throws {
        try away.write(.increment(by: 5), to: .counter)
        try away.write(.incrementField("n", by: 5), to: .map)
        try CopyTests.push(from: away, in: world, arrives: arrives)
        if repetition == .leavesBefore { try away.leave(keepsItems: true) }
        try CopyTests.sync(home, in: world)
        try foldAtHome()
        switch repetition {
        case .leavesBefore: break
        case .leavesAfter: try away.leave(keepsItems: true)
        case .takesNewActor: try away.replica.takeNewActor()
        }
        if repetition != .takesNewActor { try away.joinAgain(epoch: world.server.epoch) }
        try expect(counter: 132, field: 132)
    }

    /// Both devices fold, each without having seen the other's batch.
    @Test
    func `an increment counts once when its device returns and folds beside another one`() throws {
        try away.write(.increment(by: 5), to: .counter)
        try away.write(.incrementField("n", by: 5), to: .map)
        try CopyTests.push(from: away, in: world, arrives: true)
        try CopyTests.sync(home, in: world)
        #expect(try world.revokeSpare(by: home))
        try CopyTests.sync(home, in: world)
        try home.write(.increment(by: 4), to: .counter)
        try home.write(.incrementField("n", by: 4), to: .map)
        // The fold is sealed, and does not arrive before what the other device sends.
        try CopyTests.push(from: home, in: world, arrives: false)
        try away.leave(keepsItems: true)
        try away.joinAgain(epoch: world.server.epoch)
        try CopyTests.sync(away, in: world)
        try expect(counter: 129, field: 129)
        let series = try home.state(key: "counter").counters.values.flatMap(\.series.keys)
        #expect(series.contains { $0.actor == .folded })
    }

    /// The device may fold the counter itself.
    @Test(arguments: [true, false])
    func `a device that leaves with a batch whose answer was lost repeats it once`(
        arrives: Bool
    ) throws {
        try away.write(.increment(by: 5), to: .counter)
        try CopyTests.push(from: away, in: world, arrives: arrives)
        try CopyTests.sync(home, in: world)
        #expect(try world.revokeSpare(by: home))
        try CopyTests.sync(home, in: world)
        try away.leave(keepsItems: true)
        try away.joinAgain(epoch: world.server.epoch)
        try expect(counter: 125, field: 120)
    }

    @Test
    func `a reset covers what its user had seen, and no later increment`() throws {
        try away.write(.reset(to: 1), to: .counter)
        try away.write(.setField("n", .integer(1)), to: .map)
        try foldAtHome()
        try syncBoth()
        for device in world.devices {
            #expect(try device.value(of: .counter) == .integer(1 + 3 + 4), "\(device.name)")
        }
        try CopyTests.expectAgreement(in: world)
    }

    @Test
    func `a deletion covers what its user had seen, and later increments stay`() throws {
        try away.delete(.counter)
        try away.delete(.map)
        try foldAtHome()
        try expect(counter: 7, field: 7)
    }

    @Test
    func `a removed field of a map counts only what its user had not seen`() throws {
        try away.write(.removeField("n"), to: .map)
        try foldAtHome()
        try expect(counter: 127, field: 7)
    }

    @Test
    func `a counter of many actors is folded without a write of its users`() throws {
        for _ in 0..<70 {
            try away.leave(keepsItems: true)
            try away.joinAgain(epoch: world.server.epoch)
            try CopyTests.sync(away, in: world)
            try away.write(.increment(by: 1), to: .counter)
            try CopyTests.sync(away, in: world)
        }
        try syncBoth()
        #expect(try home.state(key: "counter").counters.values.map(\.series.count) == [72])
        let bytes = try home.state(key: "counter").encoded.count
        #expect(try world.revokeSpare(by: home))
        try expect(counter: 190, field: 120)
        #expect(try away.state(key: "counter").counters.values.map(\.series.count) == [1])
        // A small counter waits until somebody writes it.
        #expect(try away.state(key: "map").counters.values.map(\.series.count) == [2])
        #expect(try away.state(key: "counter").encoded.count < bytes * 2 / 3)
    }

    @Test
    func `three generations, each with a fold`() throws {
        for generation in 1...3 as ClosedRange<Int64> {
            try away.write(.increment(by: 5), to: .counter)
            try away.write(.incrementField("n", by: 5), to: .map)
            try foldAtHome()
            try expect(counter: 120 + 12 * generation, field: 120 + 12 * generation)
        }
        let series = try away.state(key: "counter").counters.values.map(\.series.count)
        #expect(series.allSatisfy { $0 <= 3 }, "\(series)")
    }
}
