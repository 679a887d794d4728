import KSCausality
import KSRecords
import KSResolution
import Testing

/// An item whose key changes becomes another record, and loses nothing on the way.
struct RenameTests {
    private let oldID = RecordID(validated: [UInt8](repeating: 7, count: 32))

    /// Two devices made the same item; one of them has it with both secrets, one superseded.
    private func conflicted(_ ann: inout Author, _ ben: inout Author) throws -> LocalRecord {
        let mine = try shared(by: &ann)
        var onBen = LocalRecord()
        onBen.create([.secret: bytes("ben's")], atMilliseconds: 500)
        var onAnn = LocalRecord(mirror: mine)
        onAnn.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let newer = try ann.push(&onAnn)
        return LocalRecord(mirror: newer.joined(with: try ben.seal(&onBen)))
    }

    @Test
    func `a rename keeps conflicts and history`() throws {
        var (ann, ben) = (Author(1), Author(2))
        var source = try conflicted(&ann, &ben)
        var target = LocalRecord()
        #expect(texts(source.view.conflictingSecrets) == ["ben's"])
        LocalRecord.rename(
            &source,
            id: oldID,
            to: &target,
            changes: [account: bytes("b")],
            atMilliseconds: 3000
        )
        #expect(!source.view.isAlive && text(target.view.shownSecret) == "s2")
        let tombstone = try ann.seal(&source)
        let moved = try ann.seal(&target)
        #expect(!tombstone.isAlive)
        #expect(text(moved.shownSecret) == "s2")
        #expect(text(moved.shown(account)) == "b" && text(moved.shown(note)) == "n1")
        #expect(texts(moved.conflictingSecrets) == ["ben's"])
        #expect(texts(moved.shownHistory) == ["s1"])
        #expect(moved.shown(.movedFrom) == oldID.bytes)
    }

    @Test
    func `a rename does not keep stamps and context`() throws {
        var (ann, ben) = (Author(1), Author(2))
        var source = try conflicted(&ann, &ben)
        let before = try #require(source.mirror)
        var target = LocalRecord()
        LocalRecord.rename(&source, id: oldID, to: &target, changes: [:], atMilliseconds: 3000)
        let moved = try ann.seal(&target)
        let stamps = moved.values.values.flatMap { $0 }.map(\.stamp) + moved.history.map(\.stamp)
        #expect(stamps.allSatisfy { $0.actor == ann.actor && !before.context.contains($0) })
        #expect(moved.context.highestStamps.map(\.actor) == [ann.actor])

        // Ben wrote the target earlier, with a lower stamp than any of the source's, and nobody has
        // seen it.
        var onBen = LocalRecord()
        onBen.create([.secret: bytes("unseen")], atMilliseconds: 400)
        var early = Author(2)
        let joined = moved.joined(with: try early.seal(&onBen))
        #expect(joined.candidates(for: .secret).contains { text($0.value) == "unseen" })
    }

    @Test
    func `a concurrent edit keeps the old record alive`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var source = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onBen.set([.secret: bytes("s2")], atMilliseconds: 2000)
        var target = LocalRecord()
        LocalRecord.rename(&source, id: oldID, to: &target, changes: [:], atMilliseconds: 3000)
        let old = try ann.seal(&source).joined(with: try ben.seal(&onBen))
        #expect(text(old.shownSecret) == "s2")
        #expect(text(try ann.seal(&target).shownSecret) == "s1")
    }

    @Test
    func `a secret changed along with the key leaves the old one in the history`() throws {
        var (ann, ben) = (Author(1), Author(2))
        var source = try conflicted(&ann, &ben)
        var target = LocalRecord()
        LocalRecord.rename(
            &source,
            id: oldID,
            to: &target,
            changes: [.secret: bytes("s3")],
            atMilliseconds: 3000
        )
        let moved = try ann.seal(&target)
        #expect(texts(moved.candidates(for: .secret)) == ["s3"])
        #expect(texts(moved.shownHistory) == ["s2", "ben's", "s1"])
    }

    @Test
    func `a rename over a deleted target shows none of the target's values`() throws {
        var ann = Author(1)
        var source = LocalRecord(mirror: try shared(by: &ann))
        var other = LocalRecord()
        other.create(
            [.secret: bytes("gone"), .field("labl"): bytes("old label")],
            atMilliseconds: 1000
        )
        var target = LocalRecord(mirror: try ann.push(&other))
        target.delete(atMilliseconds: 2000)
        LocalRecord.rename(&source, id: oldID, to: &target, changes: [:], atMilliseconds: 3000)
        let moved = try ann.seal(&target)
        #expect(moved.shownFields == ["acct": bytes("a"), "icmt": bytes("n1")])
        #expect(moved.shownHistory.isEmpty)
    }

    @Test
    func `an unsent item that is renamed leaves no old record`() {
        var source = LocalRecord()
        source.create([.secret: bytes("s")], atMilliseconds: 1000)
        var target = LocalRecord()
        LocalRecord.rename(&source, id: oldID, to: &target, changes: [:], atMilliseconds: 2000)
        #expect(source.edit == nil)
        #expect(target.view.shown(.movedFrom) == nil)
        #expect(text(target.view.shownSecret) == "s")
    }

    @Test
    func `renamed twice before sending, it still names the record that others know`() throws {
        var ann = Author(1)
        var source = LocalRecord(mirror: try shared(by: &ann))
        var (middle, target) = (LocalRecord(), LocalRecord())
        LocalRecord.rename(&source, id: oldID, to: &middle, changes: [:], atMilliseconds: 2000)
        let middleID = RecordID(validated: [UInt8](repeating: 8, count: 32))
        LocalRecord.rename(&middle, id: middleID, to: &target, changes: [:], atMilliseconds: 2000)
        #expect(target.view.shown(.movedFrom) == oldID.bytes)
    }
}
