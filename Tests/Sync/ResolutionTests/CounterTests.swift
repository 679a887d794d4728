import KSCausality
import KSRecords
import KSResolution
import Testing

/// Counters in a record's state and in unsent edits.
struct CounterTests: VisitCounting {
    private func started(by author: inout Author) throws -> LocalRecord {
        var record = LocalRecord()
        record.create([note: bytes("n")], counters: plus(100), atMilliseconds: author.clock)
        _ = try author.push(&record)
        return record
    }

    @Test
    func `a late copy of a refused batch counts once, whether it arrives before or after`() throws {
        var (ann, renamed) = (Author(1), Author(3))
        var record = try started(by: &ann)
        record.set([:], counters: plus(1), atMilliseconds: 2000)
        let late = try ann.seal(&record)
        _ = record.takeApart()
        var other = record
        let sealed = try renamed.seal(&record)
        #expect(value(sealed) == 101 && value(sealed.joined(with: late)) == 101)
        other.mirror = other.mirror?.joined(with: late)
        var again = Author(4)
        #expect(value(try again.seal(&other)) == 101)
    }

    @Test
    func `a reset of a batch under way drops its increments, accepted or not`() throws {
        for isAccepted in [false, true] {
            var ann = Author(1)
            var record = try started(by: &ann)
            record.set([:], counters: plus(1), atMilliseconds: 2000)
            let batch = try ann.seal(&record)
            record.set([:], counters: [visits: CounterChange(reset: .to(7))], atMilliseconds: 2001)
            record.set([:], counters: plus(2), atMilliseconds: 2002)
            #expect(value(record.view) == 9)
            if isAccepted {
                record.acknowledge()
                record.mirror = batch
            } else {
                _ = record.takeApart()
                ann = Author(2)
            }
            let sealed = try ann.seal(&record)
            #expect(value(sealed) == 9 && value(sealed.joined(with: batch)) == 9)
        }
    }

    @Test
    func `an increment beside a deletion brings back only itself, even over a stub`() throws {
        var (ann, ben, cid) = (Author(1), Author(2), Author(3))
        let start = try started(by: &ann)
        var (onAnn, onBen) = (start, start)
        onAnn.delete(atMilliseconds: 2000)
        let tombstone = try ann.push(&onAnn)
        #expect(!tombstone.isAlive && tombstone.stub.values.allSatisfy { $0.key.counter != nil })
        onBen.set([note: bytes("n2")], counters: plus(5), atMilliseconds: 2000)
        let added = try ben.seal(&onBen)
        #expect(value(added) == 105 && value(tombstone.joined(with: added)) == 5)
        var later = LocalRecord(stub: tombstone.stub)
        later.create([note: bytes("n3")], counters: plus(1), atMilliseconds: 3000)
        #expect(value(later.view) == 1)
        #expect(value(try cid.seal(&later).joined(with: added)) == 6)
    }

    @Test
    func `edits and states with counters have one encoding`() throws {
        var ann = Author(1)
        var record = try started(by: &ann)
        record.set([:], counters: [visits: CounterChange(reset: .to(-7))], atMilliseconds: 2000)
        record.set([note: nil], counters: plus(3), atMilliseconds: 2001)
        let edit = try #require(record.edit)
        #expect(try PendingEdit(decoding: edit.encoded) == edit)
        for bit in 0..<edit.encoded.count * 8 {
            var changed = edit.encoded
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Most are refused, which is right.
            if let other = try? PendingEdit(decoding: changed) { #expect(other.encoded == changed) }
        }
        let state = try ann.seal(&record)
        #expect(try RecordState(decoding: state.encoded) == state)
        for bit in 0..<state.encoded.count * 8 {
            var changed = state.encoded
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Most are refused, which is right.
            if let other = try? RecordState(decoding: changed) { #expect(other.encoded == changed) }
        }
    }
}
