import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// An unsent edit that holds what the account had and its server lost.
struct PutUpEditTests {
    /// A device's record that the server lost, before it goes up.
    private func lost(_ state: RecordState) -> LocalRecord {
        var record = LocalRecord(mirror: state)
        record.reconcile(with: nil, by: RecordDecision(.putUp, restored: state))
        return record
    }

    @Test
    func `it survives its encoding`() throws {
        var laptop = Author(1)
        let edit = try #require(lost(try shared(by: &laptop)).edit)
        #expect(edit.isPutUp)
        #expect(try PendingEdit(decoding: edit.encoded) == edit)
        // The mark alone says nothing.
        var bytes = PendingEdit().encoded + [0, 0, 1]
        #expect(throws: RecordsError.self) { try PendingEdit(decoding: bytes) }
        bytes = edit.encoded.dropLast() + [0]
        #expect(throws: RecordsError.self) { try PendingEdit(decoding: bytes) }
    }

    @Test
    func `deleting it goes up, since other devices have the item`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var record = lost(state)
        record.delete(atMilliseconds: 3000)
        #expect(!record.view.isAlive)
        let sent = try phone.push(&record)
        #expect(!sent.isAlive && !sent.joined(with: state).isAlive)

        // Also if its batch was refused after the user deleted it.
        record = lost(state)
        _ = try phone.seal(&record)
        record.delete(atMilliseconds: 3000)
        _ = record.takeApart()
        var third = Author(3)
        let again = try third.push(&record)
        #expect(!again.isAlive && !again.joined(with: state).isAlive)
    }

    @Test
    func `a later edit in it stays in it when the batch before it is taken apart`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var record = LocalRecord(mirror: state)
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        _ = try laptop.seal(&record)
        record.set([note: bytes("n2")], atMilliseconds: 3000)
        // Another device says again that the item was deleted.
        record.keepFields(beside: state.stub.deletion)
        record.mirror = state.stub.deletion
        _ = record.takeApart()
        #expect(record.edit?.isPutUp == true)
        let sent = try phone.push(&record)
        #expect(sent.shown(account) == bytes("a") && sent.shownSecret == bytes("s2"))
    }

    @Test
    func `a deletion that goes up again takes no field from an edit on another device`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var gone = LocalRecord(mirror: state)
        gone.delete(atMilliseconds: 2000)
        let stub = try phone.push(&gone).stub
        var record = LocalRecord(stub: stub)
        record.reconcile(
            with: nil,
            by: RecordDecision(.deletedAgain, restored: stub.deletion)
        )
        // Its user makes the item again, and deletes it before it was sent.
        record.create([account: bytes("a"), .secret: bytes("s9")], atMilliseconds: 3000)
        record.delete(atMilliseconds: 4000)
        record.edit = record.edit?.halves?.deletion ?? record.edit
        var third = Author(3)
        let sent = try third.push(&record)
        #expect(!sent.isAlive)
        // Another device had not heard of the deletion, and changes a note.
        var other = LocalRecord(mirror: state)
        other.set([note: bytes("n9")], atMilliseconds: 5000)
        other.keepFields(beside: sent)
        other.mirror = sent
        var fourth = Author(4)
        let edited = try fourth.push(&other)
        #expect(edited.shown(account) == bytes("a") && edited.shown(note) == bytes("n9"))
    }

    @Test
    func `a deletion over a server's older values takes none from an edit on another device`()
        throws
    {
        let (first, second, deleted, _) = try RecordComparisonTests.states()
        var (phone, tablet) = (Author(2, clock: 4000), Author(3, clock: 6000))
        var gone = LocalRecord(stub: deleted.stub)
        gone.reconcile(
            with: first,
            by: RecordDecision(.deletedAgain, restored: deleted.stub.deletion)
        )
        let sent = try phone.push(&gone)
        #expect(!sent.isAlive && !sent.isBare)
        var record = LocalRecord(mirror: second)
        record.set([note: bytes("n9")], atMilliseconds: 5000)
        record.keepFields(beside: sent)
        record.mirror = sent
        let edited = try tablet.push(&record)
        #expect(edited.shown(note) == bytes("n9") && edited.shownSecret == bytes("s2"))
        #expect(texts(edited.candidates(for: .secret)) == ["s2"])
    }

    @Test
    func `an edit of one value takes no other away that comes again`() throws {
        var (laptop, phone, tablet) = (Author(1), Author(2), Author(3))
        let state = try shared(by: &laptop)
        var noted = LocalRecord(mirror: state)
        noted.set([note: bytes("n2")], atMilliseconds: 1500)
        let later = try laptop.push(&noted)
        var record = LocalRecord(mirror: later)
        record.set([.secret: bytes("s2"), note: bytes("n3")], atMilliseconds: 2000)
        // A device that could open neither write has replaced both.
        var made = LocalRecord()
        made.create([account: bytes("a"), .secret: bytes("s9")], atMilliseconds: 3000)
        let (old, new) = (record.mirror, try tablet.push(&made))
        record.mirror = new
        record.unsee(old)
        let sent = try phone.push(&record)
        // Their author puts them up again.
        let joined = sent.joined(with: later)
        let secrets = joined.candidates(for: .secret).compactMap { text($0.value) }
        #expect(Set(secrets) == ["s1", "s2", "s9"])
        // Of the later write the edit has replaced all.
        #expect(texts(joined.candidates(for: note)) == ["n3"])

        // What the new mirror has seen or deleted stays replaced.
        var second = LocalRecord(mirror: state)
        second.set([.secret: bytes("s2")], atMilliseconds: 2000)
        second.mirror = state.deletion.joined(with: state.stub)
        second.unsee(state)
        let whole = try phone.push(&second).joined(with: state)
        #expect(texts(whole.candidates(for: .secret)) == ["s2"])
    }

    @Test
    func `an edit of it keeps the old stamps beside its own`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var record = lost(state)
        record.set([.secret: bytes("s2")], atMilliseconds: 3000)
        let sent = try phone.push(&record)
        #expect(sent.stamps(of: note) == state.stamps(of: note))
        #expect(sent.shownSecret == bytes("s2") && sent.conflictingSecrets.isEmpty)
        #expect(sent.joined(with: state) == sent)
    }

    @Test
    func `a deletion and a new item over it go up in two halves too`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var record = lost(state)
        record.delete(atMilliseconds: 3000)
        record.create([account: bytes("a"), .secret: bytes("s9")], atMilliseconds: 4000)
        let halves = try #require(record.edit?.halves)
        var first = LocalRecord(edit: halves.deletion)
        #expect(try !phone.push(&first).isAlive)
        first.edit = halves.creation
        let sent = try phone.push(&first).joined(with: state)
        #expect(sent.shownSecret == bytes("s9") && sent.shown(note) == nil)
    }

    @Test
    func `a batch of the earlier life keeps its stamps, so what others did to it holds`() throws {
        var (laptop, phone, tablet) = (Author(1), Author(2), Author(3))
        let first = try shared(by: &laptop)
        var record = LocalRecord(mirror: first)
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let lostState = try laptop.seal(&record)
        // Its answer was lost; another device saw it, and overwrote it. Then the server went back.
        var other = LocalRecord(mirror: lostState)
        other.set([.secret: bytes("s3")], atMilliseconds: 3000)
        let overwritten = try phone.push(&other)
        record.putUpBatch()
        #expect(record.onItsWay == nil && record.view.shownSecret == bytes("s2"))
        let sent = try tablet.push(&record).joined(with: overwritten)
        #expect(sent == overwritten)
    }

    @Test
    func `a later edit over a batch of the earlier life replaces its values`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        var record = LocalRecord(mirror: try shared(by: &laptop))
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        _ = try laptop.seal(&record)
        record.set([.secret: bytes("s3")], atMilliseconds: 3000)
        record.putUpBatch()
        let sent = try phone.push(&record)
        #expect(sent.shownSecret == bytes("s3") && sent.conflictingSecrets.isEmpty)
        #expect(texts(sent.shownHistory) == ["s2", "s1"])
        // Nothing happens without a batch.
        record.putUpBatch()
        #expect(record.edit == nil)
    }

    @Test
    func `a deleted entry of a store goes up without its contents`() throws {
        var (laptop, phone) = (Author(1), Author(2))
        let state = try shared(by: &laptop)
        var record = LocalRecord(mirror: state)
        record.delete(atMilliseconds: 2000)
        let deleted = try laptop.push(&record)
        record = lost(deleted)
        let sealed = record.seal(keepsDeleted: false) { phone.stamp($0, $1) }
        let sent = try #require(sealed).state
        #expect(!sent.isAlive && sent.shownSecret == nil && sent.shown(account) == bytes("a"))
    }

    @Test
    func `a backup keeps the mark`() throws {
        var (laptop, phone, backup) = (Author(1), Author(2), Author(9_000))
        let state = try shared(by: &laptop)
        var record = lost(state)
        record.set([.secret: bytes("s2")], atMilliseconds: 3000)
        _ = record.stampUnsent { backup.stamp($0, $1) }
        record.delete(atMilliseconds: 4000)
        #expect(try !phone.push(&record).joined(with: state).isAlive)
    }
}
