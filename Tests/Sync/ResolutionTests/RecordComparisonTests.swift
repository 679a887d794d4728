import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// What a device decides about one record after its server went back.
struct RecordComparisonTests {
    typealias Known = RecordComparison.Known

    static let old = Dot(actor: ActorID(rawValue: 1), counter: 1)
    static let newer = Dot(actor: ActorID(rawValue: 1), counter: 2)
    static let other = Dot(actor: ActorID(rawValue: 2), counter: 1)

    static func vector(_ dots: Dot...) -> VersionVector {
        VersionVector(dots.map { (actor: $0.actor, counter: $0.counter) })
    }

    static func write(_ dot: Dot, box: UInt8 = 0, isOpened: Bool = true) -> Known.Write {
        .init(dot: dot, boxHash: hash(box), isOpened: isOpened)
    }

    static func hash(_ box: UInt8) -> Hash {
        Hash(validated: [UInt8](repeating: box, count: 32))
    }

    static func shown(
        _ dot: Dot,
        _ state: RecordState?,
        box: UInt8 = 0
    ) -> RecordComparison.Shown {
        .init(dot: dot, boxHash: hash(box), state: state)
    }

    static func mirror(_ state: RecordState, _ writes: Known.Write...) -> Known {
        Known(writes: writes, content: state, isStub: false)
    }

    static func stub(_ state: RecordState, _ writes: Known.Write...) -> Known {
        Known(writes: writes, content: state.stub, isStub: true)
    }

    /// An item that two devices have, the same with another secret, and the same deleted.
    static func states() throws -> (
        first: RecordState, second: RecordState, deleted: RecordState, laptop: Author
    ) {
        var laptop = Author(1)
        let first = try shared(by: &laptop)
        var record = LocalRecord(mirror: first)
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let second = try laptop.push(&record)
        record.delete(atMilliseconds: 3000)
        return (first, second, try laptop.push(&record), laptop)
    }

    // MARK: Nothing lost

    @Test
    func `what the server still has stays, and what replaced it is taken over`() throws {
        let (first, second, _, _) = try Self.states()
        let known = Self.mirror(first, Self.write(Self.old))
        let same = RecordComparison(
            known: known,
            shown: [Self.shown(Self.old, first)],
            seen: Self.vector(Self.old),
            accepted: Self.vector(Self.old)
        )
        #expect(same.decision(for: nil) == RecordDecision(.same))
        let replaced = RecordComparison(
            known: known,
            shown: [Self.shown(Self.newer, second)],
            seen: Self.vector(Self.old),
            accepted: Self.vector(Self.newer)
        )
        #expect(replaced.decision(for: nil) == RecordDecision(.taken))
        var record = LocalRecord(mirror: first)
        record.reconcile(with: replaced.shownState, by: replaced.decision(for: nil))
        #expect(record == LocalRecord(mirror: second))
    }

    @Test
    func `a record that was removed is missing until somebody else confirms it`() throws {
        let (first, _, _, _) = try Self.states()
        let comparison = RecordComparison(
            known: Self.mirror(first, Self.write(Self.old)),
            shown: [],
            seen: Self.vector(Self.old),
            accepted: Self.vector(Self.old)
        )
        var record = LocalRecord(mirror: first)
        record.reconcile(with: nil, by: comparison.decision(for: nil))
        #expect(comparison.decision(for: nil) == RecordDecision(.missing))
        #expect(record == LocalRecord(mirror: first))
        // An edit keeps the item, with all that its user did not change.
        record.set([note: bytes("n2")], atMilliseconds: 2000)
        let edited = comparison.decision(for: record.edit, isRemovalProven: true)
        #expect(edited == RecordDecision(.putUp, restored: first, isRemoved: true))
        record.reconcile(with: nil, by: edited)
        #expect(record.view.shownSecret == bytes("s1") && record.view.shown(note) == bytes("n2"))
        // Confirmed, it goes, also if the user has deleted it here.
        var confirmed = LocalRecord(mirror: first)
        confirmed.delete(atMilliseconds: 2000)
        let decision = comparison.decision(for: confirmed.edit, isRemovalProven: true)
        #expect(decision == RecordDecision(.removed))
        confirmed.reconcile(with: nil, by: decision)
        #expect(confirmed == LocalRecord(stub: first.stub))
    }

    // MARK: Writes that are lost

    @Test
    func `a lost record goes up with its stamps, also beside an older one`() throws {
        let (first, second, _, _) = try Self.states()
        for shown in [[], [Self.shown(Self.old, first)]] {
            let comparison = RecordComparison(
                known: Self.mirror(second, Self.write(Self.newer)),
                shown: shown,
                seen: Self.vector(Self.newer),
                accepted: shown.isEmpty ? VersionVector() : Self.vector(Self.old)
            )
            let decision = comparison.decision(for: nil)
            #expect(decision == RecordDecision(.putUp, restored: second))
            var (record, phone) = (LocalRecord(mirror: second), Author(2))
            record.reconcile(with: comparison.shownState, by: decision)
            #expect(record.view == second)
            #expect(try phone.push(&record) == second)
            #expect(record == LocalRecord(mirror: second))
        }
    }

    @Test
    func `a second device finds the put up record and sends nothing`() throws {
        let (first, second, _, _) = try Self.states()
        let comparison = RecordComparison(
            known: Self.mirror(second, Self.write(Self.newer)),
            shown: [Self.shown(Self.old, first)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.old)
        )
        var record = LocalRecord(mirror: second)
        record.reconcile(with: first, by: comparison.decision(for: nil))
        // It waited, and pulled again.
        #expect(record.edit?.isVoid(over: second) == true)
        let later = RecordComparison(
            known: Self.mirror(second, Self.write(Self.newer)),
            shown: [Self.shown(Self.other, second)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.old, Self.other)
        )
        #expect(later.decision(for: nil) == RecordDecision(.taken))
    }

    @Test
    func `another box under the same dot counts as lost`() throws {
        let (first, second, _, _) = try Self.states()
        let comparison = RecordComparison(
            known: Self.mirror(second, Self.write(Self.old, box: 1)),
            shown: [Self.shown(Self.old, first, box: 2)],
            seen: Self.vector(Self.old),
            accepted: Self.vector(Self.old)
        )
        #expect(comparison.decision(for: nil) == RecordDecision(.putUp, restored: second))
    }

    @Test
    func `a record that went back alone goes up too`() throws {
        let (first, second, _, _) = try Self.states()
        let comparison = RecordComparison(
            known: Self.mirror(second, Self.write(Self.newer)),
            shown: [Self.shown(Self.old, first)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.newer)
        )
        #expect(comparison.decision(for: nil) == RecordDecision(.putUp, restored: second))
    }

    @Test
    func `the vector is not raised to what the device could not open`() throws {
        let (first, _, _, _) = try Self.states()
        let (unopened, third) = (Self.newer, Dot(actor: Self.newer.actor, counter: 3))
        let comparison = RecordComparison(
            known: Self.mirror(first, Self.write(Self.old), Self.write(unopened, isOpened: false)),
            shown: [Self.shown(Self.old, first)],
            seen: Self.vector(third),
            accepted: Self.vector(Self.old)
        )
        let decision = comparison.decision(for: nil)
        #expect(decision == RecordDecision(.taken, heldBack: [unopened]))
        let raised = Self.vector(third, Self.other).without(decision.heldBack)
        #expect(raised == Self.vector(Self.old, Self.other))
        #expect(Self.vector(Self.old).without([unopened]) == Self.vector(Self.old))
        #expect(Self.vector(third).without([Self.old]) == VersionVector())
    }

    // MARK: Deletions that are lost

    @Test(arguments: [true, false])
    func `what is back although deleted is deleted again`(hasStub: Bool) throws {
        let (first, second, deleted, _) = try Self.states()
        let tombstone = Dot(actor: Self.newer.actor, counter: 3)
        let comparison = RecordComparison(
            known: hasStub ? Self.stub(deleted, Self.write(tombstone)) : nil,
            shown: [Self.shown(Self.newer, second)],
            seen: Self.vector(tombstone),
            accepted: Self.vector(Self.newer)
        )
        let decision = comparison.decision(for: nil)
        #expect(decision.outcome == .deletedAgain)
        var (record, phone) = (LocalRecord(stub: hasStub ? deleted.stub : nil), Author(2))
        record.reconcile(with: second, by: decision)
        #expect(!record.view.isAlive)
        let sent = try phone.push(&record)
        #expect(!sent.isAlive && sent.context == second.context)
        // It changes no field: who edits the item meanwhile keeps all of it.
        var editor = LocalRecord(mirror: first)
        editor.set([note: bytes("n2")], atMilliseconds: 4000)
        var tablet = Author(3)
        let edited = try tablet.push(&editor).joined(with: sent)
        #expect(edited.isAlive && edited.shownSecret == bytes("s2"))
        #expect(edited.isDeletedElsewhere)
    }

    @Test
    func `a lost deletion goes up bare, and deletes on devices that still have the item`() throws {
        let (first, second, deleted, _) = try Self.states()
        let tombstone = Dot(actor: Self.newer.actor, counter: 3)
        let comparison = RecordComparison(
            known: Self.stub(deleted, Self.write(tombstone)),
            shown: [],
            seen: Self.vector(tombstone),
            accepted: VersionVector()
        )
        var (record, phone) = (LocalRecord(stub: deleted.stub), Author(2))
        record.reconcile(with: nil, by: comparison.decision(for: nil))
        let sent = try phone.push(&record)
        #expect(sent.isBare && sent.names.isEmpty && !second.isBare && !deleted.isBare)
        #expect(sent.stub == RecordState.join([sent, deleted]).stub.deletion.stub)
        for accepted in [VersionVector(), Self.vector(tombstone, Self.other)] {
            let theirs = RecordComparison(
                known: Self.mirror(second, Self.write(Self.newer)),
                shown: [Self.shown(Self.other, sent)],
                seen: Self.vector(Self.newer),
                accepted: accepted
            )
            #expect(theirs.decision(for: nil) == RecordDecision(.taken))
        }
        // An edit of the item there keeps its other fields.
        var holder = LocalRecord(mirror: second)
        holder.set([note: bytes("n3")], atMilliseconds: 4000)
        holder.reconcile(with: sent, by: RecordDecision(.taken))
        #expect(try phone.push(&holder).shownSecret == bytes("s2"))
        // A device with an edit that the deletion had not seen keeps the item.
        var editor = LocalRecord(mirror: first)
        editor.set([.secret: bytes("s3")], atMilliseconds: 4000)
        var tablet = Author(3)
        let edited = try tablet.push(&editor)
        let kept = RecordComparison(
            known: Self.mirror(edited, Self.write(Self.newer)),
            shown: [Self.shown(Self.other, sent)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.newer, Self.other)
        )
        #expect(kept.decision(for: nil) == RecordDecision(.putUp, restored: edited))
    }

    @Test
    func `a counter that is deleted again takes no field along`() throws {
        var (laptop, phone, tablet) = (Author(1), Author(2), Author(3))
        let count = ReconcileWorld.counter
        let one = CounterChange(increment: CounterTotals(plus: 1, minus: 0))
        var record = LocalRecord()
        record.create(
            [account: bytes("a"), .secret: bytes("s1")],
            counters: [count: one],
            atMilliseconds: 1000
        )
        let first = try laptop.push(&record)
        record.delete(atMilliseconds: 2000)
        let deleted = try laptop.push(&record)
        var again = LocalRecord(stub: deleted.stub)
        again.reconcile(
            with: first,
            by: RecordDecision(.deletedAgain, restored: deleted.stub.deletion)
        )
        let sent = try phone.push(&again)
        #expect(!sent.isAlive && ReconcileWorld.count(in: sent) == 0)
        var editor = LocalRecord(mirror: first)
        editor.set([note: bytes("n2")], counters: [count: one], atMilliseconds: 3000)
        let edited = try tablet.push(&editor).joined(with: sent)
        #expect(edited.shownSecret == bytes("s1") && ReconcileWorld.count(in: edited) == 1)
    }

    @Test
    func `a new value beside one that is back does not save it`() throws {
        let (first, _, _, _) = try Self.states()
        var (record, phone) = (LocalRecord(mirror: first), Author(2))
        record.set([.secret: bytes("s3")], atMilliseconds: 4000)
        let fresh = try phone.push(&record)
        let comparison = RecordComparison(
            known: nil,
            shown: [Self.shown(Self.old, first), Self.shown(Self.other, fresh)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.old, Self.other)
        )
        var local = LocalRecord()
        local.reconcile(with: comparison.shownState, by: comparison.decision(for: nil))
        #expect(local.view.shownSecret == bytes("s3") && local.view.isDeletedElsewhere)
        #expect(local.view.conflictingSecrets.isEmpty && texts(local.view.shownHistory) == [])
    }

    @Test
    func `a stub that was made before the returned write deletes it too`() throws {
        let (first, second, _, _) = try Self.states()
        let comparison = RecordComparison(
            known: Self.stub(first, Self.write(Self.old)),
            shown: [Self.shown(Self.newer, second)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.newer)
        )
        var record = LocalRecord(stub: first.stub)
        record.reconcile(with: second, by: comparison.decision(for: nil))
        #expect(!record.view.isAlive)
    }

    @Test(arguments: [false, true])
    func `a write that one replaced which does not open was not deleted`(isEdited: Bool) throws {
        let (first, _, _, _) = try Self.states()
        let comparison = RecordComparison(
            known: Self.stub(RecordState(), Self.write(Self.newer, isOpened: false)),
            shown: [Self.shown(Self.old, first)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.old)
        )
        var record = LocalRecord(stub: RecordState())
        if isEdited {
            record.create([account: bytes("a"), .secret: bytes("s9")], atMilliseconds: 4000)
        }
        let decision = comparison.decision(for: record.edit)
        #expect(decision == RecordDecision(.taken, heldBack: [Self.newer]))
        record.reconcile(with: first, by: decision)
        #expect(record.view.isAlive && !record.view.isDeletedElsewhere)
    }

    @Test
    func `a deletion that nobody else may open goes up again`() throws {
        let (first, _, deleted, _) = try Self.states()
        let comparison = RecordComparison(
            known: Self.stub(deleted, Self.write(Self.newer, isOpened: false)),
            shown: [Self.shown(Self.newer, nil), Self.shown(Self.other, first)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.newer, Self.other)
        )
        let decision = comparison.decision(for: nil)
        #expect(decision.outcome == .deletedAgain)
        var record = LocalRecord(stub: deleted.stub)
        record.reconcile(with: first, by: decision)
        #expect(!record.view.isAlive)
    }

    @Test(arguments: [true, false])
    func `an item that was made again does not show what was deleted before`(
        hasStub: Bool
    ) throws {
        let (first, _, deleted, _) = try Self.states()
        var record = LocalRecord(stub: hasStub ? deleted.stub : nil)
        record.create([account: bytes("a"), .secret: bytes("s9")], atMilliseconds: 4000)
        let tombstone = Dot(actor: Self.newer.actor, counter: 3)
        let comparison = RecordComparison(
            known: hasStub ? Self.stub(deleted, Self.write(tombstone)) : nil,
            shown: [Self.shown(Self.old, first)],
            seen: Self.vector(tombstone),
            accepted: Self.vector(Self.old)
        )
        record.reconcile(with: first, by: comparison.decision(for: record.edit))
        var phone = Author(2)
        let sent = try phone.push(&record)
        #expect(sent.shownSecret == bytes("s9") && sent.shown(note) == nil)
        #expect(sent.conflictingSecrets.isEmpty && !sent.isDeletedElsewhere)
    }

    @Test
    func `nothing follows from a damaged mirror`() throws {
        let (first, _, _, _) = try Self.states()
        let comparison = RecordComparison(
            known: nil,
            shown: [Self.shown(Self.old, first)],
            seen: VersionVector(),
            accepted: Self.vector(Self.old)
        )
        #expect(comparison.decision(for: nil) == RecordDecision(.taken))
    }
}
