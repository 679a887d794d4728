import KSCausality
import KSResolution
import Testing

/// Fields, secrets, their history, and unsent edits on top of them.
struct EditTests {
    /// Siblings of one item, each with a secret of its own.
    private func siblings(_ count: UInt64) throws -> [RecordState] {
        var first = Author(1)
        let start = try shared(by: &first)
        return try (0..<count).map { number in
            var author = Author(10 + number)
            var record = LocalRecord(mirror: start)
            record.set([.secret: bytes("c\(number)")], atMilliseconds: 2000 + number)
            return try author.seal(&record)
        }
    }

    @Test
    func `every concurrent value stays, one is shown`() throws {
        let joined = RecordState.join(try siblings(3))
        #expect(texts(joined.candidates(for: .secret)) == ["c0", "c1", "c2"])
        #expect(text(joined.shownSecret) == "c2")
        #expect(texts(joined.conflictingSecrets) == ["c1", "c0"])
        #expect(texts(joined.shownHistory) == ["s1"])
    }

    @Test
    func `of values with equal times that of the larger actor is shown`() throws {
        var states: [RecordState] = []
        for number in [2, 1] as [UInt64] {
            var author = Author(number)
            var record = LocalRecord()
            record.create([.secret: bytes("of \(number)")], atMilliseconds: 2000)
            states.append(try author.seal(&record))
        }
        for joined in [states, states.reversed()].map({ RecordState.join($0) }) {
            let candidates = joined.candidates(for: .secret)
            #expect(Set(candidates.map(\.stamp.time)).count == 1)
            #expect(texts(candidates) == ["of 1", "of 2"])
            #expect(text(joined.shownSecret) == "of 2")
        }
    }

    /// Both devices are offline; the laptop's user changes something else last.
    @Test
    func `an unsent value keeps its time when another one is set`() throws {
        for isRefused in [false, true] {
            var (laptop, phone) = (Author(1), Author(2))
            let start = try shared(by: &laptop)
            var (here, there) = (LocalRecord(mirror: start), LocalRecord(mirror: start))
            here.set([.secret: bytes("older")], atMilliseconds: 2000)
            there.set([.secret: bytes("newer")], atMilliseconds: 3000)
            if isRefused {
                _ = try laptop.seal(&here)
                _ = here.takeApart()
            }
            here.set([note: bytes("n2")], atMilliseconds: 4000)
            here.edit = try here.edit.map { try PendingEdit(decoding: $0.encoded) }
            let joined = try laptop.seal(&here).joined(with: phone.seal(&there))
            #expect(text(joined.shownSecret) == "newer")
            #expect(texts(joined.conflictingSecrets) == ["older"])
            #expect(joined.shown(note) == bytes("n2"))
            #expect(texts(joined.candidates(for: .secret)) == ["older", "newer"])
        }
    }

    @Test
    func `concurrent secrets never count as history and are never evicted`() throws {
        let joined = RecordState.join(try siblings(30))
        #expect(joined.candidates(for: .secret).count == 30)
        #expect(texts(joined.shownHistory) == ["s1"])
    }

    @Test
    func `an edit replaces all stamps that its author saw`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: RecordState.join(try siblings(3)))
        record.set([.secret: bytes("settled")], atMilliseconds: 5000)
        let sealed = try ann.seal(&record)
        #expect(texts(sealed.candidates(for: .secret)) == ["settled"])
        #expect(texts(sealed.shownHistory) == ["c2", "c1", "c0", "s1"])
        let again = RecordState.join(try siblings(3) + [sealed])
        #expect(again.encoded == sealed.encoded)
    }

    @Test(arguments: [true, false])
    func `a deletion without contents shows the same as one with them`(keeps: Bool) throws {
        var ann = Author(1)
        var bob = Author(2)
        var record = LocalRecord(mirror: try shared(by: &ann))
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let before = try ann.push(&record)
        record.delete(atMilliseconds: 3000)
        let sealed = record.seal(keepsDeleted: keeps) { seen, clock in ann.stamp(seen, clock) }
        let deletion = try #require(sealed).state
        #expect(!deletion.isAlive && text(deletion.shown(account)) == "a")
        #expect(texts(deletion.candidates(for: .secret)) == (keeps ? ["s2"] : []))
        #expect(deletion.history.count == (keeps ? 1 : 0))
        // It is deleted for all who had the contents, in whatever order they join.
        #expect(!before.joined(with: deletion).isAlive && !deletion.joined(with: before).isAlive)
        // A value that it had not seen survives it, alone.
        var other = LocalRecord(mirror: before)
        other.set([.secret: bytes("s3")], atMilliseconds: 2500)
        let change = try bob.seal(&other)
        let joined = deletion.joined(with: change)
        #expect(joined == change.joined(with: deletion) && joined.isAlive)
        #expect(texts(joined.candidates(for: .secret)) == ["s3"] && joined.shownHistory.isEmpty)
        #expect(joined.joined(with: before) == joined)
    }

    /// It goes along with the removal of an element, which revives nothing.
    @Test
    func `the name of the device alone keeps no item alive that another device has deleted`()
        throws
    {
        var (ann, bob) = (Author(1), Author(2))
        var record = LocalRecord(mirror: try shared(by: &ann))
        var other = record
        record.delete(atMilliseconds: 3000)
        other.set([.device: bytes("bob's laptop")], atMilliseconds: 4000)
        let deletion = try ann.seal(&record)
        let change = try bob.seal(&other)
        #expect(change.isAlive && !change.joined(with: deletion).isAlive)
        other.set([.device: bytes("bob's laptop"), note: bytes("n2")], atMilliseconds: 5000)
        other.acknowledge()
        #expect(try bob.seal(&other).joined(with: deletion).isAlive)
    }

    @Test
    func `the same content twice is no conflict`() throws {
        var first = Author(1)
        let start = try shared(by: &first)
        let joined = RecordState.join(
            try [UInt64(2), 3].map { number in
                var author = Author(number)
                var record = LocalRecord(mirror: start)
                record.set([.secret: bytes("same")], atMilliseconds: 2000)
                return try author.seal(&record)
            }
        )
        #expect(joined.candidates(for: .secret).count == 2)
        #expect(joined.conflictingSecrets.isEmpty)
    }

    @Test
    func `the history keeps the highest stamps`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        for number in 0..<30 as Range<UInt64> {
            record.set([.secret: bytes("h\(number)")], atMilliseconds: 2000)
            _ = try ann.push(&record)
        }
        #expect(record.view.history.count == RecordState.historyCountMax)
        #expect(texts(record.view.shownHistory).first == "h28")
        #expect(texts(record.view.shownHistory).last == "h9")
    }

    @Test
    func `large secrets leave the history before they fill the box`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        for number in 0..<6 as Range<UInt8> {
            record.set(
                [.secret: [UInt8](repeating: number, count: 50_000)],
                atMilliseconds: 2000
            )
            _ = try ann.push(&record)
        }
        let state = record.view
        #expect(state.shownHistory.map { $0.value?.first } == [4, 3])
        #expect(state.history.count == 6)
        #expect(try RecordState(decoding: state.encoded).encoded == state.encoded)
    }

    @Test
    func `a removed attribute stays removed, and is an edit like any other`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        onAnn.set([note: nil], atMilliseconds: 2000)
        let removed = try ann.seal(&onAnn)
        #expect(removed.shown(note) == nil && removed.shownFields.count == 1)
        var onBen = LocalRecord(mirror: start)
        onBen.delete(atMilliseconds: 3000)
        let joined = removed.joined(with: try ben.seal(&onBen))
        #expect(joined.isAlive && joined.shown(note) == nil)
    }

    @Test
    func `an unsent value is shown above all others`() throws {
        var (ann, ben) = (Author(1), Author(2, clock: 1 << 40))
        let start = try shared(by: &ann)
        var onAnn = LocalRecord(mirror: start)
        var onBen = LocalRecord(mirror: start)
        onAnn.set([.secret: bytes("unsent")], atMilliseconds: 2000)
        onBen.set([.secret: bytes("far ahead")], atMilliseconds: ben.clock)
        onAnn.mirror = try ben.seal(&onBen)
        #expect(text(onAnn.view.shownSecret) == "unsent")
        #expect(texts(onAnn.view.conflictingSecrets) == ["far ahead"])
    }

    @Test
    func `an edit made while a batch is under way replaces that batch's values`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        let first = try ann.seal(&record)
        record.set([.secret: bytes("s3")], atMilliseconds: 3000)
        #expect(texts(record.view.candidates(for: .secret)) == ["s3"])
        record.acknowledge()
        record.mirror = first
        let second = try ann.seal(&record)
        #expect(texts(second.candidates(for: .secret)) == ["s3"])
        #expect(texts(second.shownHistory) == ["s2", "s1"])
    }

    @Test
    func `two unsent edits become one, and the secret in between is kept`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        record.set([.secret: bytes("s2")], atMilliseconds: 2000)
        record.set([.secret: bytes("s3"), note: bytes("n2")], atMilliseconds: 3000)
        let sealed = try ann.seal(&record)
        #expect(texts(sealed.candidates(for: .secret)) == ["s3"])
        #expect(texts(sealed.shownHistory) == ["s2", "s1"])
        #expect(record.edit == nil)
    }

    @Test
    func `deleting an unsent item leaves no trace`() {
        var record = LocalRecord()
        record.create([.secret: bytes("s")], atMilliseconds: 1000)
        record.delete(atMilliseconds: 2000)
        #expect(record == LocalRecord())
    }

    @Test
    func `stamps start from the clock at the edit, not at the sealing`() throws {
        var ann = Author(1, clock: 9000)
        var record = LocalRecord(mirror: try shared(by: &ann))
        var ben = Author(2)
        record.set([.secret: bytes("s2")], atMilliseconds: 20_000)
        let sealed = try ben.seal(&record)
        #expect(sealed.candidates(for: .secret).last?.stamp.time.milliseconds == 20_000)
    }

    @Test
    func `a batch taken apart becomes its edit again, with later edits on top`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        record.set([.secret: bytes("s2"), account: bytes("b")], atMilliseconds: 2000)
        _ = try ann.seal(&record)
        record.set([.secret: bytes("s3"), note: bytes("n2")], atMilliseconds: 3000)
        let before = record.view
        _ = record.takeApart()
        #expect(record.view.shownFields == before.shownFields)
        #expect(record.view.shownSecret == before.shownSecret)
        ann = Author(3)
        let sealed = try ann.seal(&record)
        #expect(text(sealed.shown(account)) == "b" && text(sealed.shown(note)) == "n2")
        #expect(texts(sealed.candidates(for: .secret)) == ["s3"])
        #expect(texts(sealed.shownHistory) == ["s2", "s1"])
    }

    @Test
    func `a refused joined state is uploaded again`() throws {
        let joined = RecordState.join(try siblings(3))
        var record = LocalRecord(mirror: joined)
        let sealed = record.seal(isRewrite: true) { _, _ in
            Stamp(time: .zero, actor: ActorID(rawValue: 0))
        }
        #expect(sealed?.state == joined)
        record.mirror = try siblings(1).first
        let goesUpAgain = record.takeApart()
        #expect(goesUpAgain && record.mirror?.encoded == joined.encoded && record.edit == nil)
    }
}
