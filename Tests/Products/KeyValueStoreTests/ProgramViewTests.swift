import KSKeyValues
import Testing

import KeyValueStore

/// Writes of a program that has read something else than memory shows by now.
struct ProgramViewTests {
    private var memory = Self.newMemory

    /// Elements of a list need different random numbers.
    private static var newMemory: StoreMemory {
        StoreMemory { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }
    }

    private mutating func write(_ writes: EntryWrite...) throws {
        try memory.write(writes.map { KeyWrite(key: "k", .write($0)) })
    }

    private mutating func set(_ value: PropertyValue) throws {
        try write(.set(value, base: nil))
    }

    /// What the daemon reports of the key; nil for no value.
    private mutating func report(_ value: PropertyValue?, _ type: MergeType) {
        let entry = value.map {
            ConfirmedEntry(entry: EntryPreview(type: type, value: $0), changedMilliseconds: 5)
        }
        _ = memory.update(["k"], entry.map { ["k": $0] } ?? [:])
    }

    private mutating func settle(refused: Set<Int> = []) {
        _ = memory.takeWrites(atMost: 100)
        _ = memory.settle(refused: refused, isAtomic: false, merged: [:], atMilliseconds: 9)
    }

    private var shown: PropertyValue? { memory.entry("k")?.value }

    private func texts(_ texts: String) -> PropertyValue {
        .array(texts.map { .string(String($0)) })
    }

    @Test
    mutating func `a plain set of a counter adds the difference from what was read`() throws {
        report(.integer(4), .counter)
        #expect(memory.read("k")?.value == .integer(4))
        report(.integer(9), .counter)
        try set(.integer(5))
        #expect(shown == .integer(10))
        #expect(
            memory.takeWrites(atMost: 1).writes
                == [KeyWrite(key: "k", .write(.set(.integer(5), base: .integer(4))))]
        )
        // The program knows what it wrote.
        try set(.integer(6))
        #expect(shown == .integer(11))
        report(.integer(20), .counter)
        #expect(shown == .integer(22))
        try set(.integer(7))
        #expect(shown == .integer(23))
        #expect(memory.read("k")?.value == .integer(23))
        try set(.integer(24))
        #expect(shown == .integer(24))
    }

    @Test
    mutating func `a program that has read nothing means the difference from what memory shows`()
        throws
    {
        report(.integer(4), .counter)
        report(.integer(9), .counter)
        try set(.integer(5))
        #expect(shown == .integer(5))
        report(.integer(20), .counter)
        try set(.integer(6))
        #expect(shown == .integer(17))
    }

    @Test
    mutating func `two writes of one key in a transaction add their own differences`() throws {
        report(.integer(4), .counter)
        _ = memory.read("k")
        report(.integer(9), .counter)
        try write(.set(.integer(5), base: nil), .set(.integer(6), base: nil))
        #expect(shown == .integer(11))
        try memory.write([
            KeyWrite(key: "new", .write(.set(.integer(1), base: nil))),
            KeyWrite(key: "new", .delete),
        ])
        #expect(memory.entry("new") == nil)
    }

    @Test
    mutating func `an increment is added to what the program knows`() throws {
        report(.integer(4), .counter)
        _ = memory.read("k")
        report(.integer(9), .counter)
        try write(.increment(by: 2))
        #expect(shown == .integer(11))
        try set(.integer(7))
        #expect(shown == .integer(12))
    }

    @Test
    mutating func `an old set written back removes nothing that came since`() throws {
        report(texts("ab"), .set)
        _ = memory.read("k")
        report(texts("abx"), .set)
        try set(texts("bc"))
        #expect(shown == texts("bcx"))
        try set(texts("cd"))
        #expect(shown == texts("cdx"))
    }

    @Test
    mutating func `an old list written back removes nothing that came since`() throws {
        report(texts("abc"), .list)
        _ = memory.read("k")
        report(texts("xabyc"), .list)
        try set(texts("acd"))
        #expect(shown == texts("xaycd"))
        try set(texts("ac"))
        #expect(shown == texts("xayc"))
    }

    @Test
    mutating func `an old map written back keeps the fields that came since`() throws {
        func map(_ fields: (key: String, value: PropertyValue)...) -> PropertyValue {
            .dictionary(PropertyDictionary(fields))
        }
        report(map(("a", .string("old")), ("c", .bool(true))), .map)
        _ = memory.read("k")
        let newer: [(key: String, value: PropertyValue)] = [
            ("a", .string("new")), ("b", .string("theirs")),
        ]
        report(.dictionary(PropertyDictionary(newer + [("c", .bool(true))])), .map)
        // The field `a`, which is not in the written value, has a newer one than was read.
        try set(map(("d", .integer(1))))
        #expect(shown == .dictionary(PropertyDictionary(newer + [("d", .integer(1))])))
        // It knows that `a` is gone, and removes it by its name.
        try write(.removeField("a"))
        #expect(shown == map(("b", .string("theirs")), ("d", .integer(1))))
    }

    @Test
    mutating func `a field that another device has set since is not removed`() throws {
        func field(_ text: String) -> PropertyValue {
            .dictionary(PropertyDictionary([("a", .string(text))]))
        }
        report(field("old"), .map)
        _ = memory.read("k")
        report(field("new"), .map)
        try write(.removeField("a"))
        #expect(shown == field("new"))
    }

    @Test(arguments: [false, true])
    mutating func `a key without a value is read as 0, and what comes later stays`(
        readsAll: Bool
    ) throws {
        if readsAll { _ = memory.readAll() } else { #expect(memory.read("k") == nil) }
        report(.integer(9), .counter)
        try set(.integer(1))
        #expect(shown == .integer(10))
    }

    @Test
    mutating func `a write of a key without a value means the difference from nothing`() throws {
        try set(.integer(1))
        // The daemon may have a counter by now, whose report is on its way.
        #expect(
            memory.takeWrites(atMost: 1).writes
                == [KeyWrite(key: "k", .write(.set(.integer(1), base: .integer(0))))]
        )
    }

    @Test
    mutating func `a default value that was read is what a write means the difference from`()
        throws
    {
        #expect(memory.read("k", default: .integer(5)) == nil)
        report(.integer(9), .counter)
        try set(.integer(6))
        #expect(shown == .integer(10))
    }

    @Test
    mutating func `a key that goes and comes back is still what the program read`() throws {
        report(.integer(4), .counter)
        _ = memory.read("k")
        report(nil, .counter)
        report(.integer(1), .counter)
        try set(.integer(5))
        #expect(shown == .integer(2))
        try memory.write([KeyWrite(key: "k", .delete)])
        settle()
        report(.integer(3), .counter)
        try set(.integer(1))
        #expect(shown == .integer(4))
    }

    @Test
    mutating func `a refused write is undone, and the next one means its own difference`() throws {
        report(.integer(4), .counter)
        _ = memory.read("k")
        try set(.integer(5))
        settle(refused: [0])
        #expect(shown == .integer(4))
        try set(.integer(6))
        #expect(shown == .integer(5))
    }

    @Test
    mutating func `of keys without a value it remembers as many as a store may have`() throws {
        memory.limits.keysMax = 2
        for key in ["a", "b", "k"] as [StoreKey] { #expect(memory.read(key) == nil) }
        report(.integer(9), .counter)
        try set(.integer(1))
        #expect(shown == .integer(1))
    }

    // MARK: Lists

    @Test
    mutating func `an index means the list that was read`() throws {
        report(texts("ab"), .list)
        _ = memory.read("k")
        report(texts("xab"), .list)
        try write(.removeAt(.index(0)))
        #expect(shown == texts("xb"))
        // The program's list is b.
        #expect(throws: RefusedWrite.self) { try write(.removeAt(.index(1))) }
        try write(.insertAt(.index(1), [.string("c")]))
        #expect(shown == texts("xbc"))
        try write(.move(from: .index(1), to: .index(0)))
        #expect(shown == texts("xcb"))
        try write(.setAt(.index(1), .string("B")))
        #expect(shown == texts("xcB"))
    }

    @Test
    mutating func `a write under way does the same to the list that arrives`() throws {
        report(texts("ab"), .list)
        _ = memory.read("k")
        try write(.removeAt(.index(0)))
        #expect(shown == texts("b"))
        report(texts("xab"), .list)
        #expect(shown == texts("xb"))
        try write(.append([.string("c")]))
        report(texts("a"), .list)
        #expect(shown == texts("c"))
        report(texts("b"), .list)
        #expect(shown == texts("bc"))
    }

    @Test
    mutating func `an element that another device removed is removed again without an error`()
        throws
    {
        report(texts("ab"), .list)
        _ = memory.read("k")
        report(texts("b"), .list)
        try write(.removeAt(.index(0)))
        #expect(shown == texts("b"))
        // The program's list is b, and others have deleted the key.
        report(nil, .list)
        try write(.removeAt(.index(0)))
        #expect(shown == nil)
    }

    @Test
    mutating func `a counter in a map gets the difference from what was read`() throws {
        func fields(_ number: Int64) -> PropertyValue {
            .dictionary(PropertyDictionary([("n", .integer(number))]))
        }
        try write(.incrementField("n", by: 4))
        settle()
        _ = memory.read("k")
        let base = try KeyWrite(decoding: sent(.setField("n", .integer(5))).encoded)
        #expect(base.action == .write(.setField("n", .integer(5), base: .integer(4))))
        #expect(shown == fields(5))
    }

    /// Writes, and returns what goes to the daemon.
    private mutating func sent(_ entryWrite: EntryWrite) throws -> KeyWrite {
        try write(entryWrite)
        return try #require(memory.takeWrites(atMost: 1).writes.first)
    }
}
