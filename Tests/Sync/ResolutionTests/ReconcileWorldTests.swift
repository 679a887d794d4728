import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// Promises that hold after a server went back, once every device has compared and sent everything.
struct ReconcileWorldTests {
    /// All parts of a state that a user sees.
    private struct Visible: Equatable {
        let fields: [String: [UInt8]]
        let secrets: [[UInt8]?]
        let history: [[UInt8]?]
        let count: UInt64
        let elements: [Int]

        init?(_ state: RecordState) {
            guard state.isAlive else { return nil }
            fields = state.shownFields
            secrets = state.candidates(for: .secret).map(\.value)
            history = state.shownHistory.map(\.value)
            count = ReconcileWorld.count(in: state)
            elements = ReconcileWorld.elements(of: state)
        }
    }

    @Test(arguments: 0..<(isThorough ? 100_000 : 2_000) as Range<UInt64>)
    func `a server that goes back costs nothing and brings nothing back`(seed: UInt64) {
        var world = ReconcileWorld(seed: seed)
        world.run(steps: 80)
        world.quiesce()
        for problem in Self.problems(in: world) { Issue.record("seed \(seed): \(problem)") }
    }

    @Test(arguments: ReconcileWorld.Bug.allCases)
    func `a planted bug is found`(bug: ReconcileWorld.Bug) {
        let found = (0..<2_000 as Range<UInt64>).first { seed in
            var world = ReconcileWorld(seed: seed, bug: bug)
            world.run(steps: 80)
            world.quiesce()
            return !Self.problems(in: world).isEmpty
        }
        #expect(found != nil)
    }

    /// All compare before the first of them sends anything, and none pulls in between.
    @Test(arguments: 0..<(isThorough ? 20_000 : 500) as Range<UInt64>)
    func `ten devices that put up the same leave it as it was`(seed: UInt64) throws {
        var world = ReconcileWorld(seed: seed, deviceCount: 10)
        world.backUp()
        world.run(steps: 60, restores: false)
        world.quiesce()
        let before = world.states
        let backup = try #require(world.backups.randomElement(using: &world.random))
        world.restore(backup)
        for device in world.devices.indices { while !world.contact(device) {} }
        for device in world.devices.indices.shuffled(using: &world.random) {
            world.seal(device)
            world.push(device, isCalm: true)
            let isWhole = zip(world.states, before).allSatisfy {
                $0 == $1 || !$0.isAlive && !$1.isAlive
            }
            #expect(isWhole, "seed \(seed), after device \(device)")
        }
        world.quiesce()
        for problem in Self.problems(in: world) { Issue.record("seed \(seed): \(problem)") }
        // Comparing again finds nothing to do.
        world.restore(world.store)
        for device in world.devices.indices {
            for record in before.indices {
                let copy = world.devices[device].copies[record]
                let decision = RecordComparison(
                    known: world.known(copy),
                    shown: world.shown(record),
                    seen: world.devices[device].seen,
                    accepted: world.store.vector
                ).decision(for: nil)
                #expect(decision == RecordDecision(.same), "seed \(seed)")
            }
        }
    }

    static func problems(in world: ReconcileWorld) -> [String] {
        var problems = world.faults
        let states = world.states
        for (number, device) in world.devices.enumerated() {
            if !device.isReconciled { problems.append("device \(number) has not finished") }
            for (record, copy) in device.copies.enumerated() {
                if copy.local.edit != nil || copy.local.onItsWay != nil {
                    problems.append("device \(number) has unsent parts of record \(record)")
                }
                if Visible(copy.local.view) != Visible(states[record]) {
                    problems.append("device \(number) differs in record \(record)")
                }
            }
        }
        for (record, state) in states.enumerated() {
            problems += Self.problems(of: record, state, in: world)
        }
        return problems
    }

    private static func problems(
        of record: Int,
        _ state: RecordState,
        in world: ReconcileWorld
    ) -> [String] {
        let writes = world.writes.enumerated().filter { $0.element.record == record }
        let deletes = writes.filter { $0.element.kind == .delete }
        func isDeleted(_ number: Int) -> Bool {
            deletes.contains { $0.element.past.contains(number) }
        }
        let standing = writes.filter { number, write in
            write.kind != .delete && write.kind != .removal && !isDeleted(number)
        }
        guard state.isAlive == !standing.isEmpty else {
            return ["record \(record) is \(state.isAlive ? "back" : "gone")"]
        }
        guard state.isAlive else { return [] }
        var problems: [String] = []
        if state.shownSecret == nil || state.shown(account) == nil {
            problems.append("record \(record) lives without its values")
        }
        let kept = Set(
            texts(state.candidates(for: .secret) + state.shownHistory).compactMap(\.self)
        )
        for (number, write) in standing where write.kind == .secret {
            let isReplaced = writes.contains {
                $0.element.kind == .secret && $0.element.past.contains(number)
            }
            if !kept.contains("s\(number)") && !isReplaced {
                problems.append("secret \(number) is lost")
            }
        }
        for text in texts(state.candidates(for: .secret)).compactMap(\.self) {
            guard let number = Int(text.dropFirst()) else { continue }
            let isStale = writes.contains {
                $0.element.kind == .secret && $0.element.past.contains(number)
                    && !isDeleted($0.offset)
            }
            if isStale { problems.append("secret \(number) was overwritten with knowledge") }
        }
        let sum = standing.reduce(0) { $0 + $1.element.amount }
        let count = ReconcileWorld.count(in: state)
        if count != sum { problems.append("record \(record) counts \(count) instead of \(sum)") }
        let removed = Set(writes.compactMap(\.element.removed))
        let elements = standing.filter { $0.element.kind == .element }.map(\.offset)
            .filter { !removed.contains($0) }
        if ReconcileWorld.elements(of: state) != elements {
            problems.append(
                "record \(record) has \(ReconcileWorld.elements(of: state)), not \(elements)"
            )
        }
        return problems
    }
}
