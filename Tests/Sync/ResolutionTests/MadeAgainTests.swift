import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// An item that was deleted, removed from the server and from all devices, and made again, when the
/// server then goes back to a backup from before the deletion.
struct MadeAgainTests {
    private static let old = Dot(actor: ActorID(rawValue: 1), counter: 1)
    private static let new = Dot(actor: ActorID(rawValue: 2), counter: 1)
    private static let hash = Hash(validated: [UInt8](repeating: 0, count: 32))

    private static func comparison(
        _ known: RecordState?,
        _ back: RecordState,
        isOpened: Bool = true
    ) -> RecordComparison {
        let unopened = Dot(actor: ActorID(rawValue: 3), counter: 1)
        var writes = [RecordComparison.Known.Write(dot: new, boxHash: hash, isOpened: true)]
        if !isOpened { writes.append(.init(dot: unopened, boxHash: hash, isOpened: false)) }
        return RecordComparison(
            known: known.map { .init(writes: writes, content: $0, isStub: false) },
            shown: [.init(dot: old, boxHash: hash, state: back)],
            seen: VersionVector(
                [old, new, unopened].map { (actor: $0.actor, counter: $0.counter) }
            ),
            accepted: VersionVector([(actor: old.actor, counter: old.counter)])
        )
    }

    /// The first item, and the one that a device without any trace of it made.
    private static func items() throws -> (first: RecordState, again: RecordState) {
        var (laptop, phone) = (Author(1), Author(2, clock: 5000))
        let first = try shared(by: &laptop)
        var record = LocalRecord()
        record.create([account: bytes("a"), .secret: bytes("s2")], atMilliseconds: 5000)
        return (first, try phone.push(&record))
    }

    @Test
    func `the deleted values stay deleted`() throws {
        let (first, again) = try Self.items()
        let comparison = Self.comparison(again, first)
        var (record, phone) = (LocalRecord(mirror: again), Author(4))
        record.reconcile(with: first, by: comparison.decision(for: nil))
        let sent = try phone.push(&record).joined(with: first)
        #expect(texts(sent.candidates(for: .secret)) == ["s2"])
        #expect(sent.shownHistory.isEmpty)
        #expect(sent.isAlive)
    }

    /// The context of the second item covers all earlier stamps of its author.
    @Test
    func `the deleted values stay deleted if their author made the item again`() throws {
        var laptop = Author(1)
        let first = try shared(by: &laptop)
        laptop.clock = 5000
        var made = LocalRecord()
        made.create([account: bytes("a"), .secret: bytes("s2")], atMilliseconds: 5000)
        let again = try laptop.push(&made)
        var (record, phone) = (LocalRecord(mirror: again), Author(4))
        record.reconcile(with: first, by: Self.comparison(again, first).decision(for: nil))
        let sent = try phone.push(&record).joined(with: first)
        #expect(texts(sent.candidates(for: .secret)) == ["s2"])
        #expect(sent.shownHistory.isEmpty)
        #expect(sent.isAlive)
    }

    /// A sibling that does not open may have replaced them, and hold them still.
    @Test
    func `nothing is deleted that an unopened sibling may have replaced`() throws {
        let (first, again) = try Self.items()
        let comparison = Self.comparison(again, first, isOpened: false)
        let restored = try #require(comparison.decision(for: nil).restored)
        #expect(restored == again)
    }

    /// What an edit replaced is in its context, and goes to the history as ever.
    @Test
    func `an earlier secret that was only replaced stays in the history`() throws {
        var laptop = Author(1)
        let first = try shared(by: &laptop)
        var record = LocalRecord(mirror: first)
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let second = try laptop.push(&record)
        let comparison = Self.comparison(second, first)
        #expect(comparison.decision(for: nil).restored == second)
    }

    // MARK: Counters

    /// What a device knows of a counter that was removed.
    enum Trace: CaseIterable {
        /// It has made the counter again.
        case madeAgain
        /// It has, and an earlier comparison has put that into the edit.
        case putUp
        /// It has made it again and not sent it.
        case unsent
        /// Nothing.
        case none
    }

    private static func change(by count: UInt64) -> [[UInt8]: CounterChange] {
        [ReconcileWorld.counter: CounterChange(increment: CounterTotals(plus: count, minus: 0))]
    }

    /// The counter that was deleted: its author goes on from 100, twice, before it hears of that.
    private static func counters() throws -> (first: RecordState, later: RecordState) {
        var (laptop, record) = (Author(1), LocalRecord())
        record.create([account: bytes("a")], counters: change(by: 100), atMilliseconds: 1000)
        let first = try laptop.push(&record)
        for step in [1, 2] as [UInt64] {
            let value = bytes("n\(step)")
            record.set([note: value], counters: change(by: step), atMilliseconds: 2000 * step)
            _ = try laptop.push(&record)
        }
        return (first, try #require(record.mirror))
    }

    @Test(arguments: Trace.allCases)
    func `increments that were deleted do not count again`(trace: Trace) throws {
        let (first, later) = try Self.counters()
        var (record, phone) = (LocalRecord(), Author(2, clock: 5000))
        if trace != .none {
            record.create(
                [account: bytes("a")],
                counters: Self.change(by: 5),
                atMilliseconds: 5000
            )
        }
        var comparison = Self.comparison(nil, first)
        if trace == .madeAgain || trace == .putUp {
            let again = try phone.push(&record)
            if trace == .madeAgain {
                comparison = Self.comparison(again, first)
            } else {
                // The server was empty in between.
                record.reconcile(with: nil, by: RecordDecision(.putUp, restored: again))
            }
        }
        record.reconcile(with: first, by: comparison.decision(for: record.edit))
        let sent = try phone.push(&record)
        #expect(ReconcileWorld.count(in: sent) == (trace == .none ? 0 : 5))
        #expect(sent.isAlive == (trace != .none))
        // Others decide the same, and nothing changes.
        var (other, tablet) = (LocalRecord(mirror: first), Author(3))
        other.reconcile(with: first, by: Self.comparison(nil, first).decision(for: nil))
        let joined = try tablet.push(&other).joined(with: sent)
        #expect(joined.counters.mapValues(\.cut) == sent.counters.mapValues(\.cut))
        // What nobody who deleted the counter had seen still counts.
        let both = sent.joined(with: later)
        #expect(ReconcileWorld.count(in: both) == (trace == .none ? 3 : 8))
    }
}
