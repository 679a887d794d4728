import KSCausality
import KSKeyValues
import KSRecords
import KSResolution
import Testing

/// A key that very many devices have written, or whose author claims so.
struct WriterLimitTests {
    /// A state without values whose author has seen a stamp of each of so many actors.
    private func seen(_ count: Int) throws -> RecordState {
        let actors = (1000..<UInt64(1000 + count)).map { ActorID(rawValue: $0) }
        var encoder = CanonicalEncoder()
        encoder.compactInteger(RecordState.firstFormat)
        encoder.compactList(actors) { $0.integer($1.rawValue) }
        for _ in 0..<3 { encoder.compactInteger(0) }
        encoder.compactList(0..<count) { encoder, place in
            encoder.compactInteger(UInt64(place))
            encoder.integer(1)
        }
        for _ in 0..<3 { encoder.compactInteger(0) }
        return try RecordState(decoding: encoder.encoded, within: .none)
    }

    private func write(_ write: EntryWrite, to record: inout LocalRecord) throws(KeyValueError) {
        guard let store = StoreIdentifier("app") else { return }
        try write.apply(
            to: &record,
            of: EntryName(store: store, key: "k"),
            random: { [UInt8](repeating: 7, count: $0) },
            atMilliseconds: 1000
        )
    }

    /// A key with one value, which so many devices have written.
    private func record(writers count: Int) throws -> LocalRecord {
        var record = LocalRecord()
        try write(.set(.integer(1), base: nil), to: &record)
        record.push(as: 1)
        let value = try #require(record.mirror)
        record.mirror = value.joined(with: try seen(count - 1))
        #expect(record.mirror?.context.count == count)
        return record
    }

    @Test
    func `the last device may write, and the next may read and delete`() throws {
        let max = StateBounds.edited.stampsMax
        var last = try record(writers: max - 1)
        try write(.set(.integer(2), base: nil), to: &last)
        last.push(as: 2)
        #expect(last.mirror?.isWithinBounds == true)

        var full = last
        let refusal = KeyValueError.limitExceeded(.writers, wanted: max + 1, max: max)
        for change in [EntryWrite.set(.integer(3), base: nil), .declare(.counter)] {
            #expect(throws: refusal) { try write(change, to: &full) }
            #expect(full == last)
        }
        #expect(
            refusal.sentence == """
                The limit is 8128 devices that write one key, each of their sign-ins counted; this \
                would be number 8129. Use a new key.
                """
        )
        #expect(EntryReading(full.view)?.value == .integer(2))
        full.delete(atMilliseconds: 2000)
        full.push(as: 3)
        #expect(full.mirror?.isAlive == false)
        #expect(full.mirror?.isWithinBounds == true)
    }
}
