import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// Equal states have equal bytes, and nothing else decodes.
struct CodingTests {
    private func states(seed: UInt64) -> [RecordState] {
        var world = World(seed: seed, forgets: seed % 2 == 1)
        world.run(steps: 60)
        let joined = world.server.map { RecordState.join($0.entries.map(\.value.state)) }
        return joined + world.sealed.flatMap(\.self).suffix(4)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `states and edits survive encoding`(seed: UInt64) throws {
        for state in states(seed: seed) {
            #expect(try RecordState(decoding: state.encoded) == state)
        }
        var world = World(seed: seed, forgets: seed % 2 == 1)
        world.run(steps: 60)
        for copy in world.devices.flatMap(\.copies) {
            if let edit = copy.local.edit {
                #expect(try PendingEdit(decoding: edit.encoded) == edit)
            }
            if let sealed = copy.local.onItsWay {
                #expect(try SealedEdit(decoding: sealed.encoded) == sealed)
            }
        }
    }

    /// Every truncation, every flipped bit, one more byte: refused, or the only encoding of its
    /// value.
    private func checkStrictness<Value>(
        _ encoded: [UInt8],
        decode: ([UInt8]) throws -> Value,
        encode: (Value) -> [UInt8]
    ) {
        for count in encoded.indices {
            #expect(throws: RecordsError.self) { try decode(Array(encoded[..<count])) }
        }
        #expect(throws: RecordsError.self) { try decode(encoded + [0]) }
        for bit in 0..<encoded.count * 8 {
            var changed = encoded
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Most are refused, which is right.
            if let value = try? decode(changed) {
                #expect(encode(value) == changed, "bit \(bit)")
            }
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `whatever state decodes has no other encoding`(seed: UInt64) {
        for state in states(seed: seed).prefix(1) {
            checkStrictness(state.encoded) {
                try RecordState(decoding: $0)
            } encode: {
                $0.encoded
            }
        }
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `whatever edit decodes has no other encoding`(seed: UInt64) {
        var world = World(seed: seed)
        world.run(steps: 60)
        let locals = world.devices.flatMap(\.copies).map(\.local)
        if let edit = locals.lazy.compactMap(\.edit).first {
            checkStrictness(edit.encoded) {
                try PendingEdit(decoding: $0)
            } encode: {
                $0.encoded
            }
        }
        if let sealed = locals.lazy.compactMap(\.onItsWay).first {
            checkStrictness(sealed.encoded) {
                try SealedEdit(decoding: $0)
            } encode: {
                $0.encoded
            }
        }
    }

    @Test
    func `a deletion of an unreadable record survives encoding`() throws {
        var author = Author(1)
        var record = LocalRecord()
        record.delete(atMilliseconds: 2000, isUnreadable: true)
        let edit = try #require(record.edit)
        #expect(try PendingEdit(decoding: edit.encoded) == edit)
        checkStrictness(edit.encoded) {
            try PendingEdit(decoding: $0)
        } encode: {
            $0.encoded
        }
        record.mirror = try shared(by: &author)
        record.completeDeletion(of: try #require(record.mirror), isAll: true)
        #expect(record.edit != edit)
        #expect(try !author.seal(&record).isAlive)
    }

    @Test
    func `a newer format asks for an update`() {
        var encoded = RecordState().encoded
        encoded[0] += 2
        #expect(throws: RecordsError.formatTooNew(format: 3)) { try RecordState(decoding: encoded) }
        encoded[0] = 0
        #expect(throws: RecordsError.malformed) { try RecordState(decoding: encoded) }
    }

    @Test
    func `a state that is too large is refused unread`() {
        let encoded = [UInt8](repeating: 0xFF, count: RecordKind.largestTextBytes + 1)
        #expect(throws: RecordsError.tooLarge) { try RecordState(decoding: encoded) }
        // A count of 2^63 without any elements.
        let count = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F] as [UInt8]
        #expect(throws: RecordsError.malformed) { try RecordState(decoding: [1] + count) }
    }

    @Test
    func `a held stamp that is not in the context is refused`() throws {
        var author = Author(1)
        var encoded = try shared(by: &author).encoded
        // The context's one stamp is the last but for three empty lists; lower its time.
        encoded[encoded.count - 4] = 0
        encoded[encoded.count - 5] = 0
        encoded[encoded.count - 6] = 0
        #expect(throws: RecordsError.malformed) { try RecordState(decoding: encoded) }
    }

    @Test
    func `a newer program's value survives an edit and a join`() throws {
        var (ann, ben) = (Author(1), Author(2))
        let unknown = ValueName(kind: 9, nameBytes: bytes("from the future"))
        var record = LocalRecord(mirror: try shared(by: &ann))
        record.set([unknown: [0, 255, 7]], atMilliseconds: 2000)
        let read = try RecordState(decoding: try ann.push(&record).encoded)
        var onBen = LocalRecord(mirror: read)
        onBen.set([.secret: bytes("s2")], atMilliseconds: 3000)
        let edited = try ben.seal(&onBen)
        #expect(edited.shown(unknown) == [0, 255, 7])
        #expect(edited.joined(with: read).shown(unknown) == [0, 255, 7])
        #expect(edited.shownFields.count == 2)
    }

    @Test
    func `two spellings of one letter are two names`() throws {
        #expect(ValueName.field("\u{E9}") != .field("e\u{301}"))
    }

    @Test
    func `the bytes of format 1 are frozen`() throws {
        var author = Author(0x0102_0304_0506_0708)
        var record = LocalRecord(mirror: try shared(by: &author))
        record.set([.secret: bytes("s2"), note: nil], atMilliseconds: 2000)
        let state = try author.push(&record)
        let hex = state.encoded.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        let frozen =
            "0101010203040506070802000000000003e80000000000000007d00000030104"
            + "616363740100010161010469636d74010100020001010102733202010469636d"
            + "740001026e310200000102733101000000000007d00000000000"
        #expect(hex == frozen)
        #expect(try RecordState(decoding: state.encoded) == state)
    }
}
