import KSTestSupport
import Simulation
import Testing

/// Worlds with a bad network and busy users, each from its seed.
struct WorldTests {
    /// How many seeds one test case runs: few cases report faster than many.
    private static let chunk: UInt64 = 50
    /// A thousand worlds in `make check`, 100 in `make test`; a debug build takes 20 times as long.
    private static let chunkCount: UInt64 = isThorough ? 20 : 2
    /// A thousand worlds of copied devices in `make check`, 50 of them in `make test`.
    private static let copiedChunkCount: UInt64 = isThorough ? 20 : 1
    /// Short worlds, so that they run in a minute or two.
    private static let steps = 24

    @Test(arguments: (0..<chunkCount).map { 1 + $0 * chunk })
    func `every promise is kept in many worlds`(first: UInt64) throws {
        var settings = WorldSettings()
        settings.steps = Self.steps
        var happenings = Happenings()
        var deviceCounts: Set<Int> = []
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            deviceCounts.insert(outcome.deviceCount)
            #expect(
                outcome.failure == nil,
                "replay with: sync-simulate --seed \(seed) --steps \(Self.steps) --trace"
            )
        }
        #expect(deviceCounts == [2, 3, 4])
        // A network without faults and devices that never stop would find nothing.
        #expect(happenings[.lostMessages] > 0)
        #expect(happenings[.lostAnswers] > happenings[.lostAcknowledgements])
        #expect(happenings[.lostAcknowledgements] > 0)
        #expect(happenings[.duplicatedMessages] > 0)
        #expect(happenings[.delayedMessages] > 0)
        #expect(happenings[.overtakenMessages] > 0)
        #expect(happenings[.restarts] > 0)
        #expect(happenings[.offlinePeriods] > 0)
        #expect(happenings[.additions] > 0)
        #expect(happenings[.edits] > 0)
        #expect(happenings[.deletions] > 0)
        #expect(happenings[.renames] > 0)
        #expect(happenings[.clockJumps] > 0)
        for type in ["register", "max", "min", "counter", "set", "map", "list"] {
            #expect(happenings[.keyValueWrites(type: type)] > 0, "\(type)")
        }
        #expect(happenings[.keyValueDeletions] > 0)
    }

    /// Programs write to entries of all merge types, and users do little else.
    @Test(arguments: (0..<(isThorough ? 10 : 2)).map { 1 + $0 * chunk })
    func `no write to a key-value store is lost or comes back`(first: UInt64) throws {
        var settings = WorldSettings()
        settings.steps = Self.steps
        settings.itemCount = 1
        settings.keyValueProbability = 1
        settings.mergeTypeCount = 3
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --steps \(Self.steps) --items 1 \
                --key-values 1.0 --merge-types 3 --trace
                """
            )
        }
        for (type, operations) in Self.operations {
            for operation in operations + ["delete"] {
                let count = happenings[.keyValueOperations(type: type, operation: operation)]
                #expect(count > 0, "\(operation) of \(type)")
            }
            #expect(happenings[.typeClashWrites(type: type)] > 0, "\(type)")
        }
        #expect(happenings[.largeKeyValues] > 0)
        #expect(happenings[.oldViews] > 0)
        // Devices met other types than theirs.
        #expect(happenings[.typeClashes] > 0)
    }

    /// Short worlds: nobody who has seen both types of the key has written to it before the end.
    @Test
    func `a type that is not shown is reported, and its values are kept`() throws {
        var settings = WorldSettings()
        settings.steps = 8
        settings.deviceCount = 4
        settings.itemCount = 1
        settings.keyValueProbability = 1
        var happenings = Happenings()
        for seed in 1...100 as ClosedRange<UInt64> {
            if seed > 25, happenings[.hiddenTypes] > 0, !isThorough { break }
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(outcome.failure == nil, "seed \(seed)")
        }
        #expect(happenings[.hiddenTypes] > 0)
    }

    /// What programs do to the entry of each merge type.
    private static let operations = [
        "register": ["set"],
        "max": ["declare", "set"],
        "min": ["declare", "set"],
        "counter": ["increment", "set", "reset"],
        "set": ["insert", "remove", "set"],
        "map": ["setField", "removeField", "incrementField", "set"],
        "list": ["insertAt", "append", "setAt", "removeAt", "move", "set"],
    ]

    /// Machines are cloned and databases restored, most of them with a batch under way.
    @Test(arguments: (0..<copiedChunkCount).map { 1 + $0 * chunk })
    func `every promise is kept in many worlds of copied devices`(first: UInt64) throws {
        var settings = WorldSettings()
        settings.steps = Self.steps
        settings.cloneProbability = 0.05
        settings.putBackProbability = 0.1
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --steps \(Self.steps) --clones 0.05 \
                --put-backs 0.1 --trace
                """
            )
        }
        #expect(happenings[.clones] > happenings[.clonesWithBatch])
        #expect(happenings[.clonesWithBatch] > 0)
        #expect(happenings[.putBacks] > 0)
    }

    /// Many devices write one item: the joined state is sent again and again, without users.
    @Test(arguments: (0..<(isThorough ? 5 : 1)).map { 1 + $0 * 16 } as [UInt64])
    func `every promise is kept when records are written back`(first: UInt64) throws {
        var settings = WorldSettings()
        settings.steps = Self.steps
        settings.deviceCount = 6
        settings.itemCount = 1
        settings.writeBackSiblingsMax = 1
        var writeBacks = 0
        for seed in first..<first + 16 {
            let outcome = try World.run(seed: seed, settings: settings)
            writeBacks += outcome.writeBacks
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --steps \(Self.steps) --devices 6 \
                --items 1 --write-back 1 --trace
                """
            )
        }
        #expect(writeBacks > 0)
    }

    /// A batch sealed over a stub; before its answer, another deletion of the same item is pulled.
    @Test
    func `devices agree when an item is added again while others delete it`() throws {
        var settings = WorldSettings()
        settings.lockProbability = 0
        settings.clockJumpProbability = 0
        settings.keyValueProbability = 0
        #expect(try World.run(seed: 1257, settings: settings).failure == nil)
    }

    @Test
    func `the same seed gives the same trace`() throws {
        let first = try World.run(seed: 7, keepsTrace: true)
        let second = try World.run(seed: 7, keepsTrace: true)
        #expect(first == second)
        #expect(!first.trace.isEmpty)
        #expect(try World.run(seed: 8).traceHash != first.traceHash)
    }
}
