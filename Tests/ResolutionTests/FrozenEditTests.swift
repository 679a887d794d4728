import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// The frozen encoding of unsent edits, which every later program must read.
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
            "010301046163637401016100000000000000010000000003e800000102030405"
            + "060708010469636d740000000000000000010000000003e80000010203040506"
            + "070802000102733300000000000000010000000003e800000102030405060708"
            + "00010200027332010100000000000000010000000003e8000001020304050607"
            + "08000000000000000000000000000007d2000000000000000003"
        #expect(Hexadecimal.text(edit.encoded) == frozen)
        #expect(try PendingEdit(decoding: Hexadecimal.bytes(frozen)) == edit)
    }

    @Test
    func `an edit in a batch under way`() throws {
        var author = Author(0x0102_0304_0506_0708)
        var record = try edited(by: &author)
        _ = try author.seal(&record)
        let sealed = try #require(record.onItsWay)
        let frozen =
            "01019a01010301046163637401016100000000000000010000000003e8000001"
            + "02030405060708010469636d740000000000000000010000000003e800000102"
            + "03040506070802000102733300000000000000010000000003e8000001020304"
            + "0506070800010200027332010100000000000000010000000003e80000010203"
            + "0405060708000000000000000000000000000007d20000000000000000030042"
            + "0101010203040506070801000000000003e80000030104616363740100010161"
            + "010469636d74010001026e3102000100010273310001000000000003e8000000"
            + "0000640101010203040506070803000000000003e80000000000000007d20000"
            + "000000000007d30000030104616363740102010161010469636d740102000200"
            + "010201027333020101027332000102733101000000000007d300000001000000"
            + "000003e800000000000000000000020000000007d20000010203040506070800"
            + "00000007d300000102030405060708"
        #expect(Hexadecimal.text(sealed.encoded) == frozen)
        #expect(try SealedEdit(decoding: Hexadecimal.bytes(frozen)) == sealed)
    }

    @Test
    func `what was added to counters is part of an unsent edit`() throws {
        var record = LocalRecord()
        record.add([[1, 2]: CounterTotals(300), [0]: CounterTotals(-2)], atMilliseconds: 1)
        let edit = try #require(record.edit)
        let frozen =
            "0100" + "02010000020201" + "02ac02000000" + "0000000000000001" + "00"
            + "0000000000000001"
        #expect(Hexadecimal.text(edit.encoded) == frozen)
        #expect(try PendingEdit(decoding: edit.encoded) == edit)
    }
}
