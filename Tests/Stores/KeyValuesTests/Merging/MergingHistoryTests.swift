import KSKeyValues
import KSTestSupport
import Testing

/// Every merge type, over random histories, against the operation log.
struct MergingHistoryTests {
    /// The number of histories of each type that are checked.
    private static let historyCount: UInt64 = isThorough ? 100_000 : isOptimized ? 3_000 : 2_000

    /// How many histories of each part may be too long for the log, so that nothing is checked.
    private static let overfullMax: UInt64 = 52

    /// Most histories are short, which finds more faults in a second; some are long.
    static func world(_ type: MergeType, seed: UInt64, bug: PlantedBug? = nil) -> MergingWorld {
        let isLong = seed % 32 == 0
        let devices = isLong || seed % 8 == 1 ? nil : 2 + Int(seed % 2)
        var world = MergingWorld(type, seed: seed, devices: devices, bug: bug)
        world.run(steps: isLong ? 60 : 11)
        world.settle()
        world.checkLaws()
        return world
    }

    @Test(arguments: MergeType.allCases, 0..<4 as Range<UInt64>)
    func `devices agree with the operation log in thousands of histories of each type`(
        type: MergeType,
        part: UInt64
    ) {
        let count = Self.historyCount / 4
        let first = part * (count + Self.overfullMax)
        var (checked, putBacks) = (0 as UInt64, 0)
        for seed in first..<first + count + Self.overfullMax where checked < count {
            let world = Self.world(type, seed: seed)
            if world.isOverfull { continue }
            checked += 1
            putBacks += world.putBacks
            if let difference = world.difference {
                Issue.record("\(type), seed \(seed): \(difference)")
                return
            }
        }
        #expect(checked == count, "almost all histories fit into the log")
        #expect(putBacks > 10)
    }

    @Test(arguments: PlantedBug.allCases)
    func `the operation log notices a planted bug`(bug: PlantedBug) {
        let noticed = (0..<5000 as Range<UInt64>).contains { seed in
            Self.world(bug.type, seed: seed, bug: bug).difference != nil
        }
        #expect(noticed)
    }
}
