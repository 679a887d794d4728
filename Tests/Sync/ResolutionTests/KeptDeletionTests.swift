import KSCausality
import KSResolution
import Testing

/// An item that one device deleted, whose user keeps it on a second one, while a third one is away.
struct KeptDeletionTests {
    private let before: RecordState
    /// What the server has after the deletion.
    private let deleted: RecordState
    /// What the third device sends when it is back: a password set at 3000.
    private let away: RecordState

    init() throws {
        var (laptop, phone, tablet) = (Author(1), Author(2, clock: 5000), Author(3, clock: 3000))
        before = try shared(by: &laptop)
        var record = LocalRecord(mirror: before)
        record.delete(atMilliseconds: 5000)
        deleted = try phone.push(&record)
        record = LocalRecord(mirror: before)
        record.set([.secret: bytes("newer")], atMilliseconds: 3000)
        away = try tablet.push(&record)
    }

    private func kept() -> LocalRecord {
        var record = LocalRecord(mirror: deleted)
        record.keep(before, atMilliseconds: 9000)
        return record
    }

    @Test
    func `a newer change of a device that was away is shown before what is kept`() throws {
        var (record, keeper) = (kept(), Author(4, clock: 9000))
        // The keeper has written other records since.
        _ = keeper.stamp(.zero, 9000)
        #expect(text(record.view.shownSecret) == "s1")
        let state = try keeper.push(&record).joined(with: away)
        #expect(state.isAlive)
        #expect(text(state.shownSecret) == "newer")
        #expect(texts(state.candidates(for: .secret)).contains("s1"))
        #expect(text(state.shown(note)) == "n1")
    }

    @Test
    func `what the user changes after that is shown before all of it`() throws {
        var (record, keeper) = (kept(), Author(4, clock: 9000))
        record.set([.secret: bytes("newest")], atMilliseconds: 9500)
        let state = try keeper.push(&record).joined(with: away)
        #expect(text(state.shownSecret) == "newest")
    }

    @Test
    func `a kept item that was not sent survives encoding`() throws {
        let edit = try #require(kept().edit)
        let decoded = try PendingEdit(decoding: edit.encoded)
        #expect(decoded == edit)
        var (record, keeper) = (LocalRecord(mirror: deleted), Author(4, clock: 9000))
        record.edit = decoded
        let state = try keeper.push(&record).joined(with: away)
        #expect(text(state.shownSecret) == "newer")
    }

    @Test
    func `two devices that keep the same differ in nothing that is shown`() throws {
        var states: [RecordState] = []
        for number in [4, 5] as [UInt64] {
            var (record, keeper) = (kept(), Author(number, clock: 9000 + number))
            states.append(try keeper.push(&record))
        }
        let joined = RecordState.join(states)
        #expect(text(joined.shownSecret) == "s1")
        #expect(joined.conflictingValues(of: .secret).isEmpty)
    }
}
