import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// A backup's states are joined with what a device has.
struct RestoringTests {
    /// Stamps that no device makes.
    private final class BackupStamps {
        private var author = Author(9_000)
        func next(_ seen: HybridTime, _ clock: UInt64) -> Stamp { author.stamp(seen, clock) }
    }

    private let stamps = BackupStamps()

    private func backup(_ record: inout LocalRecord) throws -> RecordState {
        let state = record.stampUnsent(makeStamp: stamps.next)
        return try #require(state)
    }

    @Test
    func `what is unsent has the same stamps in a backup and on its device`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        var record = LocalRecord(mirror: try shared(by: &laptop))
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let kept = try backup(&record)
        #expect(try backup(&record) == kept)
        #expect(record.view.shownSecret == bytes("s2"))

        // Both devices send it: the account has it once.
        var copy = LocalRecord()
        #expect(copy.restore(kept, atMilliseconds: 3000) == .added)
        let joined = try laptop.push(&record).joined(with: try phone.push(&copy))
        #expect(joined == kept)
        #expect(joined.conflictingSecrets.isEmpty)
        #expect(texts(joined.shownHistory) == ["s1"])
    }

    @Test
    func `what the record has seen goes up no second time`() throws {
        var laptop = Author(1)
        let state = try shared(by: &laptop)
        var record = LocalRecord()
        #expect(record.restore(state, atMilliseconds: 2000) == .added)
        // The first download brings the same, or more.
        record.mirror = state
        #expect(record.seal { laptop.stamp($0, $1) } == nil)
        #expect(record.restore(state, atMilliseconds: 2000) == .unchanged)
        #expect(record.edit == nil)
    }

    @Test
    func `an earlier secret goes to the history, and a concurrent one beside the shown one`()
        throws
    {
        var (laptop, phone) = (Author(1), Author(2, clock: 3000))
        let first = try shared(by: &laptop)
        var record = LocalRecord(mirror: first)
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        _ = try laptop.push(&record)
        #expect(record.restore(first, atMilliseconds: 4000) == .unchanged)

        var other = LocalRecord(mirror: first)
        other.set([.secret: bytes("s3")], atMilliseconds: 3000)
        let theirs = try phone.push(&other)
        #expect(record.restore(theirs, atMilliseconds: 4000) == .joined)
        #expect(record.view.shownSecret == bytes("s3"))
        #expect(texts(record.view.conflictingSecrets) == ["s2"])
        #expect(record.restore(theirs, atMilliseconds: 4000) == .unchanged)
        _ = try laptop.push(&record)
        #expect(texts(record.view.conflictingSecrets) == ["s2"])
    }

    @Test
    func `what the account deleted stays deleted, unless the user says so`() throws {
        var laptop = Author(1)
        var record = LocalRecord(mirror: try shared(by: &laptop))
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        _ = try laptop.push(&record)
        let kept = try backup(&record)
        record.delete(atMilliseconds: 3000)
        for isSent in [false, true] {
            if isSent { _ = try laptop.push(&record) }
            let before = record
            #expect(record.restore(kept, atMilliseconds: 4000) == .deleted)
            #expect(record == before)
            var again = record
            #expect(again.restore(kept, undeletes: true, atMilliseconds: 4000) == .added)
            #expect(again.view.shownSecret == bytes("s2"))
            #expect(texts(again.view.shownHistory) == ["s1"])
            #expect(again.restore(kept, undeletes: true, atMilliseconds: 4000) == .unchanged)
        }
        // So it does if only a stub is left of it.
        record = LocalRecord(stub: try #require(record.mirror).stub)
        #expect(record.restore(kept, atMilliseconds: 4000) == .deleted)
    }

    @Test
    func `a restored item that is deleted before the first download stays deleted`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var record = LocalRecord()
        _ = record.restore(state, atMilliseconds: 2000)
        record.delete(atMilliseconds: 3000)
        #expect(!record.view.isAlive)
        // Without the account's record there is nothing to delete.
        var alone = record
        #expect(alone.seal { phone.stamp($0, $1) } == nil)
        record.mirror = state
        #expect(try !phone.push(&record).isAlive)
    }

    @Test
    func `a later edit replaces what was restored, also in a batch under way`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var record = LocalRecord()
        _ = record.restore(state, atMilliseconds: 2000)
        _ = try phone.seal(&record)
        record.set([.secret: bytes("s2")], atMilliseconds: 3000)
        #expect(record.view.conflictingSecrets.isEmpty)
        // The batch is refused: both go up again, under another actor.
        _ = record.takeApart()
        var third = Author(3)
        let sent = try third.push(&record)
        #expect(sent.shownSecret == bytes("s2") && sent.conflictingSecrets.isEmpty)
        #expect(texts(sent.shownHistory) == ["s1"])
        #expect(state.joined(with: sent) == sent)
    }

    @Test
    func `a renamed item takes along what was restored`() throws {
        var laptop = Author(1)
        let state = try shared(by: &laptop)
        var (source, target) = (LocalRecord(), LocalRecord())
        _ = source.restore(state, atMilliseconds: 2000)
        LocalRecord.rename(
            &source,
            id: RecordID(validated: [UInt8](repeating: 1, count: 32)),
            to: &target,
            changes: [account: bytes("b")],
            atMilliseconds: 3000
        )
        #expect(target.view.shownSecret == bytes("s1"))
        source.mirror = state
        #expect(try !laptop.push(&source).isAlive)
    }

    @Test
    func `an edit with a restored state is read back as it was written`() throws {
        var laptop = Author(1)
        var record = LocalRecord()
        _ = record.restore(try shared(by: &laptop), atMilliseconds: 2000)
        record.set([note: bytes("n2")], atMilliseconds: 2001)
        for edit in [record.edit, LocalRecord.withoutAccount().edit] {
            let edit = try #require(edit)
            #expect(try PendingEdit(decoding: edit.encoded) == edit)
            for count in 0..<edit.encoded.count {
                // What an edit of a device with an account lacks is at the end.
                let cut = try? PendingEdit(decoding: Array(edit.encoded.prefix(count)))
                #expect(cut == nil || cut?.encoded.count == count)
            }
        }
    }

    // MARK: Writes without an account

    @Test
    func `what was set without an account yields to what the account has`() throws {
        var (laptop, phone) = (Author(1, clock: 1_000_000_000_000), Author(2))
        var theirs = LocalRecord()
        theirs.create([note: bytes("account's")], atMilliseconds: 1_000_000_000_000)
        let state = try laptop.push(&theirs)

        var record = LocalRecord.withoutAccount()
        record.mirror = state
        #expect(record.view.shown(note) == bytes("account's"))
        let sent = try phone.push(&record)
        #expect(sent.shown(note) == bytes("account's"))
        #expect(texts(sent.conflictingValues(of: note)) == ["default"])
        let loser = try #require(sent.conflictingValues(of: note).first)
        #expect(loser.stamp.time.isWithoutAccount)
        #expect(abs(Int64(loser.stamp.time.writtenMilliseconds) - 1_790_000_000_000) < 1000)
        // What the user sets afterwards replaces both.
        record.set([note: bytes("later")], atMilliseconds: 1_790_000_001_000)
        #expect(record.view.shown(note) == bytes("later"))
        #expect(try phone.push(&record).conflictingValues(of: note).isEmpty)
    }

    @Test
    func `a value that is set after the login does not yield`() throws {
        var (laptop, phone) = (Author(1, clock: 1_000_000_000_000), Author(2))
        var theirs = LocalRecord()
        theirs.create(
            [note: bytes("account's"), account: bytes("theirs")],
            atMilliseconds: 1_000_000_000_000
        )
        var record = LocalRecord.withoutAccount()
        record.set([account: bytes("mine")], atMilliseconds: 1_790_000_001_000)
        record.mirror = try laptop.push(&theirs)
        let sent = try phone.push(&record)
        #expect(sent.shown(note) == bytes("account's"))
        #expect(sent.shown(account) == bytes("mine"))
    }

    @Test
    func `of two values that were set without an account the later one is shown`() throws {
        var states: [RecordState] = []
        for (number, value) in ["older", "newer"].enumerated() {
            var record = LocalRecord()
            let clock = 1_790_000_000_000 + UInt64(number) * 1000
            record.create([note: bytes(value)], atMilliseconds: clock)
            record.edit?.noteWithoutAccount()
            var author = Author(UInt64(9 - number))
            states.append(try author.push(&record))
        }
        #expect(RecordState.join(states).shown(note) == bytes("newer"))
    }
}

extension LocalRecord {
    /// A note that was set without an account, in 2026.
    fileprivate static func withoutAccount() -> LocalRecord {
        var record = LocalRecord()
        record.create([note: bytes("default")], atMilliseconds: 1_790_000_000_000)
        record.edit?.noteWithoutAccount()
        return record
    }
}
