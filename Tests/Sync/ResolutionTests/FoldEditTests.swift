import KSCausality
import KSRecords
import KSResolution
import Testing

/// Edits and batches of a device that was away while counters were folded.
struct FoldEditTests: VisitCounting {
    private enum Ending: CaseIterable { case reset, removal, deletion }

    /// Ann added 5, and Ben 6.
    private func start() throws -> ItemState {
        try edited(edited(nil, by: 1, plus(5), at: 1000), by: 2, plus(6), at: 2000)
    }

    private func end(_ record: inout LocalRecord, by ending: Ending, at clock: UInt64) {
        switch ending {
        case .reset: record.set([:], counters: reset(0), atMilliseconds: clock)
        case .removal:
            let change = CounterChange(reset: .removed)
            record.set([:], counters: [visits: change], atMilliseconds: clock)
        case .deletion: record.delete(atMilliseconds: clock)
        }
    }

    @Test(arguments: Ending.allCases)
    private func `an unsent reset, removal or deletion ends what its user had seen`(
        ending: Ending
    ) throws {
        let state = try start()
        var away = LocalRecord(mirror: state)
        end(&away, by: ending, at: 3000)
        // Meanwhile Cid added 7 unseen, the counter was folded, and 8 were added.
        let unseen = try edited(state, by: 3, plus(7), at: 2500)
        let folded = try edited(unseen, by: 11, plus(8), at: 4000, folds: true)
        away.replaceMirror(with: folded)
        #expect(value(away.view) == 15 && away.view.isAlive)
        let cut = try #require(away.edit?.counters[visits]?.cut)
        #expect(cut.count == 1 && cut.keys.first?.actor == .folded)
        #expect(cut.values.first?.plus == 11)
        let again = away
        away.replaceMirror(with: folded)
        #expect(away == again)
        var author = Author(12)
        let sent = try author.seal(&away)
        #expect(value(sent) == 15 && value(sent.joined(with: folded)) == 15)
        let decoded = try ItemState(decoding: sent.encoded)
        #expect(decoded == sent)
    }

    @Test
    func `an edit that names no folded series stays as it is`() throws {
        let state = try start()
        var away = LocalRecord(mirror: state)
        away.set([:], counters: plus(1), atMilliseconds: 3000)
        let edit = away.edit
        away.replaceMirror(with: try edited(state, by: 11, plus(8), at: 4000, folds: true))
        #expect(away.edit == edit && value(away.view) == 20)
        var unfolded = LocalRecord(mirror: state)
        unfolded.set([:], counters: reset(1), atMilliseconds: 3000)
        let resetting = unfolded.edit
        unfolded.replaceMirror(with: try edited(state, by: 3, plus(8), at: 4000))
        #expect(unfolded.edit == resetting && value(unfolded.view) == 9)
    }

    @Test
    func `an earlier reset counts as seen, and one that nobody had seen loses no increment`() throws
    {
        // The first reset cut the 5 and the 6; Cid's 7 are seen by the second.
        let begun = try edited(edited(start(), by: 2, reset(0), at: 2500), by: 3, plus(7), at: 2600)
        var away = LocalRecord(mirror: begun)
        away.set([:], counters: reset(0), atMilliseconds: 3000)
        let more = try edited(begun, by: 1, plus(9), at: 2700)
        let folded = try edited(more, by: 11, plus(8), at: 4000, folds: true)
        away.replaceMirror(with: folded)
        #expect(value(away.view) == 17)
        // Two resets that had not seen each other: each had seen other increments.
        let (ann, ben) = (
            try edited(nil, by: 1, plus(5), at: 1000), try edited(nil, by: 2, plus(6), at: 1000)
        )
        let resetting = try edited(ben, by: 3, reset(0), at: 2000)
        var other = LocalRecord(mirror: ann)
        other.set([:], counters: reset(0), atMilliseconds: 3000)
        let all = ItemState.join([ann, resetting])
        let unfolded = LocalRecord(mirror: all, edit: other.edit)
        other.replaceMirror(with: try edited(all, by: 11, plus(1), at: 4000, folds: true))
        // Without the fold all 11 are cut. The cut of a fold is the larger part of them.
        #expect(value(unfolded.view) == 0 && value(other.view) == 6)
    }

    @Test
    func `a reset that arrives before the fold counts with the unsent one`() throws {
        let ann = try edited(nil, by: 1, plus(5), at: 1000)
        let ben = try edited(nil, by: 2, plus(6), at: 1000)
        let all = ItemState.join([ann, try edited(ben, by: 3, reset(0), at: 2000)])
        var away = LocalRecord(mirror: ann)
        away.set([:], counters: reset(0), atMilliseconds: 3000)
        away.replaceMirror(with: all)
        away.replaceMirror(with: try edited(all, by: 11, plus(1), at: 4000, folds: true))
        #expect(value(away.view) == 1)
    }

    /// A late copy of a refused batch was seen, and then withdrawn by its author's next write.
    @Test
    func `a cut above what is left of a series ends no other increment`() throws {
        var (ann, renamed) = (Author(1), Author(4))
        var record = LocalRecord(mirror: try start())
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let late = try ann.seal(&record)
        _ = record.takeApart()
        let repeated = try renamed.seal(&record)
        let seen = try edited(late, by: 3, reset(0), at: 3500)
        let all = seen.joined(with: repeated)
        #expect(value(all) == 3 && value(all.folded) == 3)
        var away = LocalRecord(mirror: late)
        away.set([:], counters: reset(0), atMilliseconds: 3500)
        let met = late.joined(with: repeated)
        away.replaceMirror(with: met)
        #expect(value(away.view) == 3)
        away.replaceMirror(with: try edited(met, by: 11, plus(8), at: 4000, folds: true))
        #expect(value(away.view) == 11)
    }

    @Test
    func `a cut that names the fold takes nothing more from it when a series is withdrawn`() throws
    {
        let unseen = try edited(start(), by: 3, plus(7), at: 2500)
        let folded = try edited(unseen, by: 11, plus(8), at: 4000, folds: true)
        var (ben, renamed, cid) = (Author(12), Author(14), Author(13))
        var record = LocalRecord(mirror: try start())
        record.set([:], counters: plus(100), atMilliseconds: 3000)
        let late = try ben.seal(&record)
        _ = record.takeApart()
        let repeated = try renamed.seal(&record)
        var away = LocalRecord(mirror: late)
        away.set([:], counters: reset(0), atMilliseconds: 3500)
        away.replaceMirror(with: folded.joined(with: late))
        let sent = try cid.seal(&away)
        #expect(value(sent) == 15 && value(sent.joined(with: repeated)) == 115)
    }

    /// If a fold dropped a counter of which nothing counts, the unsent reset would cut what was
    /// added in later generations.
    @Test
    func `a reset that was away for two folds drops no increment made since`() throws {
        let state = try start()
        let ended = try edited(state, by: 1, reset(0), at: 2500)
        let first = try edited(ended, by: 11, plus(3), at: 4000, folds: true)
        let more = try edited(first, by: 12, plus(4), at: 5000)
        let second = try edited(more, by: 21, [:], at: 6000, folds: true)
        for mirrors in [[first, more, second], [second]] {
            var away = LocalRecord(mirror: state)
            away.set([:], counters: reset(0), atMilliseconds: 3000)
            for mirror in mirrors { away.replaceMirror(with: mirror) }
            #expect(value(away.view) == 7)
        }
        // So does a write that its device sealed without having seen the folds.
        let beside = try edited(state, by: 22, reset(0), at: 3000)
        #expect(value(second.joined(with: beside)) == 7)
    }

    @Test
    func `resets in two generations, each beside the fold, keep what they had not seen`() throws {
        let state = try edited(start(), by: 3, plus(100), at: 2500)
        let first = ItemState.join([
            try edited(state, by: 11, plus(3), at: 4000, folds: true),
            try edited(state, by: 12, reset(0), at: 4500),
        ])
        #expect(value(first) == 3)
        let (ann, ben) = (
            try edited(first, by: 11, plus(4), at: 5000),
            try edited(first, by: 12, plus(50), at: 5000)
        )
        let second = try edited(ann.joined(with: ben), by: 21, [:], at: 6000, folds: true)
        // Its device could not open Ben's last write.
        let beside = try edited(ann, by: 22, reset(0), at: 6500)
        #expect(value(second) == 57 && value(second.joined(with: beside)) == 50)
    }

    @Test
    func `an edit made after the device's own fold follows it, accepted or not`() throws {
        for isAccepted in [false, true] {
            let state = try start()
            var (ann, record) = (Author(11), LocalRecord(mirror: state))
            record.set([:], counters: plus(1), atMilliseconds: 3000)
            let made = record.seal(foldsCounters: true) { ann.stamp($0, $1) }
            let batch = try #require(made)
            #expect(batch.before == state && batch.edit?.counters[visits]?.cut.isEmpty == true)
            record.set([:], counters: reset(7), atMilliseconds: 3001)
            record.set([:], counters: plus(2), atMilliseconds: 3002)
            #expect(value(record.view) == 9)
            if isAccepted {
                record.acknowledge()
                #expect(
                    record.edit?.counters[visits]?.cut.keys.allSatisfy {
                        $0.actor != ActorID(rawValue: 1)
                    } == true
                )
                record.replaceMirror(with: batch.state)
            } else {
                _ = record.takeApart()
                ann = Author(12)
            }
            #expect(value(record.view) == 9)
            let sealed = try ann.seal(&record)
            #expect(value(sealed) == 9 && value(sealed.joined(with: batch.state)) == 9)
        }
    }

    @Test
    func `a page may show the device's own fold before the answer does`() throws {
        var (ann, record) = (Author(11), LocalRecord(mirror: try start()))
        record.set([:], counters: reset(3), atMilliseconds: 3000)
        let made = record.seal(foldsCounters: true) { ann.stamp($0, $1) }
        let batch = try #require(made)
        record.set([:], counters: reset(7), atMilliseconds: 3001)
        record.replaceMirror(with: batch.state)
        #expect(value(record.view) == 7)
        record.acknowledge()
        #expect(value(record.view) == 7)
        #expect(value(try ann.seal(&record)) == 7)
    }

    @Test(arguments: [true, false])
    func `a batch of an ended generation shows, and becomes, what its user did`(
        resets: Bool
    ) throws {
        let state = try start()
        var (ann, record) = (Author(1), LocalRecord(mirror: state))
        if resets { record.set([:], counters: reset(0), atMilliseconds: 3000) }
        record.set([note: bytes("n9")], counters: plus(1), atMilliseconds: 3100)
        let batch = try ann.seal(&record)
        #expect(value(batch) == (resets ? 1 : 12))
        let unseen = try edited(state, by: 3, plus(7), at: 2500)
        record.replaceMirror(with: try edited(unseen, by: 11, plus(8), at: 4000, folds: true))
        let expected: Int64 = resets ? 16 : 27
        #expect(value(record.view) == expected)
        #expect(text(record.view.shown(note)) == "4000")
        var later = record
        later.set([:], counters: plus(1), atMilliseconds: 4500)
        #expect(value(later.view) == expected + 1)
        later.set([:], counters: reset(2), atMilliseconds: 4600)
        #expect(value(later.view) == 2)
        _ = later.takeApart()
        #expect(value(later.view) == 2)
        _ = record.takeApart()
        #expect(value(record.view) == expected)
        let cut = record.edit?.counters[visits]?.cut.keys.map(\.actor)
        #expect(cut == (resets ? [.folded] : []))
        var again = Author(12)
        #expect(value(try again.seal(&record)) == expected)
    }

    @Test
    func `a batch that the ended generation accepted is shown once`() throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(1), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        record.replaceMirror(with: try edited(batch, by: 11, plus(8), at: 4000, folds: true))
        #expect(value(record.view) == 20)
        record.acknowledge()
        #expect(value(record.view) == 20)
    }

    @Test
    func `an item made again after a fold has only what was added since`() throws {
        var (ann, ben) = (Author(11), Author(12))
        let state = try start()
        var onAnn = LocalRecord(mirror: state)
        onAnn.delete(atMilliseconds: 3000)
        let work = onAnn.seal(foldsCounters: true) { ann.stamp($0, $1) }
        let tombstone = try #require(work).state
        #expect(!tombstone.isAlive)
        var again = LocalRecord(stub: tombstone.stub)
        again.create([note: bytes("n")], counters: plus(3), atMilliseconds: 4000)
        #expect(value(again.view) == 3)
        let made = try ben.seal(&again)
        #expect(value(made) == 3)
        let beside = try edited(state, by: 13, plus(2), at: 3500)
        #expect(value(made.joined(with: beside)) == 5)
        #expect(value(tombstone.joined(with: beside)) == 2)
    }

    @Test
    func `a stub folds as the deleted record does`() throws {
        let state = try start()
        var (ann, record) = (Author(1), LocalRecord(mirror: state))
        record.delete(atMilliseconds: 3000)
        let tombstone = try ann.seal(&record)
        let made = try [LocalRecord(mirror: tombstone), LocalRecord(stub: tombstone.stub)]
            .enumerated()
            .map { index, record in
                var (author, record) = (Author(11 + UInt64(index)), record)
                record.create([note: bytes("n")], counters: plus(3), atMilliseconds: 4000)
                let work = record.seal(foldsCounters: true) { author.stamp($0, $1) }
                return try #require(work).state
            }
        let joined = made[0].joined(with: made[1])
        #expect(value(joined) == 6 && joined.counters[visits]?.series.count == 3)
    }
}
