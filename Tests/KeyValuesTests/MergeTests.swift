import KSKeyValues
import KSTestSupport
import Testing

/// Random histories of each merge type on two to four devices.
///
/// Devices edit offline, lose answers, and have batches refused; siblings come in any order. All
/// devices end up equal, and as the log of operations says.
struct MergeTests {
    static let histories = 10_000
    private static let steps = 12

    /// Runs the histories of one type on several threads; gives the seeds that a check refused.
    static func failures(
        _ type: MergeType,
        histories: Int = histories,
        forgetsRefusedEdits: Bool = false,
        act: @escaping @Sendable (inout MergeWorld, Int) -> Void,
        check: @escaping @Sendable (MergeWorld) -> Bool
    ) async -> [UInt64] {
        let parts = 8
        return await withTaskGroup(of: [UInt64].self) { group in
            for part in 0..<parts {
                group.addTask {
                    stride(from: part, to: histories, by: parts).compactMap { number in
                        let seed = UInt64(number)
                        var world = MergeWorld(seed: seed, type: type)
                        world.forgetsRefusedEdits = forgetsRefusedEdits
                        world.run(steps: Self.steps, act)
                        let first = world.value(0)
                        let isEqual = (1..<world.deviceCount).allSatisfy {
                            world.value($0) == first
                        }
                        return isEqual && check(world) ? nil : seed
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    // MARK: Counters

    static let count: @Sendable (inout MergeWorld, Int) -> Void = { world, device in
        let amount = Int64.random(in: -3...9, using: &world.random)
        if Int.random(in: 0..<10, using: &world.random) == 0 {
            world.write(.reset(to: amount * 100), on: device)
        } else {
            world.write(.increment(by: amount), on: device)
        }
    }

    static func isCount(_ world: MergeWorld) -> Bool {
        guard case .integer(let value)? = world.value(0) else { return false }
        return Oracle.counter(world.log, undone: world.undone).contains(value)
    }

    @Test
    func `no increment of a counter is lost or counted twice`() async {
        #expect(await Self.failures(.counter, act: Self.count, check: Self.isCount) == [])
    }

    @Test
    func `forgetting what a refused batch had added is noticed`() async {
        let failures = await Self.failures(
            .counter,
            histories: 2000,
            forgetsRefusedEdits: true,
            act: Self.count,
            check: Self.isCount
        )
        #expect(!failures.isEmpty)
    }

    // MARK: Sets

    @Test
    func `an addition to a set survives every removal that had not seen it`() async {
        let failures = await Self.failures(.set) { world, device in
            let element = PropertyValue.integer(Int64.random(in: 0..<3, using: &world.random))
            let isAdded = Bool.random(using: &world.random)
            world.write(isAdded ? .insert([element]) : .remove([element]), on: device)
        } check: { world in
            guard case .array(let elements)? = world.value(0) else { return false }
            return Set(elements) == Oracle.set(world.log) && Set(elements).count == elements.count
        }
        #expect(failures == [])
    }

    // MARK: Maps

    @Test
    func `each field of a map is the last write, and its counters add up`() async {
        let failures = await Self.failures(.map) { world, device in
            let number = Int64(world.log.count)
            switch Int.random(in: 0..<10, using: &world.random) {
            case 0..<3: world.write(.setField("a", .integer(number)), on: device)
            case 3..<5: world.write(.setField("b", .string("\(number)")), on: device)
            case 5: world.write(.removeField("a"), on: device)
            case 6: world.write(.removeField("n"), on: device)
            default: world.write(.incrementField("n", by: number), on: device)
            }
        } check: { world in
            guard case .dictionary(let fields)? = world.value(0) else { return false }
            let expected = Oracle.map(world.log)
            let isRight = ["a", "b"].allSatisfy { name in
                let values = expected[name] ?? []
                return fields[name].map { values.contains($0) } ?? values.isEmpty
            }
            // An increment by 0 need not show.
            let sum = Oracle.fieldCounter(world.log, "n")
            let shown = fields["n"]
            return isRight && (shown == sum.map { .integer($0) } || (sum == 0 && shown == nil))
        }
        #expect(failures == [])
    }

    // MARK: Lists

    @Test
    func `an element of a list is there once, unless a device removed what it had seen`() async {
        let failures = await Self.failures(.list) { world, device in
            guard case .array(let elements)? = world.value(device) else { return }
            let count = elements.count
            let value = PropertyValue.integer(Int64(world.log.count))
            let place = Int.random(in: 0...count, using: &world.random)
            switch Int.random(in: 0..<10, using: &world.random) {
            case 0..<5: world.write(.insertAt(place, [value]), on: device)
            case 5..<7 where place < count: world.write(.removeAt(place), on: device)
            case 7..<9 where place < count:
                world.write(.move(from: place, to: count - 1 - place), on: device)
            default: break
            }
        } check: { world in
            guard case .array(let elements)? = world.value(0) else { return false }
            return Set(elements).count == elements.count
        }
        #expect(failures == [])
    }

    // MARK: Whole values

    @Test(arguments: [MergeType.maximum, .minimum])
    func `the highest or lowest number ever set is shown`(type: MergeType) async {
        let failures = await Self.failures(type) { world, device in
            let value = Int64.random(in: -20...20, using: &world.random)
            world.write(.set(.integer(value), base: nil), on: device)
        } check: { world in
            world.value(0) == Oracle.extreme(world.log, type).map { .integer($0) }
        }
        #expect(failures == [])
    }

    @Test
    func `a register shows a write that no other one had seen`() async {
        let failures = await Self.failures(.register) { world, device in
            let value = PropertyValue.integer(Int64(world.log.count))
            world.write(.set(value, base: nil), on: device)
        } check: { world in
            let values = Oracle.register(world.log)
            return world.value(0).map { values.contains($0) } ?? values.isEmpty
        }
        #expect(failures == [])
    }
}
