import KSKeyValues
import KSTestSupport
import Testing

/// Every short history of three devices that share one entry.
struct MergingExhaustiveTests {
    /// What a device does in one step.
    private enum Step: CaseIterable {
        case add, remove, sync
    }

    private static let stepCount = isThorough ? 6 : 4
    private static let historyCount = isThorough ? 88_938 : 1134
    private static let deviceCount = 3

    private static func run(
        _ deeds: MergingWorld.Deeds,
        _ bug: PlantedBug?,
        _ steps: [(device: Int, step: Step)]
    ) -> String? {
        var world = MergingWorld(deeds.type, seed: 1, devices: deviceCount, bug: bug)
        world.perform(deeds.add, on: 0)
        world.sync(0)
        for device in 1..<deviceCount { world.pull(device) }
        for (device, step) in steps {
            switch step {
            case .add: world.perform(deeds.add, on: device)
            case .remove: world.perform(deeds.remove, on: device)
            case .sync: world.sync(device)
            }
            world.check(device)
        }
        world.settle()
        return world.difference
    }

    /// Extends a history in all ways; devices take part in the order of their numbers, since
    /// they are interchangeable.
    private static func extend(
        _ deeds: MergingWorld.Deeds,
        _ bug: PlantedBug?,
        _ steps: inout [(device: Int, step: Step)],
        count: inout Int
    ) -> String? {
        guard steps.count < stepCount else {
            count += 1
            return run(deeds, bug, steps).map { "\(steps): \($0)" }
        }
        let next = min((steps.map(\.device).max() ?? -1) + 1, deviceCount - 1)
        for device in 0...next {
            for step in Step.allCases {
                steps.append((device, step))
                defer { steps.removeLast() }
                if let difference = extend(deeds, bug, &steps, count: &count) { return difference }
            }
        }
        return nil
    }

    @Test(arguments: MergingWorld.Deeds.all)
    func `three devices agree after every short history`(deeds: MergingWorld.Deeds) {
        var (steps, count) = ([(device: Int, step: Step)](), 0)
        let difference = Self.extend(deeds, nil, &steps, count: &count)
        #expect(difference == nil)
        #expect(count == Self.historyCount)
    }

    @Test(arguments: PlantedBug.inShortHistories)
    func `a short history reveals a planted bug`(bug: PlantedBug) {
        var (steps, count) = ([(device: Int, step: Step)](), 0)
        let isNoticed = MergingWorld.Deeds.all.contains { deeds in
            deeds.type == bug.type && Self.extend(deeds, bug, &steps, count: &count) != nil
        }
        #expect(isNoticed)
    }
}
