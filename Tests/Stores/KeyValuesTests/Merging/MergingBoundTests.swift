import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport
import Testing

/// Each bound of the merge types, one below it, at it and one beyond.
struct MergingBoundTests {
    private static let name = EntryName(store: .app, key: "key")

    /// Writes to an entry with limits.
    private struct Writer {
        var record = LocalRecord()
        private var generator = SeededGenerator(seed: 5)

        mutating func write(
            _ write: EntryWrite,
            _ limits: MergeLimits = .none
        ) throws(KeyValueError) {
            try write.apply(
                to: &record,
                of: MergingBoundTests.name,
                limits: limits,
                using: &generator
            )
        }
    }

    /// Expects that a write is refused by a limit of one less than it needs, and by no larger one.
    private func expectBound(
        _ limit: KeyValueError.Limit,
        of wanted: Int,
        _ keyPath: WritableKeyPath<MergeLimits, Int>,
        _ write: EntryWrite,
        over writer: Writer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var limits = MergeLimits()
        for max in wanted...(wanted + 1) {
            limits[keyPath: keyPath] = max
            var fitting = writer
            try fitting.write(write, limits)
            #expect(fitting.record != writer.record, sourceLocation: sourceLocation)
        }
        limits[keyPath: keyPath] = wanted - 1
        var exceeding = writer
        let refusal = KeyValueError.limitExceeded(limit, wanted: wanted, max: wanted - 1)
        #expect(throws: refusal, sourceLocation: sourceLocation) {
            try exceeding.write(write, limits)
        }
        #expect(exceeding.record == writer.record, sourceLocation: sourceLocation)
    }

    private static let values = (0..<4095).map { PropertyValue.integer($0) }

    @Test(arguments: [
        EntryWrite.insert(values), .insertAt(0, values),
        .set(.dictionary(PropertyDictionary(values.enumerated().map { ("\($0)", $1) })), base: nil),
    ])
    func `a set, a list and a map hold 4,096 elements`(write: EntryWrite) throws {
        var writer = Writer()
        let (next, last): (EntryWrite, EntryWrite)
        switch write {
        case .insert: (next, last) = (.insert([.string("x")]), .insert([.string("y")]))
        case .insertAt:
            (next, last) = (.insertAt(4095, [.string("x")]), .insertAt(0, [.string("y")]))
        default:
            try writer.write(.declare(.map))
            // A plain field and one that counts.
            (next, last) = (.incrementField("x", by: 1), .setField("y", .integer(1)))
        }
        try writer.write(write, .standard)
        try writer.write(next, .standard)
        let full = writer.record
        #expect(throws: KeyValueError.limitExceeded(.elements, wanted: 4097, max: 4096)) {
            try writer.write(last, .standard)
        }
        #expect(writer.record == full)
    }

    @Test
    func `what is there already counts as one element`() throws {
        var writer = Writer()
        var limits = MergeLimits()
        limits.elementsMax = 2
        try writer.write(.setField("a", .integer(1)), limits)
        try writer.write(.incrementField("n", by: 1), limits)
        // Both again, and each as what the other was.
        try writer.write(.setField("a", .integer(2)), limits)
        try writer.write(.incrementField("n", by: 1), limits)
        try writer.write(.incrementField("a", by: 1), limits)
        #expect(throws: KeyValueError.limitExceeded(.elements, wanted: 3, max: 2)) {
            try writer.write(.incrementField("b", by: 1), limits)
        }
        try writer.write(.removeField("a"), limits)
        try writer.write(.incrementField("b", by: 1), limits)
    }

    @Test(arguments: [
        [EntryWrite.insert([.integer(1)]), .insert([.string("an element")])],
        [.insertAt(0, [.integer(1)]), .insertAt(1, [.string("an element")])],
        [.insertAt(0, [.integer(1), .integer(2)]), .move(from: 0, to: 1)],
        [.setField("a", .integer(1)), .setField("b", .string("a field"))],
        [.setField("a", .integer(1)), .incrementField("n", by: 1)],
        [.declare(.counter), .increment(by: 1)],
    ])
    func `the bytes of a state are counted exactly`(writes: [EntryWrite]) throws {
        var writer = Writer()
        try writer.write(writes[0])
        var unlimited = writer
        try unlimited.write(writes[1])
        let bytes = unlimited.record.view.encoded.count
        try expectBound(.stateBytes, of: bytes, \.stateBytesMax, writes[1], over: writer)
    }

    @Test
    func `a state may have 256 KiB`() throws {
        func bytes(_ count: Int) throws -> (bytes: Int, write: EntryWrite) {
            var writer = Writer()
            let write = EntryWrite.insert([.data([UInt8](repeating: 1, count: count))])
            try writer.write(write)
            return (writer.record.view.encoded.count, write)
        }
        let max = 256 << 10
        let overhead = try bytes(max - 500).bytes - (max - 500)
        for extra in -1...0 {
            let fitting = try bytes(max - overhead + extra)
            #expect(fitting.bytes == max + extra)
            var writer = Writer()
            try writer.write(fitting.write, .standard)
        }
        var writer = Writer()
        let exceeding = try bytes(max - overhead + 1).write
        #expect(throws: KeyValueError.limitExceeded(.stateBytes, wanted: max + 1, max: max)) {
            try writer.write(exceeding, .standard)
        }
        #expect(writer.record == LocalRecord())
    }

    @Test(arguments: [EntryWrite.increment(by: 1), .incrementField("n", by: 1)])
    func `1,024 actors may change one counter, and these may go on`(write: EntryWrite) throws {
        var writer = Writer()
        for actor in 1...1023 as ClosedRange<UInt64> {
            try writer.write(write, .standard)
            writer.record.push(as: actor)
        }
        try expectBound(.counterActors, of: 1024, \.counterActorsMax, write, over: writer)
        try writer.write(write, .standard)
        writer.record.push(as: 1024)
        let full = writer.record
        #expect(throws: KeyValueError.limitExceeded(.counterActors, wanted: 1025, max: 1024)) {
            try writer.write(write, .standard)
        }
        #expect(writer.record == full)
        #expect(
            KeyValueError.limitExceeded(.counterActors, wanted: 1025, max: 1024).sentence == """
                The limit is 1024 devices that change one counter; this one would be number 1025. \
                Count with a new key.
                """
        )
        // A reset adds no actor.
        if write == .increment(by: 1) {
            var resetting = writer
            try resetting.write(.reset(to: 5), .standard)
            #expect(EntryReading(resetting.record.view)?.value == .integer(5))
        }
        // Nor does a device that counts already, if it knows who it is.
        var limits = MergeLimits()
        limits.ownActor = ActorID(rawValue: 1025)
        #expect(throws: KeyValueError.limitExceeded(.counterActors, wanted: 1025, max: 1024)) {
            try writer.write(write, limits)
        }
        limits.ownActor = ActorID(rawValue: 7)
        try writer.write(write, limits)
        writer.record.push(as: 7)
        let value = EntryReading(writer.record.view)?.value
        let counted = PropertyValue.integer(1025)
        let map = PropertyValue.dictionary(PropertyDictionary([("n", counted)]))
        #expect(value == (write == .increment(by: 1) ? counted : map))
    }

    @Test
    func `a list's positions have exactly as many bytes as they may`() throws {
        var random = SeededGenerator(seed: 11)
        var record = LocalRecord()
        func apply(_ edit: EntryEdit) throws {
            try record.apply(edit, as: .list, limits: .none, atMilliseconds: 1000)
        }
        try apply(MergedList(record.view).insert([[1], [2]], at: 0, using: &random))
        var unlimited = MergeLimits.none
        unlimited.positionBytesMax = .max
        var lengths: Set<Int> = []
        while !lengths.contains(65) {
            let list = MergedList(record.view)
            func inserted(_ limits: MergeLimits) throws(KeyValueError) -> EntryEdit {
                var same = random
                return try list.insert([[3]], at: 1, limits: limits, using: &same)
            }
            let edit = try inserted(unlimited)
            try apply(edit)
            let length = MergedList(record.view).elements[1].position.count
            if lengths.insert(length).inserted {
                var limits = MergeLimits()
                for max in [length, length + 1] {
                    limits.positionBytesMax = max
                    #expect(try inserted(limits) == edit)
                }
                limits.positionBytesMax = length - 1
                let refusal = KeyValueError.limitExceeded(
                    .positionBytes,
                    wanted: length,
                    max: length - 1
                )
                #expect(throws: refusal) { try inserted(limits) }
            }
            _ = random.next()
        }
        #expect(lengths.isSuperset(of: [63, 64, 65]))
    }
}
