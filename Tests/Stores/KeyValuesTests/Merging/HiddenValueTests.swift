import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport
import Testing

/// What an entry keeps and does not show: losers of fields and elements, and replaced values.
struct HiddenValueTests {
    private static let name = EntryName(store: .app, key: "key")

    private func write(
        _ writes: [EntryWrite],
        to record: inout LocalRecord,
        as actor: UInt64
    ) throws {
        var generator = SeededGenerator(seed: actor)
        for write in writes {
            try write.apply(
                to: &record,
                of: Self.name,
                using: &generator
            )
        }
        record.push(as: actor)
    }

    /// What two devices have that both write over the same state.
    private func joined(
        _ start: [EntryWrite],
        _ one: [EntryWrite],
        _ other: [EntryWrite]
    ) throws -> RecordState {
        var first = LocalRecord()
        try write(start, to: &first, as: 1)
        var second = first
        try write(one, to: &first, as: 2)
        try write(other, to: &second, as: 3)
        return try #require(first.mirror).joined(with: #require(second.mirror))
    }

    private struct Part: Equatable {
        let place: ConflictingPart.Place
        let value: PropertyValue

        init(_ place: ConflictingPart.Place, _ value: PropertyValue) {
            (self.place, self.value) = (place, value)
        }
    }

    private func hidden(_ state: RecordState) -> [Part] {
        EntryReading.conflictingParts(of: state).map { Part($0.place, $0.value) }
    }

    @Test
    func `fields that two devices set at the same time have a hidden value each`() throws {
        let state = try joined(
            [.setField("a", .integer(0)), .setField("c", .integer(0))],
            [.setField("b", .integer(1)), .setField("a", .integer(1))],
            [.setField("a", .integer(2)), .setField("b", .integer(1)), .removeField("c")]
        )
        #expect(hidden(state) == [Part(.field("a"), .integer(1))])
        #expect(EntryReading.conflictingValues(of: state).isEmpty)
    }

    @Test
    func `a field that became a register and a counter hides one of them`() throws {
        let start = [EntryWrite.setField("n", .integer(5))]
        let counts = [EntryWrite.incrementField("n", by: 1)]
        let sets = [EntryWrite.setField("n", .string("x"))]
        let set = try joined(start, counts, sets)
        #expect(hidden(set) == [Part(.field("n"), .integer(6))])
        let counted = try joined(start, sets, counts)
        #expect(hidden(counted) == [Part(.field("n"), .string("x"))])
    }

    @Test
    func `an element that two devices set at the same time has a hidden value`() throws {
        let state = try joined(
            [.insertAt(0, [.string("a"), .string("b"), .string("c")])],
            [.setAt(1, .string("B")), .removeAt(0)],
            [.setAt(1, .string("bb")), .setAt(2, .string("C"))]
        )
        #expect(hidden(state) == [Part(.element(0), .string("B"))])
    }

    @Test
    func `values that were replaced are in the history, newest first`() throws {
        var state = try joined(
            [.set(.integer(0), base: nil)],
            [.set(.integer(1), base: nil)],
            [.set(.integer(2), base: nil)]
        )
        #expect(EntryReading.history(of: state).map(\.value) == [.integer(0)])
        #expect(EntryReading.conflictingValues(of: state) == [.integer(1)])
        var record = LocalRecord(mirror: state)
        try write([.set(.integer(3), base: nil)], to: &record, as: 2)
        state = try #require(record.mirror)
        let history = EntryReading.history(of: state)
        #expect(history.map(\.value) == [.integer(2), .integer(1), .integer(0)])
        #expect(history.allSatisfy { $0.milliseconds >= 1000 })
        record.delete(atMilliseconds: 2000)
        #expect(EntryReading.history(of: record.view).isEmpty)
    }

    @Test
    func `other types have no hidden parts`() throws {
        for start in [EntryWrite.increment(by: 1), .insert([.integer(1)])] {
            let state = try joined([start], [start], [start])
            #expect(hidden(state).isEmpty)
            #expect(EntryReading.history(of: state).isEmpty)
        }
    }
}
