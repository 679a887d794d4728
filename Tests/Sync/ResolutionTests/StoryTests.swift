import KSCausality
import KSRecords
import KSResolution
import Testing

/// Stories that an executable model of the rules found, one test each.
struct StoryTests {
    @Test
    func `a delayed delete covers only what its author had seen`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onAnn.delete(atMilliseconds: 2000)
        onBen.set([.secret: bytes("s2")], atMilliseconds: 2000)
        onAnn.mirror = try ben.push(&onBen)

        #expect(text(onAnn.view.shownSecret) == "s2")
        let sealed = try ann.seal(&onAnn)
        #expect(sealed.isAlive && sealed.isDeletedElsewhere)
        #expect(text(sealed.shownSecret) == "s2")
    }

    @Test
    func `a note typed before another arrives is kept beside it`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onAnn.set([note: bytes("ann's")], atMilliseconds: 2000)
        onBen.set([note: bytes("ben's")], atMilliseconds: 3000)
        onAnn.mirror = try ben.push(&onBen)
        let sealed = try ann.push(&onAnn)
        #expect(Set(texts(sealed.candidates(for: note))) == ["ann's", "ben's"])

        // Only an edit that had seen both replaces both.
        onAnn.set([note: bytes("both")], atMilliseconds: 4000)
        #expect(texts(try ann.push(&onAnn).candidates(for: note)) == ["both"])
    }

    @Test
    func `of two edits the later one is shown, whichever arrived last`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onAnn.set([.secret: bytes("earlier")], atMilliseconds: 2000)
        onBen.set([.secret: bytes("later")], atMilliseconds: 3000)
        onAnn.mirror = try ben.push(&onBen)
        let sealed = try ann.push(&onAnn)
        #expect(text(sealed.shownSecret) == "later")
        #expect(texts(sealed.conflictingSecrets) == ["earlier"])

        // An edit that had seen the later one replaces it, whatever its clock reads.
        onAnn.set([.secret: bytes("last")], atMilliseconds: 100)
        let last = try ann.push(&onAnn)
        #expect(text(last.shownSecret) == "last")
        #expect(last.conflictingSecrets.isEmpty)
    }

    @Test
    func `a tombstone takes no field from a concurrent edit`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onAnn.delete(atMilliseconds: 2000)
        onBen.set([note: bytes("n2")], atMilliseconds: 2000)
        let tombstone = try ann.seal(&onAnn)
        let joined = tombstone.joined(with: try ben.seal(&onBen))

        #expect(!tombstone.isAlive)
        #expect(joined.isAlive && joined.isDeletedElsewhere)
        #expect(text(joined.shownSecret) == "s1")
        #expect(text(joined.shown(note)) == "n2")
    }

    @Test
    func `an item that an edit keeps alive has the newest secret that was deleted`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onAnn.set([.secret: bytes("s2")], atMilliseconds: 2000)
        _ = try ann.push(&onAnn)
        onAnn.delete(atMilliseconds: 3000)
        onBen.set([note: bytes("n2")], atMilliseconds: 2500)
        let joined = try ben.seal(&onBen).joined(with: try ann.seal(&onAnn))
        #expect(text(joined.shownSecret) == "s2")
        #expect(joined.shownHistory.isEmpty, "s1 was deleted with knowledge")
        #expect(joined.history.filter { $0.name == .secret }.map(\.value) == [bytes("s1")])
    }

    @Test
    func `a covered value is shown only where its name has no other`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onAnn.set([.secret: bytes("deleted")], atMilliseconds: 9000)
        _ = try ann.push(&onAnn)
        onAnn.delete(atMilliseconds: 9000)
        onBen.set([.secret: bytes("kept")], atMilliseconds: 2000)
        let joined = try ann.seal(&onAnn).joined(with: try ben.seal(&onBen))
        #expect(text(joined.shownSecret) == "kept")
        #expect(joined.conflictingSecrets.isEmpty)
        #expect(joined.isDeletedElsewhere)
    }

    @Test
    func `an item added again starts from the stub of the deleted one`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var dormant = LocalRecord(mirror: start)
        dormant.set([note: bytes("late")], atMilliseconds: 2000)
        var onAnn = LocalRecord(mirror: start)
        onAnn.delete(atMilliseconds: 2000)
        let stub = try ann.seal(&onAnn).stub
        #expect(!stub.isAlive && stub.values.isEmpty)

        var again = LocalRecord(stub: stub)
        again.create([account: bytes("a"), .secret: bytes("new")], atMilliseconds: 3000)
        var cleo = Author(3)
        let joined = try cleo.seal(&again).joined(with: try ben.seal(&dormant))
        #expect(texts(joined.candidates(for: .secret)) == ["new"])
        #expect(texts(joined.candidates(for: note)) == ["late"])
    }

    @Test
    func `an item deleted and added again before sending shows no old value`() throws {
        var ann = Author(1)
        var onAnn = LocalRecord(mirror: try shared(by: &ann))
        onAnn.delete(atMilliseconds: 2000)
        #expect(!onAnn.view.isAlive)
        onAnn.create([account: bytes("a")], atMilliseconds: 3000)
        let sealed = try ann.seal(&onAnn)
        #expect(sealed.shownFields == ["acct": bytes("a")])
        #expect(sealed.shownSecret == nil && !sealed.isDeletedElsewhere)
        #expect(sealed.shownHistory.isEmpty)
    }

    @Test
    func `two writes in one capped tick have two stamps, and the join commutes`() throws {
        var ann = Author(1)
        var ben = Author(2, clock: 9_000_000)
        var onBen = LocalRecord(mirror: try shared(by: &ann))
        var states: [RecordState] = []
        var own = HybridTime.zero
        for name in [note, .secret] {
            onBen.set([name: bytes("x")], atMilliseconds: ben.clock)
            let sealed = onBen.seal { seen, clock in
                own = HybridTime.next(
                    clockMilliseconds: clock,
                    serverMilliseconds: 1000,
                    seen: seen,
                    own: own,
                    random: 7
                )
                return Stamp(time: own, actor: ben.actor)
            }
            states.append(try #require(sealed).state)
            onBen.acknowledge()
        }
        ben.clock = 0
        let stamps = states.flatMap { $0.context.highestStamps }.filter { $0.actor == ben.actor }
        #expect(Set(stamps).count == 2)
        #expect(
            states[0].joined(with: states[1]).encoded == states[1].joined(with: states[0]).encoded
        )
    }

    @Test
    func `should one stamp ever have two values, both stay and the join commutes`() throws {
        let states = try ["one", "two"].map { secret in
            var author = Author(1)
            var record = LocalRecord()
            record.create([.secret: bytes(secret)], atMilliseconds: 1000)
            return try author.seal(&record)
        }
        let joined = states[0].joined(with: states[1])
        #expect(joined.encoded == states[1].joined(with: states[0]).encoded)
        #expect(joined.encoded == joined.joined(with: states[0]).encoded)
        #expect(Set(texts(joined.candidates(for: .secret))) == ["one", "two"])
    }

    @Test
    func `a delete made after a lost answer deletes what the refused batch had written`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        onAnn.set([.secret: bytes("s2")], atMilliseconds: 2000)
        // The server took it, another device pulled it, the answer was lost, the store restored.
        let refused = try ann.seal(&onAnn)
        onAnn.delete(atMilliseconds: 3000)
        #expect(!onAnn.view.isAlive)
        let goesUpAgain = onAnn.takeApart()
        #expect(!goesUpAgain && !onAnn.view.isAlive)
        ann = Author(3)
        let tombstone = try ann.seal(&onAnn)
        #expect(!tombstone.joined(with: refused).isAlive)

        // An edit of it that the deleter had not seen still counts.
        var onBen = LocalRecord(mirror: refused)
        onBen.set([note: bytes("n2")], atMilliseconds: 3000)
        #expect(tombstone.joined(with: try ben.seal(&onBen)).isAlive)
    }

    @Test
    func `an edit sealed a second time replaces the first`() throws {
        var ann = Author(1)
        var onAnn = LocalRecord(mirror: try shared(by: &ann))
        onAnn.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let refused = try ann.seal(&onAnn)
        _ = onAnn.takeApart()
        ann = Author(3)
        let joined = try ann.seal(&onAnn).joined(with: refused)
        #expect(texts(joined.candidates(for: .secret)) == ["s2"])
        #expect(joined.conflictingSecrets.isEmpty)
        #expect(texts(joined.shownHistory) == ["s2", "s1"])
    }

    @Test
    func `a refused batch's stamps are named one by one, without those of a copy of its actor`()
        throws
    {
        var (ann, twin) = (Author(1), Author(1, clock: 500))
        let start = try shared(by: &ann)
        var onTwin = LocalRecord(mirror: start)
        onTwin.set([.secret: bytes("twin's")], atMilliseconds: 1500)
        let twins = try twin.seal(&onTwin)
        var onAnn = LocalRecord(mirror: start)
        onAnn.set([.secret: bytes("s2")], atMilliseconds: 2000)
        _ = try ann.seal(&onAnn)
        onAnn.delete(atMilliseconds: 3000)
        _ = onAnn.takeApart()
        ann = Author(3)
        let joined = try ann.seal(&onAnn).joined(with: twins)
        #expect(joined.isAlive)
        #expect(text(joined.shownSecret) == "twin's")
    }
}
