import KSCausality
import KSKeychain
import KSRecords
import KSResolution
import KSSyncEngine
import Testing
import KSWire

import Simulation

/// A record with many siblings is written back by one of its readers, unnoticed by users.
struct WriteBackTests {
    private static let delays = WriteBackRule.standard.delayMilliseconds
    private let record: ScatteredRecord
    private let start: UInt64

    init() throws {
        record = try ScatteredRecord()
        start = record.clock.milliseconds
    }

    private func view(on device: SimulatedDevice) throws -> RecordState {
        try device.record(item: 0).view
    }

    @Test
    func `nine siblings become one, later and after another pull`() throws {
        try record.addStrangers(9)
        let joined = try record.joined()
        let device = try record.device(0)
        let due = try #require(try record.carry(device))
        #expect((start + Self.delays.lowerBound...start + Self.delays.upperBound).contains(due))
        let before = try (contents: device.contents(), view: view(on: device))
        record.clock.milliseconds = due - 1
        #expect(try record.carry(device) == due)
        #expect(record.pushed.isEmpty)
        #expect(record.pullCount == 1)

        record.clock.milliseconds = due
        #expect(try record.carry(device) == nil)
        #expect(record.pullCount == 2)
        #expect(record.pushed.count == 1)
        #expect(record.pushed.first?.replaced.count == 9)
        #expect(record.siblings.map(\.dot) == record.pushed.map(\.dot))
        #expect(try record.joined().encoded == joined.encoded)
        #expect(device.writeBacks == 1)
        #expect(try device.contents() == before.contents)
        #expect(try view(on: device) == before.view)
        #expect(joined.conflictingSecrets.count == 8)

        // A reader now sees the same as before.
        let other = try record.device(1)
        #expect(try record.carry(other) == nil)
        #expect(try other.contents() == before.contents)
        #expect(try view(on: other) == before.view)
        #expect(try record.notify(device) == nil)
        #expect(record.pushed.count == 1)
    }

    @Test
    func `eight siblings are left alone`() throws {
        try record.addStrangers(8)
        #expect(try record.carry(try record.device(0)) == nil)
    }

    @Test
    func `nothing is written when one sibling equals the join`() throws {
        try record.addStrangers(8)
        try record.add(try record.joined(), by: 100)
        let device = try record.device(0)
        #expect(try record.carry(device) == nil)
        #expect(record.siblings.count == 9)
    }

    @Test
    func `a deleted item is not written back`() throws {
        try record.addStrangers(9)
        for envelope in record.siblings {
            let stranger = envelope.dot.actor.rawValue
            let deleted = try record.edit(LocalRecord(mirror: record.joined()), by: stranger) {
                $0.delete(atMilliseconds: start + 1)
            }
            try record.add(deleted, by: stranger, replaced: [envelope.dot])
        }
        #expect(record.siblings.count == 9)
        #expect(try record.carry(try record.device(0)) == nil)
    }

    @Test
    func `two devices are due and one of them writes`() throws {
        try record.addStrangers(9)
        let devices = try [record.device(0), record.device(1)]
        let due = try devices.map { try #require(try record.carry($0)) }
        // Both slept past their times, and neither has seen the other's write.
        record.clock.milliseconds = try #require(due.max())
        for device in devices { try record.carry(device) }
        #expect(record.pushed.count == 1)
        #expect(devices.map(\.writeBacks) == [1, 0])
        #expect(try devices[0].contents() == devices[1].contents())
        #expect(try devices[0].record(item: 0) == devices[1].record(item: 0))
    }

    @Test
    func `two devices that write at one moment do not go on writing`() throws {
        try record.addStrangers(9)
        let devices = try [2, 3].map { try record.device($0, writeBackSiblingsMax: 1) }
        let joined = try record.joined()
        for device in devices { try record.carry(device) }
        record.clock.milliseconds += Self.delays.upperBound
        // Each pulls before the other's write arrives.
        var batches: [NumberedRequest] = []
        for device in devices {
            batches.append(try #require(try record.requestToPush(of: device)))
        }
        for (device, batch) in zip(devices, batches) { try record.deliver(batch, of: device) }
        #expect(record.siblings.count == 2)
        for device in devices {
            #expect(try record.notify(device) == nil)
            #expect(try device.record(item: 0).mirror?.encoded == joined.encoded)
        }
        #expect(record.pushed.count == 2)
    }

    @Test
    func `a restarted device still writes back`() throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        let due = try #require(try record.carry(device))
        try device.restart()
        #expect(try record.carry(device) == due)
        record.clock.milliseconds = due
        try record.carry(device)
        #expect(record.pushed.count == 1)
    }

    @Test
    func `a device killed after sealing sends the same batch`() throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        record.clock.milliseconds = try #require(try record.carry(device))
        let lost = try #require(try record.requestToPush(of: device))
        try device.restart()
        let again = try #require(try record.requestToPush(of: device))
        #expect(again.request == lost.request)
        try record.deliver(again, of: device)
        #expect(try record.carry(device) == nil)
        #expect(record.siblings.count == 1)
    }

    @Test
    func `a locked device waits for its unlock`() throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        let due = try #require(try record.carry(device))
        device.lock()
        record.clock.milliseconds = due
        #expect(try record.carry(device) == nil)
        #expect(record.pushed.isEmpty)
        try device.unlock()
        try record.carry(device)
        #expect(record.pushed.count == 1)
    }

    @Test
    func `records received while locked are written back after the unlock`() throws {
        let device = try record.device(0)
        device.lock()
        try record.addStrangers(9)
        #expect(try record.carry(device) == nil)
        record.clock.milliseconds += Self.delays.upperBound
        try device.unlock()
        let due = try #require(try record.carry(device))
        #expect(due >= record.clock.milliseconds + Self.delays.lowerBound)
        record.clock.milliseconds = due
        try record.carry(device)
        #expect(record.pushed.count == 1)
    }

    @Test
    func `an edit uploads the joined state too`() throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        let due = try #require(try record.carry(device))
        _ = try device.keychain.update(
            device.query(item: 0),
            ItemChanges(attributes: [.comment: .string("note")], secret: nil)
        )
        record.clock.milliseconds = due
        #expect(try record.carry(device) == nil)
        #expect(record.pushed.map(\.replaced.count) == [9])
        #expect(device.writeBacks == 0)
        #expect(try record.joined().conflictingSecrets.count == 8)
    }

    @Test
    func `a sibling that arrives meanwhile does not delay it`() throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        let due = try #require(try record.carry(device))
        record.clock.milliseconds = due - 1
        try record.add(record.strangerState(50, secret: "late"), by: 50)
        #expect(try record.notify(device) == due)
    }

    /// Many devices miss their times while the server is down; they must not all write when it is
    /// back.
    @Test(arguments: [1, 40_000] as [UInt64])
    func `a missed time is drawn again`(lateMinutes: UInt64) throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        let due = try #require(try record.carry(device))
        record.clock.milliseconds = due + Self.delays.upperBound + lateMinutes * 60_000
        let next = try #require(try record.carry(device))
        #expect(record.pushed.isEmpty)
        let now = record.clock.milliseconds
        #expect((now + Self.delays.lowerBound...now + Self.delays.upperBound).contains(next))
        record.clock.milliseconds = next
        try record.carry(device)
        #expect(record.pushed.count == 1)
    }

    @Test
    func `a clock that is set back does not delay it for long`() throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        device.clock.aheadMilliseconds = 86_400_000
        try record.carry(device)
        device.clock.aheadMilliseconds = 0
        let due = try #require(try record.carry(device))
        #expect(due <= start + Self.delays.upperBound)
    }

    @Test
    func `a refused write-back becomes due again, under a new actor`() throws {
        try record.addStrangers(9)
        let device = try record.device(0)
        record.refusals = [.actorForked]
        record.clock.milliseconds = try #require(try record.carry(device))
        let actor = try device.replica.state().actor
        let due = try #require(try record.carry(device))
        #expect(record.pushed.isEmpty)
        record.clock.milliseconds = due
        try record.carry(device)
        #expect(record.siblings.count == 1)
        #expect(record.siblings.first?.dot.actor != actor)
    }

    /// Siblings that share some of their past, with overwritten and deleted values among them.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `writing back changes nothing that users see`(seed: UInt64) throws {
        let record = try ScatteredRecord(seed: seed)
        var random = SimulationGenerator(seed: seed)
        var states: [RecordState] = []
        for stranger in 1...UInt64.random(in: 3...14, using: &random) {
            var state = record.strangerState(stranger, secret: "first \(stranger)")
            record.clock.milliseconds += UInt64.random(in: 0...2, using: &random)
            if let other = states.randomElement(using: &random), Bool.random(using: &random) {
                state = RecordState.join([state, other])
            }
            for turn in 0..<Int.random(in: 0...3, using: &random) {
                let isDelete = random.chance(0.15)
                let isNote = random.chance(0.3)
                state = record.edit(LocalRecord(mirror: state), by: stranger) { local in
                    let name = isNote ? ValueName.field("icmt") : .secret
                    let value = Array("value \(stranger).\(turn)".utf8)
                    if isDelete {
                        local.delete(atMilliseconds: record.clock.milliseconds)
                    } else {
                        local.set([name: value], atMilliseconds: record.clock.milliseconds)
                    }
                }
            }
            states.append(state)
            try record.add(state, by: stranger)
        }
        let joined = try record.joined()
        let isDue = joined.isAlive && states.count > 2 && !states.contains(joined)
        let devices = try (0..<3).map { try record.device($0, writeBackSiblingsMax: 2) }
        for device in devices.dropLast() { try record.carry(device) }
        let before = try devices[0].contents()
        for _ in 0..<20 {
            record.clock.milliseconds += 20_000
            for device in devices.dropLast() { try record.carry(device) }
        }
        try record.carry(devices[2])
        #expect(record.pushed.count == (isDue ? 1 : 0))
        #expect(try record.joined().encoded == joined.encoded)
        for device in devices {
            #expect(try device.contents() == before)
            let local = try device.record(item: 0)
            #expect((local.mirror ?? local.stub) == (joined.isAlive ? joined : joined.stub))
        }
    }
}
