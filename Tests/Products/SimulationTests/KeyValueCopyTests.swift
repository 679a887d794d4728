import KSKeyValues
import KSTestSupport
import Simulation
import Testing

/// Key-value writes on devices that are cloned, and on databases that are put back.
struct KeyValueCopyTests {
    /// How devices are copied.
    enum Copying: CaseIterable {
        case putBacks, clones, both

        var settings: WorldSettings {
            var settings = WorldSettings()
            settings.steps = 24
            settings.itemCount = 1
            settings.keyValueProbability = 1
            settings.mergeTypeCount = 3
            if self != .clones { settings.putBackProbability = 0.5 }
            if self != .putBacks { settings.cloneProbability = 0.15 }
            return settings
        }

        var options: String {
            let (settings, usual) = (settings, WorldSettings())
            var options = "--steps 24 --items 1 --key-values 1.0 --merge-types 3 --trace"
            if settings.putBackProbability != usual.putBackProbability {
                options += " --put-backs \(settings.putBackProbability)"
            }
            if settings.cloneProbability != usual.cloneProbability {
                options += " --clones \(settings.cloneProbability)"
            }
            return options
        }
    }

    /// How many seeds one test case runs.
    private static let chunk: UInt64 = isThorough ? 80 : 12

    @Test(
        arguments: Copying.allCases,
        (0..<(isThorough ? 3 : 1)).map { 1 + $0 * chunk } as [UInt64]
    )
    func `no write of a copied device to a key-value store is lost or comes back`(
        copying: Copying,
        first: UInt64
    ) throws {
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: copying.settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                "replay with: sync-simulate --seed \(seed) \(copying.options)"
            )
        }
        // Without these, the promises would be the usual ones.
        #expect(happenings[.repeatedKeyValueWrites] > 0)
        // An increment is rarely both in a copy that is put back, and sent since.
        if copying == .clones || isThorough { #expect(happenings[.repeatedIncrements] > 0) }
        if copying != .clones {
            #expect(happenings[.putBacks] > 0)
            #expect(happenings[.lostKeyValueWrites] > 0)
        }
        if copying != .putBacks { #expect(happenings[.clonesWithBatch] > 0) }
        var writes = 0
        for type in MergeType.allCases {
            let count = happenings[.keyValueWrites(type: type.name)]
            #expect(count > 0, "\(type)")
            writes += count + happenings[.typeClashWrites(type: type.name)]
        }
        // The oracle makes few exceptions.
        let excused = happenings[.repeatedKeyValueWrites] + happenings[.lostKeyValueWrites]
        #expect(excused < writes / 4)
    }

    // MARK: Stories

    private static func elements(_ type: MergeType, on device: SimulatedDevice) throws -> [String] {
        guard case .array(let elements)? = try device.value(of: type) else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    @Test
    func `what two copies had to send counts twice, and what each did since counts once`() throws {
        let world = try CopyTests.world(bug: nil)
        let (author, other) = (world.devices[0], world.devices[1])
        try author.write(.increment(by: 1), to: .counter)
        try author.write(.insert([.string("both")]), to: .set)
        try author.write(.append([.string("both")]), to: .list)
        try world.clone(author)
        let clone = world.devices[2]
        for (device, name) in [(author, "author"), (clone, "clone")] {
            try device.write(.increment(by: device === author ? 10 : 100), to: .counter)
            try device.write(.insert([.string(name)]), to: .set)
            try device.write(.append([.string(name)]), to: .list)
        }
        for device in [author, clone, other, author, clone] {
            try CopyTests.sync(device, in: world)
        }
        try CopyTests.expectAgreement(in: world)
        #expect(try other.value(of: .counter) == .integer(112))
        #expect(try Self.elements(.set, on: other).sorted() == ["author", "both", "clone"])
        // The element is one, whichever copy sent it.
        #expect(try Self.elements(.list, on: other).sorted() == ["author", "both", "clone"])
    }

    @Test(
        arguments: [nil, .takesBatchApartUnasked] as [PlantedBug?],
        [false, true]
    )
    func `a batch that two copies have under way counts once`(
        bug: PlantedBug?,
        arrives: Bool
    ) throws {
        let world = try CopyTests.world(bug: bug)
        let (author, other) = (world.devices[0], world.devices[1])
        try author.write(.increment(by: 1), to: .counter)
        try CopyTests.push(from: author, in: world, arrives: arrives)
        try world.clone(author)
        let clone = world.devices[2]
        try CopyTests.sync(author, in: world)
        try author.write(.increment(by: 10), to: .counter)
        for device in [author, clone, other, author, clone] {
            try CopyTests.sync(device, in: world)
        }
        try CopyTests.expectAgreement(in: world)
        #expect(try other.value(of: .counter) == .integer(bug == nil ? 11 : 12))
    }

    @Test(arguments: [false, true])
    func `only what a disk alone held is lost when its database is put back`(
        isSent: Bool
    ) throws {
        let world = try CopyTests.world(bug: nil)
        let (author, other) = (world.devices[0], world.devices[1])
        try author.write(.increment(by: 1), to: .counter)
        try CopyTests.sync(author, in: world)
        // The copy has this one still to send.
        try author.write(.increment(by: 10), to: .counter)
        let copy = author.disk.contents
        if isSent { try CopyTests.sync(author, in: world) }
        try author.write(.increment(by: 100), to: .counter)
        if isSent { try CopyTests.sync(author, in: world) }
        try author.putBack(copy)
        try world.lookAtCopies(author)
        try author.write(.increment(by: 1000), to: .counter)
        for device in [author, other, author] { try CopyTests.sync(device, in: world) }
        try CopyTests.expectAgreement(in: world)
        #expect(try other.value(of: .counter) == .integer(isSent ? 1121 : 1011))
    }
}
