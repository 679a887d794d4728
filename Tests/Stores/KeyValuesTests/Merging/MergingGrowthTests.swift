import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport
import Testing

/// How large the state of an entry gets: as its present elements, whatever was there before.
struct MergingGrowthTests {
    private static let name = EntryName(store: .app, key: "key")
    /// One text of the same size for each number.
    private static func text(_ number: Int) -> PropertyValue { .string("\(100_000 + number)") }

    private var record = LocalRecord()
    private var generator = SeededGenerator(seed: 9)

    /// Writes and sends, as an actor.
    private mutating func write(_ writes: [EntryWrite], as actor: UInt64) throws {
        try write(writes)
        record.push(as: actor)
    }

    private mutating func write(_ writes: [EntryWrite]) throws {
        for write in writes { try write.apply(to: &record, of: Self.name, using: &generator) }
    }

    private var bytes: Int { record.mirror?.encoded.count ?? 0 }

    /// What a device does again and again; the value has the same elements afterwards.
    struct Cycle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let start: [EntryWrite]
        let writes: @Sendable (Int) -> [EntryWrite]
        /// Each actor that ever wrote adds at most so many bytes.
        let bytesForActor: Int
    }

    private static let cycles = [
        Cycle(
            testDescription: "register",
            start: [.set(text(0), base: nil)],
            writes: { [.set(text($0), base: nil)] },
            bytesForActor: 20
        ),
        Cycle(
            testDescription: "maximum",
            start: [.set(.integer(1 << 20), base: nil), .declare(.maximum)],
            writes: { [.set(.integer((1 << 20) + Int64($0)), base: nil)] },
            bytesForActor: 20
        ),
        Cycle(
            testDescription: "counter",
            start: [.increment(by: 1)],
            writes: { $0 % 10 == 0 ? [.reset(to: 5)] : [.increment(by: 1), .increment(by: -1)] },
            bytesForActor: 100
        ),
        Cycle(
            testDescription: "set",
            start: [.insert([.integer(1), .integer(2)])],
            writes: { $0 % 2 == 0 ? [.insert([text($0)])] : [.remove([text($0 - 1)])] },
            bytesForActor: 20
        ),
        Cycle(
            testDescription: "map",
            start: [.setField("a", text(0)), .incrementField("n", by: 1)],
            writes: { number in
                switch number % 4 {
                case 0: [.setField("a", text(number)), .setField("new \(number)", text(number))]
                case 1: [.removeField("new \(number - 1)")]
                case 2: [.removeField("n")]
                default: [.incrementField("n", by: 1)]
                }
            },
            bytesForActor: 100
        ),
        Cycle(
            testDescription: "list",
            start: [.insertAt(0, (1...3).map { .integer($0) })],
            writes: { number in
                switch number % 4 {
                case 0: [.insertAt(1, [text(number)])]
                case 1: [.move(from: 1, to: number / 4 % 2 == 0 ? 0 : 3)]
                case 2: [.setAt(number / 4 % 2 == 0 ? 1 : 2, text(number))]
                default: [.removeAt(number / 4 % 2 == 0 ? 0 : 3)]
                }
            },
            bytesForActor: 20
        ),
    ]

    @Test(arguments: cycles)
    mutating func `a state does not grow by what is gone again`(cycle: Cycle) throws {
        try write(cycle.start, as: 1)
        var early = 0
        for number in 0..<2000 {
            try write(cycle.writes(number), as: 1)
            // The history of a register is full by then.
            if number == 39 { early = bytes }
        }
        // Totals and times are encoded in as few bytes as they need.
        #expect(bytes <= early + 16, "\(early) bytes became \(bytes)")
        let value = EntryReading(record.view)?.value
        #expect(value != nil)
    }

    /// A device without an account, or one that is offline for long.
    @Test(arguments: cycles)
    mutating func `an edit that is not sent does not grow by what is gone again`(
        cycle: Cycle
    ) throws {
        try write(cycle.start)
        var early = 0
        for number in 0..<2000 {
            try write(cycle.writes(number))
            if number == 39 { early = record.edit?.encoded.count ?? 0 }
        }
        let late = record.edit?.encoded.count ?? 0
        #expect(early > 0 && late <= early + 16, "\(early) bytes became \(late)")
    }

    @Test(arguments: cycles)
    mutating func `each device that ever wrote adds a few bytes`(cycle: Cycle) throws {
        try write(cycle.start, as: 1)
        for number in 0..<40 { try write(cycle.writes(number), as: 1) }
        let before = bytes
        for number in 0..<40 { try write(cycle.writes(number), as: 2 + UInt64(number % 10)) }
        let first = bytes
        #expect(first <= before + 10 * cycle.bytesForActor, "\(before) bytes became \(first)")
        for round in 1..<20 {
            for number in 0..<40 {
                try write(cycle.writes(round * 40 + number), as: 2 + UInt64(number % 10))
            }
        }
        #expect(bytes <= first + 40, "\(first) bytes became \(bytes)")
    }

    /// Unlike what is removed elsewhere: an increment may still arrive that this one had not seen.
    @Test
    mutating func `a counter that was removed from a map leaves its totals`() throws {
        try write([.setField("a", .integer(1))], as: 1)
        let before = bytes
        for number in 0..<100 {
            try write([.incrementField("\(100 + number)", by: 1)], as: 1)
            try write([.removeField("\(100 + number)")], as: 1)
        }
        let each = Double(bytes - before) / 100
        #expect(each > 0 && each < 100, "\(each) bytes each")
    }
}
