import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport
import Testing

/// Entries of a newer program, with a type or a value that this program does not know.
struct NewerEntryTests {
    private static let name = EntryName(store: .app, key: "key")
    /// No encoding of this program begins with this byte.
    private static let newer: [UInt8] = [99, 1, 2]

    /// What a newer program may have done to an entry.
    enum Novelty: CaseIterable {
        case type, longType, registerValue, maximumValue, hiddenMinimum, element, field, listElement
    }

    private var random = SeededGenerator(seed: 5)

    private mutating func write(_ write: EntryWrite, _ record: inout LocalRecord) throws {
        try write.apply(
            to: &record,
            of: Self.name,
            using: &random
        )
    }

    /// An entry as another device has sent it.
    private mutating func entry(_ novelty: Novelty) throws -> LocalRecord {
        var record = LocalRecord()
        switch novelty {
        case .type, .longType:
            try write(.increment(by: 3), &record)
            record.set([.field("type"): novelty == .type ? [200] : [1, 1]], atMilliseconds: 1000)
        case .registerValue:
            try write(.set(.integer(1), base: nil), &record)
            record.set([.secret: Self.newer], atMilliseconds: 1000)
        case .maximumValue:
            try write(.set(.integer(1), base: nil), &record)
            try write(.declare(.maximum), &record)
            record.set([.secret: Self.newer], atMilliseconds: 1000)
        case .hiddenMinimum:
            // Two devices set a minimum at the same time, one of them to a newer kind of number.
            try write(.set(.integer(1), base: nil), &record)
            try write(.declare(.minimum), &record)
            record.push(as: 1)
            var other = record
            other.set([.secret: Self.newer], atMilliseconds: 1001)
            other.push(as: 2)
            try write(.set(.integer(0), base: nil), &record)
            record.push(as: 3)
            record.mirror = try #require(record.mirror).joined(with: #require(other.mirror))
        case .element:
            try write(.insert([.integer(1)]), &record)
            try record.apply(MergedSet.add([Self.newer]), as: .set, atMilliseconds: 1000)
        case .field:
            try write(.setField("known", .integer(1)), &record)
            let edit = MergedMap(record.view).set(Array("new".utf8), to: Self.newer)
            try record.apply(edit, as: .map, atMilliseconds: 1000)
        case .listElement:
            try write(.insertAt(0, [.integer(1)]), &record)
            let list = MergedList(record.view)
            let edit = try list.insert([Self.newer], at: 0, using: &random)
            try record.apply(edit, as: .list, atMilliseconds: 1000)
        }
        if record.mirror == nil { record.push(as: 1) }
        return record
    }

    private static let writes: [EntryWrite] = [
        .set(.integer(1), base: nil), .set(.array([]), base: .array([])),
        .set(.dictionary(PropertyDictionary()), base: nil), .declare(.register),
        .declare(.counter), .declare(.maximum), .declare(.list), .increment(by: 1), .reset(to: 0),
        .insert([.integer(2)]), .remove([.integer(1)]), .setField("known", .integer(2)),
        .incrementField("known", by: 1), .removeField("new"), .insertAt(0, [.integer(2)]),
        .setAt(0, .integer(2)), .removeAt(0), .move(from: 0, to: 0),
    ]

    @Test(arguments: Novelty.allCases)
    func `it is there, and neither read nor changed`(novelty: Novelty) throws {
        var test = NewerEntryTests()
        var record = try test.entry(novelty)
        let reading = try #require(EntryReading(record.view))
        #expect(reading.isAlive && reading.type == nil && reading.value == nil)
        #expect(reading.key == "key" && reading.store == "app")
        let before = record
        for write in Self.writes {
            #expect(throws: KeyValueError.newerType, "\(write)") {
                try test.write(write, &record)
            }
            #expect(record == before, "\(write)")
        }
    }

    @Test(arguments: Novelty.allCases)
    func `it is passed on byte for byte`(novelty: Novelty) throws {
        var test = NewerEntryTests()
        var record = try test.entry(novelty)
        let bytes = try #require(record.mirror).encoded
        // What a device sends that writes a record of many versions back.
        let sent = record.seal(isRewrite: true) { _, _ in
            Issue.record("it made a stamp")
            return Stamp(time: HybridTime(rawValue: 1), actor: ActorID(rawValue: 1))
        }
        #expect(sent?.state.encoded == bytes)
        #expect(try RecordState(decoding: bytes).encoded == bytes)
    }

    @Test(arguments: Novelty.allCases)
    func `it can be deleted, and a key of this program takes its place`(novelty: Novelty) throws {
        var test = NewerEntryTests()
        var record = try test.entry(novelty)
        record.delete(atMilliseconds: 2000)
        #expect(EntryReading(record.view)?.isAlive != true)
        try test.write(.set(.string("mine"), base: nil), &record)
        let reading = try #require(EntryReading(record.view))
        #expect(reading.type == .register && reading.value == .string("mine"))
    }

    @Test
    func `a newer value that is not shown hides no other`() throws {
        var test = NewerEntryTests()
        var record = LocalRecord()
        try test.write(.set(.integer(1), base: nil), &record)
        record.push(as: 1)
        var other = record
        other.set([.secret: Self.newer], atMilliseconds: 1001)
        other.push(as: 2)
        try test.write(.set(.integer(2), base: nil), &record)
        record.push(as: 3)
        let joined = try #require(record.mirror).joined(with: #require(other.mirror))
        let shown = try #require(EntryReading(joined))
        #expect(shown.value == .integer(2) && shown.type == .register)
        #expect(EntryReading.conflictingValues(of: joined).isEmpty)
    }
}
