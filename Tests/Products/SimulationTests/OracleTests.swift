import KSCausality
import KSKeychain
import KSRecords
import KSResolution
import KSSyncEngine
import Testing

import Simulation

/// The oracle finds the broken promises of wrong outcomes.
struct OracleTests {
    /// One device's writes to item 0; each has seen all earlier ones.
    private static func oracle(_ kinds: Oracle.Kind...) -> Oracle {
        var oracle = Oracle()
        for number in kinds.indices {
            oracle.note(kinds[number], item: 0, device: 0, seen: Set(0..<number))
        }
        return oracle
    }

    private static func edit(
        _ state: RecordState?,
        by actor: UInt64 = 7,
        _ change: (inout LocalRecord) -> Void
    ) throws -> RecordState {
        var record = LocalRecord(mirror: state)
        change(&record)
        let time = (state?.latestTime.milliseconds ?? 0) + 1
        var counter: UInt64 = 0
        let sealed = record.seal { _, _ in
            counter += 1
            return Stamp(
                time: HybridTime(rawValue: time << 16 + counter),
                actor: ActorID(rawValue: actor)
            )
        }
        return try #require(sealed).state
    }

    /// A state in which these secrets were set one after the other.
    private static func state(secrets numbers: Int..., by actor: UInt64 = 7) throws -> RecordState {
        var state: RecordState?
        for number in numbers {
            state = try edit(state, by: actor) { record in
                record.set([.secret: Array(Oracle.secret(number).utf8)], atMilliseconds: 0)
            }
        }
        return state ?? RecordState()
    }

    private static func failure(_ oracle: Oracle, _ states: [RecordState]) -> WorldFailure? {
        do throws(WorldFailure) {
            try oracle.check(states)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `kept promises are not failures`() throws {
        let both = try Self.state(secrets: 0, 1)
        #expect(Self.failure(Self.oracle(.secret, .secret), [both]) == nil)
        #expect(Self.failure(Self.oracle(.secret, .delete), [RecordState()]) == nil)
        #expect(Self.failure(Self.oracle(), [RecordState()]) == nil)
    }

    @Test
    func `a missing secret that nobody overwrote was lost`() throws {
        let second = try Self.state(secrets: 1)
        var apart = Self.oracle(.secret)
        apart.note(.secret, item: 0, device: 1, seen: [])
        #expect(Self.failure(apart, [second]) == .secretLost(write: 0))
        // A write that had seen it has replaced it, so it may be gone from what is shown.
        var replaced = Self.oracle(.secret, .secret)
        #expect(Self.failure(replaced, [second]) == .historyLost(write: 0))
        replaced.holdsHistory = false
        #expect(Self.failure(replaced, [second]) == nil)
    }

    @Test
    func `an item whose values were all deleted with knowledge came back`() throws {
        let state = try Self.state(secrets: 0)
        #expect(Self.failure(Self.oracle(.secret, .delete), [state]) == .cameBack(item: 0))
        // A renamed item is another item.
        let renamed = Self.oracle(.secret, .renameAway)
        #expect(Self.failure(renamed, [state]) == .cameBack(item: 0))
        var moved = renamed
        moved.noteMove(of: [0], to: 1)
        #expect(Self.failure(moved, [RecordState(), state]) == nil)
    }

    @Test
    func `a secret that was deleted with knowledge came back beside one that lives`() throws {
        let both = try Self.state(secrets: 0).joined(with: Self.state(secrets: 2, by: 8))
        var oracle = Self.oracle(.secret, .delete)
        oracle.note(.secret, item: 0, device: 1, seen: [])
        #expect(Self.failure(oracle, [both]) == .cameBack(item: 0))
        // It is in the history of the item that was renamed to it.
        let history = try Self.state(secrets: 0, 2)
        #expect(Self.failure(oracle, [history]) == .cameBack(item: 0))
        let live = try Self.state(secrets: 2)
        #expect(Self.failure(oracle, [live]) == nil)
        // An item that a note keeps alive has the newest secret, even if that was deleted.
        var noted = Self.oracle(.secret, .delete)
        noted.note(.note, item: 0, device: 1, seen: [0])
        let deleted = try Self.state(secrets: 0)
        #expect(Self.failure(noted, [deleted]) == .concurrentValueLost(write: 2))
        let comment = ValueName.field(AttributeName.comment.text)
        let kept = try Self.edit(deleted) { record in
            record.set([comment: Array(Oracle.note(2).utf8)], atMilliseconds: 0)
        }
        #expect(Self.failure(noted, [kept]) == nil)
    }

    @Test
    func `an item that was renamed and then deleted with knowledge came back`() throws {
        let state = try Self.state(secrets: 0)
        var oracle = Self.oracle(.secret, .renameAway)
        oracle.noteMove(of: [0], to: 1)
        oracle.note(.delete, item: 1, device: 0, seen: [0])
        #expect(Self.failure(oracle, [RecordState(), state]) == .cameBack(item: 1))
        #expect(Self.failure(oracle, [RecordState(), RecordState()]) == nil)
        // Another device may have renamed it like this without having seen the deletion.
        oracle.noteMove(of: [0], to: 1)
        #expect(Self.failure(oracle, [RecordState(), state]) == nil)
    }

    @Test
    func `an item with a value that was never deleted with knowledge is gone`() throws {
        // The note and the deletion are concurrent.
        var oracle = Self.oracle(.secret, .delete)
        oracle.note(.note, item: 0, device: 1, seen: [0])
        #expect(Self.failure(oracle, [RecordState()]) == .itemGone(item: 0))
    }

    @Test
    func `an item without a secret is a failure`() throws {
        let comment = ValueName.field(AttributeName.comment.text)
        let state = try Self.edit(nil) { record in
            record.set([comment: Array(Oracle.note(0).utf8)], atMilliseconds: 0)
        }
        #expect(state.isAlive)
        #expect(Self.failure(Self.oracle(.note), [state]) == .withoutSecret(item: 0))
    }

    @Test
    func `a current secret that was overwritten with knowledge is stale`() throws {
        let second = try Self.state(secrets: 1, by: 8)
        let both = try Self.state(secrets: 0).joined(with: second)
        #expect(Self.failure(Self.oracle(.secret, .secret), [both]) == .stale(write: 0))
        // Two concurrent secrets are both current.
        var apart = Self.oracle(.secret)
        apart.note(.secret, item: 0, device: 1, seen: [])
        #expect(Self.failure(apart, [both]) == nil)
    }

    @Test
    func `a write that two copies of a device had to send may occur twice`() throws {
        let both = try Self.state(secrets: 0).joined(with: Self.state(secrets: 1, by: 8))
        var overwritten = Self.oracle(.secret, .secret)
        overwritten.noteRepeated([0])
        #expect(Self.failure(overwritten, [both]) == nil)
        var deleted = Self.oracle(.secret, .delete)
        deleted.noteRepeated([0])
        #expect(try Self.failure(deleted, [Self.state(secrets: 0)]) == nil)
    }

    @Test
    func `writes that only a lost disk held are not promised`() throws {
        var written = Self.oracle(.secret)
        #expect(Self.failure(written, [RecordState()]) == .secretLost(write: 0))
        written.noteLost(by: 1, items: [0], from: 0)
        #expect(Self.failure(written, [RecordState()]) == .secretLost(write: 0))
        written.noteLost(by: 0, items: [0], from: 0)
        #expect(Self.failure(written, [RecordState()]) == nil)
        // A deletion that was lost may have reached the other devices before.
        var deleted = Self.oracle(.secret, .delete)
        deleted.noteLost(by: 0, items: [0], from: 1)
        #expect(try Self.failure(deleted, [Self.state(secrets: 0)]) == nil)
        #expect(Self.failure(deleted, [RecordState()]) == nil)
    }

    // MARK: What is seen without the oracle

    private static func world() throws -> World {
        try World(seed: 1, settings: WorldSettings(), keepsTrace: false)
    }

    @Test
    func `a device with unsent edits is not at rest`() throws {
        let world = try Self.world()
        let device = try #require(world.devices.first)
        try device.add(item: 0, secret: Oracle.secret(0), note: Oracle.note(1))
        #expect(throws: WorldFailure.notQuiet) { try world.expectRest() }
    }

    @Test
    func `a sibling that could not be opened is reported`() throws {
        let world = try Self.world()
        try world.check()
        let device = try #require(world.devices.first)
        guard case .send(let request) = try device.replica.nextRequest() else {
            Issue.record("nothing is asked for")
            return
        }
        let record = try ScatteredRecord()
        try record.addStrangers(1)
        let good = try #require(record.siblings.first)
        let spoiled = Envelope(
            recordID: good.recordID,
            dot: good.dot,
            replaced: [],
            generation: good.generation,
            isTombstone: true,
            kind: good.kind,
            box: good.box
        )
        let cursor = KSRecords.Cursor(
            epoch: world.server.epoch,
            seq: 1,
            tag: CommitTag(validated: [UInt8](repeating: 1, count: CommitTag.byteCount))
        )
        try device.replica.receive(
            .page(
                PageAnswer(
                    records: [.init(id: good.recordID, seq: 1, siblings: [spoiled])],
                    cursor: cursor,
                    hasMore: false,
                    vector: VersionVector([(actor: good.dot.actor, counter: good.dot.counter)]),
                    circleVersion: 0
                )
            ),
            to: request
        )
        #expect(throws: WorldFailure.quarantined(device: 0)) { try world.check() }
    }
}
