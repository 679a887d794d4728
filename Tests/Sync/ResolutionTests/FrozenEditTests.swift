import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// The frozen encoding of unsent edits.
struct FrozenEditTests {
    /// An item that was deleted, made again without its note, and given a second secret.
    private func edited(by author: inout Author) throws -> LocalRecord {
        var record = LocalRecord(mirror: try shared(by: &author))
        record.delete(atMilliseconds: 2000)
        record.create([account: bytes("a"), .secret: bytes("s2")], atMilliseconds: 2001)
        record.set([.secret: bytes("s3")], atMilliseconds: 2002)
        return record
    }

    @Test
    func `an unsent edit`() throws {
        var author = Author(0x0102_0304_0506_0708)
        let edit = try #require(edited(by: &author).edit)
        let frozen =
            "0400000301046163637401016100000000000000010000000003e80000010203"
            + "040506070800010469636d740000000000000000010000000003e80000010203"
            + "04050607080100000000000007d1020001027333000000000000000100000000"
            + "03e80000010203040506070800010200027332010100000000000007d1000001"
            + "00000000000000010000000003e8000001020304050607080000000000000000"
            + "00000000000007d2000000000000000003"
        #expect(Hexadecimal.text(edit.encoded) == frozen)
        #expect(try PendingEdit(decoding: Hexadecimal.bytes(frozen)) == edit)
    }

    @Test
    func `an unsent edit whose earlier values have no times`() throws {
        let frozen =
            "010301046163637401016100000000000000010000000003e800000102030405"
            + "060708010469636d740000000000000000010000000003e80000010203040506"
            + "070802000102733300000000000000010000000003e800000102030405060708"
            + "0102000273320100000100000000000000010000000003e80000010203040506"
            + "0708000000000000000000000000000007d2000000000000000003"
        let edit = try PendingEdit(decoding: Hexadecimal.bytes(frozen))
        #expect(edit.companions.map(\.milliseconds) == [nil])
        #expect(Hexadecimal.text(edit.encoded) == frozen)
    }

    @Test
    func `an edit in a batch under way`() throws {
        var author = Author(0x0102_0304_0506_0708)
        var record = try edited(by: &author)
        _ = try author.seal(&record)
        let sealed = try #require(record.onItsWay)
        let frozen =
            "0101b1010400000301046163637401016100000000000000010000000003e800"
            + "00010203040506070800010469636d740000000000000000010000000003e800"
            + "0001020304050607080100000000000007d10200010273330000000000000001"
            + "0000000003e80000010203040506070800010200027332010100000000000007"
            + "d100000100000000000000010000000003e80000010203040506070800000000"
            + "0000000000000000000007d20000000000000000030042010101020304050607"
            + "0801000000000003e80000030104616363740100010161010469636d74010001"
            + "026e3102000100010273310001000000000003e800000000007c010101020304"
            + "0506070804000000000003e80000000000000007d10000000000000007d20000"
            + "000000000007d30000030104616363740103010161010469636d740102000200"
            + "0103010273330302000101027332010469636d740001026e3102000001027331"
            + "01000000000007d300000001000000000003e800000000000000000000030000"
            + "000007d1000001020304050607080000000007d2000001020304050607080000"
            + "000007d300000102030405060708"
        #expect(Hexadecimal.text(sealed.encoded) == frozen)
        #expect(try SealedEdit(decoding: Hexadecimal.bytes(frozen)) == sealed)
    }

    /// An edit that repeats the increment of a batch, and another one that was reset since.
    private func repeating() throws -> PendingEdit {
        var author = Author(0x0102_0304_0506_0708)
        var record = LocalRecord(mirror: try shared(by: &author))
        let (kept, ended) = (bytes("k"), bytes("e"))
        let counters = [
            kept: CounterChange(increment: CounterTotals(plus: 300, minus: 2)),
            ended: CounterChange(increment: CounterTotals(plus: 5, minus: 0)),
        ]
        record.set([note: bytes("n")], counters: counters, atMilliseconds: 2000)
        _ = try author.seal(&record)
        record.set([:], counters: [ended: CounterChange(reset: .to(7))], atMilliseconds: 2001)
        _ = record.takeApart()
        return try #require(record.edit)
    }

    @Test
    func `an edit that repeats the increments of a batch`() throws {
        let edit = try repeating()
        let frozen =
            "04000001010469636d7401016e00000000000000020000000003e80000010203"
            + "04050607080000000007d0000001020304050607080100000000000007d00002"
            + "016502000000000000000700000000000000000000010000000007d000000102"
            + "03040506070800000000000000010000000007d000000102030405060708016b"
            + "00ac020200000000000000000000000000000000010000000007d00000010203"
            + "0405060708000000000000000007d1000000000000000002"
        #expect(Hexadecimal.text(edit.encoded) == frozen)
        #expect(try PendingEdit(decoding: Hexadecimal.bytes(frozen)) == edit)
        #expect(edit.counters.values.allSatisfy { $0.withdrawn.count == 1 })
    }

    @Test
    func `every bit of an edit that repeats a batch counts`() throws {
        let encoded = try repeating().encoded
        for bit in 0..<encoded.count * 8 {
            var changed = encoded
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Most are refused, which is right.
            if let other = try? PendingEdit(decoding: changed) { #expect(other.encoded == changed) }
        }
        for count in encoded.indices {
            #expect(throws: RecordsError.self) {
                try PendingEdit(decoding: encoded[..<count].map(\.self))
            }
        }
    }
}
