import KSCausality
import KSMerging
import KSRecords
import Testing
import KSWire

/// The effect of writes on their records.
struct RecordMergeTests {
    private var left = Writer(1)
    private var right = Writer(2)

    /// The records after all of these batches, in order.
    private func merge(_ batches: [IncomingBatch]) throws -> RecordMerge {
        var merge = RecordMerge([], after: 0)
        for batch in batches { try merge.take(batch.envelopes) }
        return merge
    }

    @Test
    mutating func `a write drops exactly the siblings it names`() throws {
        let merge = try merge([
            left.seal([PlainWrite()]), right.seal([PlainWrite()]),
            left.seal([PlainWrite(replaced: [left.dot(1)])]),
        ])
        #expect(merge.accepted.last?.dots == [left.dot(2), right.dot(1)])
        #expect(merge.written.map(\.seq) == [3])
    }

    @Test
    mutating func `a tombstone is a sibling like any other`() throws {
        let merge = try merge([
            left.seal([PlainWrite()]),
            right.seal([PlainWrite(replaced: [left.dot(1)], isTombstone: true)]),
            left.seal([PlainWrite(replaced: [left.dot(1)])]),
        ])
        #expect(merge.written[0].siblings.dots == [left.dot(2), right.dot(1)])
        #expect(!merge.written[0].siblings.areAllTombstones)
    }

    @Test
    mutating func `a record written twice is saved once, at its last seq`() throws {
        let writes = [
            PlainWrite(record: .number(1)), PlainWrite(record: .number(2)),
            PlainWrite(record: .number(1), replaced: [left.dot(1)]),
        ]
        let merge = try merge([left.seal(writes)])
        #expect(merge.written.map(\.id) == [.number(2), .number(1)])
        #expect(merge.written.map(\.seq) == [2, 3])
        #expect(merge.accepted.map(\.dots) == [[left.dot(1)], [left.dot(2)], [left.dot(3)]])
        #expect(merge.growthBytes == merge.written.reduce(0) { $0 + $1.siblings.chargedBytes })
    }

    @Test
    mutating func `all writes that cannot be accepted are named at once`() throws {
        var full = RecordMerge([], after: 0)
        for number in 0..<Limits.siblingsMax {
            var writer = Writer(UInt64(100 + number))
            try full.take(try writer.seal([PlainWrite()]).envelopes)
        }
        let dots = full.accepted.last?.dots ?? []
        #expect(dots.count == Limits.siblingsMax)
        let itself = [left.dot(2)]
        let batch = try left.seal([
            PlainWrite(record: .number(1)), PlainWrite(record: .number(2), replaced: itself),
            PlainWrite(record: .number(3)), PlainWrite(record: .number(1)),
        ])
        let refused = [
            RefusedRecord(counter: 1, code: .siblingsFull),
            RefusedRecord(counter: 2, code: .malformed),
            RefusedRecord(counter: 4, code: .siblingsFull),
        ]
        #expect(throws: StoreError.writes(refused)) { try full.take(batch.envelopes) }
        // Joining them makes room.
        try full.take(try right.seal([PlainWrite(replaced: dots)]).envelopes)
        #expect(full.accepted.last?.dots == [right.dot(1)])
    }

    @Test(arguments: [0, 1])
    mutating func `siblings have a limit of bytes together`(excess: Int) throws {
        let half = [UInt8](repeating: 1, count: RecordKind.keyValue.boxBytesMax / 2)
        var merge = RecordMerge([], after: 0)
        var room = Limits.recordBytesMax
        while room >= half.count {
            var writer = Writer(UInt64(100 + room))
            try merge.take(try writer.seal([PlainWrite(box: half, kind: .keyValue)]).envelopes)
            room -= half.count
        }
        let box = [UInt8](repeating: 1, count: room + excess)
        let last = try left.seal([PlainWrite(box: box, kind: .keyValue)]).envelopes
        let full = StoreError.writes([RefusedRecord(counter: 1, code: .siblingsFull)])
        if excess == 0 {
            try merge.take(last)
        } else {
            #expect(throws: full) { try merge.take(last) }
        }
        // Joining them makes room.
        let dots = merge.accepted.last?.dots ?? []
        try merge.take(
            try right.seal([PlainWrite(replaced: dots, box: half, kind: .keyValue)]).envelopes
        )
        #expect(merge.accepted.last?.dots == [right.dot(1)])
    }

    @Test
    mutating func `a deletion of the same size needs no room`() throws {
        let held = try merge([left.seal([PlainWrite()])]).written
        let writer = left
        func needsRoom(_ write: PlainWrite) throws -> Bool {
            var (merge, writer) = (RecordMerge(held, after: 1), writer)
            try merge.take(try writer.seal([write]).envelopes)
            // A record of deletions alone has a small size of its own. Elsewhere the name of what
            // it replaces takes a few bytes.
            #expect(merge.growthBytes > 0 || write.isTombstone)
            return merge.needsRoom
        }
        let replaced = [left.dot(1)]
        #expect(try !needsRoom(PlainWrite(replaced: replaced, isTombstone: true)))
        #expect(try needsRoom(PlainWrite(replaced: replaced, box: [1, 2])))
        #expect(try needsRoom(PlainWrite(record: .number(2))))
    }

    @Test
    func `only batches that grow an account beyond its quota are refused`() {
        // Its records take 100 bytes, its circle 100.
        let account = AccountStanding.with(recordBytes: 100)
        func isTaken(_ growth: Int64, _ bytesMax: UInt64?) -> Bool {
            do throws(StoreError) {
                try account.checkQuota(bytesMax, growth: growth)
                return true
            } catch {
                return false
            }
        }
        #expect(isTaken(50, nil) && isTaken(50, 250) && !isTaken(50, 249))
        // Also if the quota was lowered meanwhile.
        #expect(isTaken(0, 10) && isTaken(-50, 10) && !isTaken(1, 10))
    }
}
