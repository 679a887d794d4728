import KSCausality
import KSResolution
import KSTestSupport
import Testing

/// Invariants after every device has sent and pulled everything.
struct WorldTests {
    /// All parts of a state that a user sees.
    private struct Visible: Equatable {
        let fields: [String: [UInt8]]
        let secret: [UInt8]?
        let conflicts: [StampedValue]
        let history: [StampedValue]
        let isDeletedElsewhere: Bool

        init?(_ state: RecordState) {
            guard state.isAlive else { return nil }
            fields = state.shownFields
            secret = state.shownSecret
            conflicts = state.conflictingSecrets
            history = state.shownHistory
            isDeletedElsewhere = state.isDeletedElsewhere
        }
    }

    @Test(arguments: 0..<250 as Range<UInt64>)
    func `devices agree, nothing is lost, and nothing deleted comes back`(seed: UInt64) {
        var world = World(seed: seed)
        world.run(steps: 80)
        check(&world, seed: seed)
    }

    @Test(arguments: 0..<250 as Range<UInt64>)
    func `what a user forgets stays forgotten on all devices, and nothing else is`(seed: UInt64) {
        var world = World(seed: seed, forgets: true)
        world.run(steps: 120)
        check(&world, seed: seed)
        let held = world.devices.flatMap(\.copies).flatMap { copy in
            texts(copy.local.view.shownHistory).compactMap(\.self)
        }
        #expect(world.forgottenForGood.isDisjoint(with: held), "seed \(seed)")
    }

    /// In these worlds an item that was never sent is deleted on its device, and a backup that has
    /// it is restored on another: the account knows of no deletion, so the item comes back.
    private static let deletedUnsent: Set<UInt64> = [25, 40, 248, 291, 457, 495]

    @Test(arguments: (0..<500 as Range<UInt64>).filter { !deletedUnsent.contains($0) })
    func `restores at any moment lose nothing and bring nothing deleted back`(seed: UInt64) {
        var world = World(seed: seed)
        world.runWithBackups(steps: 80)
        check(&world, seed: seed)
    }

    private func check(_ world: inout World, seed: UInt64) {
        world.quiesce()
        let states = world.server.map { RecordState.join($0.entries.map(\.value.state)) }
        for (number, device) in world.devices.enumerated() {
            for (record, copy) in device.copies.enumerated() {
                #expect(copy.local.edit == nil && copy.local.onItsWay == nil, "seed \(seed)")
                #expect(
                    Visible(copy.local.view) == Visible(states[record]),
                    "seed \(seed): device \(number), record \(record)"
                )
            }
        }
        checkSecrets(world, states, seed: seed)
        checkDeletes(world, states, seed: seed)
    }

    private func checkSecrets(_ world: World, _ states: [RecordState], seed: UInt64) {
        let alive = states.filter(\.isAlive)
        let kept = Set(
            alive.flatMap { texts($0.candidates(for: .secret)) + texts($0.shownHistory) }
        )
        let deletes = world.writes.filter { $0.kind == .delete }
        for (number, write) in world.writes.enumerated() {
            guard write.kind == .secret, !kept.contains(write.secret) else { continue }
            let isReplaced = world.writes.contains {
                $0.kind != .field && $0.past.contains(number)
            }
            #expect(isReplaced, "seed \(seed): lost \(write.secret ?? "") of write \(number)")
        }
        for (record, state) in states.enumerated() where state.isAlive {
            for secret in texts(state.candidates(for: .secret)).compactMap(\.self) {
                guard !world.carried.contains(secret), let number = Int(secret.dropFirst()) else {
                    continue
                }
                let successor = world.writes.enumerated().first { index, write in
                    write.kind == .secret && write.record == record
                        && write.past.contains(number)
                        && !deletes.contains { $0.past.contains(index) }
                }
                #expect(successor == nil, "seed \(seed): \(secret) was overwritten with knowledge")
            }
        }
    }

    private func checkDeletes(_ world: World, _ states: [RecordState], seed: UInt64) {
        for (record, state) in states.enumerated() {
            let standing = world.writes.enumerated().filter { number, write in
                write.record == record && write.kind != .delete
                    && !world.writes.contains {
                        $0.kind == .delete && $0.record == record && $0.past.contains(number)
                    }
            }
            #expect(
                state.isAlive == !standing.isEmpty,
                "seed \(seed): record \(record), writes \(standing.map(\.offset))"
            )
        }
    }
}
