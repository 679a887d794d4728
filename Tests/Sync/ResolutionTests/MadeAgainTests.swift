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
        _ known: RecordState,
        _ back: RecordState,
        isOpened: Bool = true
    ) -> RecordComparison {
        let unopened = Dot(actor: ActorID(rawValue: 3), counter: 1)
        var writes = [RecordComparison.Known.Write(dot: new, boxHash: hash, isOpened: true)]
        if !isOpened { writes.append(.init(dot: unopened, boxHash: hash, isOpened: false)) }
        return RecordComparison(
            known: .init(writes: writes, content: known, isStub: false),
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
}
