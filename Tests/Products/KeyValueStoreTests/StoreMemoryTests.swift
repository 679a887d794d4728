import KSKeyValues
import KSTestSupport
import Testing

import KeyValueStore

/// The values that a process shows while its writes are under way.
struct StoreMemoryTests {
    private var memory = StoreMemory { [UInt8](repeating: 7, count: $0) }

    private func confirmed(
        _ value: PropertyValue,
        _ type: MergeType = .register
    ) -> ConfirmedEntry {
        ConfirmedEntry(entry: EntryPreview(type: type, value: value), changedMilliseconds: 5)
    }

    private mutating func set(_ key: String, _ value: PropertyValue) throws {
        try memory.write([KeyWrite(key: key, .write(.set(value, base: nil)))])
    }

    private mutating func settle(
        refused: Set<Int> = [],
        isAtomic: Bool = false,
        merged: [StoreKey: ConfirmedEntry] = [:]
    ) -> [String] {
        memory.settle(refused: refused, isAtomic: isAtomic, merged: merged, atMilliseconds: 9)
    }

    @Test
    mutating func `a write is visible at once, until a newer value arrives`() throws {
        #expect(memory.load(["a": confirmed(.integer(1))]) == ["a"])
        try set("a", .integer(2))
        #expect(memory.entry(StoreKey("a"))?.value == .integer(2))
        // The daemon's value from before the write does not hide it.
        #expect(memory.update(["a"], ["a": confirmed(.integer(1))]).isEmpty)
        #expect(memory.takeWrites(atMost: 10).writes.count == 1)
        #expect(memory.settledWrite == 0)
        #expect(settle().isEmpty)
        #expect(
            memory.settledWrite == 1 && memory.confirmed(StoreKey("a"))?.changedMilliseconds == 9
        )
        #expect(memory.update(["a"], ["a": confirmed(.integer(3))]) == ["a"])
        #expect(memory.update(["a"], [:]) == ["a"])
        #expect(memory.keys.isEmpty)
    }

    @Test
    mutating func `increments under way add to those of others`() throws {
        _ = memory.load(["n": confirmed(.integer(10), .counter)])
        try memory.write([KeyWrite(key: "n", .write(.increment(by: 1)))])
        try memory.write([KeyWrite(key: "n", .write(.set(.integer(14), base: .integer(11))))])
        #expect(memory.entry(StoreKey("n"))?.value == .integer(14))
        #expect(memory.update(["n"], ["n": confirmed(.integer(30), .counter)]) == ["n"])
        #expect(memory.entry(StoreKey("n"))?.value == .integer(34))
        _ = memory.takeWrites(atMost: 1)
        try memory.write([KeyWrite(key: "n", .write(.increment(by: 5)))])
        _ = settle(merged: ["n": confirmed(.integer(31), .counter)])
        #expect(memory.entry(StoreKey("n"))?.value == .integer(39))
    }

    /// A locked device, or one without a daemon, has told nothing yet.
    @Test
    mutating func `a key is removed even if it is not known yet`() throws {
        let removal = KeyWrite(key: "a", .delete)
        try memory.write([removal])
        #expect(memory.takeWrites(atMost: 9).writes.count == 1)
        memory.returnWrites()
        // One that waits already is not repeated.
        try memory.write([removal, KeyWrite(key: "b", .write(.set(.integer(1), base: nil)))])
        #expect(memory.takeWrites(atMost: 9).writes.map(\.key) == ["a", "b"])
        memory.returnWrites()
        #expect(memory.load(["a": confirmed(.integer(1))]).isEmpty)
        #expect(memory.keys == ["b"])
        _ = memory.takeWrites(atMost: 9)
        _ = settle()
        #expect(memory.keys == ["b"])
        // Memory is loaded now, and shows no value of the key.
        try memory.write([removal])
        #expect(memory.takeWrites(atMost: 9).writes.isEmpty)
    }

    @Test
    mutating func `a call has as many writes as fit, and one at least`() throws {
        for key in ["a", "b", "c", "d"] { try set(key, .data([UInt8](repeating: 1, count: 100))) }
        var sizes: [Int] = []
        while memory.settledWrite < 4 {
            let count = memory.takeWrites(atMost: 9).encoded(bytesMax: 250).count
            memory.returnWrites(after: count)
            sizes.append(count)
            _ = settle()
        }
        #expect(sizes == [2, 2])
        try set("e", .data([UInt8](repeating: 1, count: 1000)))
        #expect(memory.takeWrites(atMost: 9).encoded(bytesMax: 250).count == 1)
    }

    /// Merging may have made it so large.
    @Test
    mutating func `a set with too many elements can shrink, and not grow`() throws {
        let elements = (0..<5000).map { PropertyValue.integer($0) }
        _ = memory.load(["s": confirmed(.array(elements), .set)])
        try memory.write([KeyWrite(key: "s", .write(.remove([.integer(7)])))])
        let shown = memory.entry(StoreKey("s"))?.value
        guard case .array(let left)? = shown else {
            Issue.record("\(String(describing: shown))")
            return
        }
        #expect(left.count == 4999 && !left.contains(.integer(7)))
        #expect(throws: RefusedWrite.self) {
            try memory.write([KeyWrite(key: "s", .write(.insert([.integer(-1), .integer(-2)])))])
        }
    }

    @Test
    mutating func `a refused write is undone, and those after it stay`() throws {
        _ = memory.load(["a": confirmed(.integer(1))])
        try set("a", .integer(2))
        try set("b", .integer(3))
        _ = memory.takeWrites(atMost: 10)
        #expect(settle(refused: [0]) == ["a"])
        #expect(memory.entry(StoreKey("a"))?.value == .integer(1))
        #expect(memory.entry(StoreKey("b"))?.value == .integer(3))
    }

    @Test
    mutating func `writes of a transaction go in one call of their own, or not at all`() throws {
        try set("a", .integer(1))
        let two = ["b", "c"].map { KeyWrite(key: $0, .write(.set(.integer(2), base: nil))) }
        try memory.write(two)
        try set("d", .integer(3))
        var taken = memory.takeWrites(atMost: 1)
        #expect(taken.writes.map(\.key) == ["a"] && !taken.isAtomic)
        _ = settle()
        taken = memory.takeWrites(atMost: 1)
        #expect(taken.writes.map(\.key) == ["b", "c"] && taken.isAtomic)
        #expect(settle(refused: [1], isAtomic: true) == ["b", "c"])
        #expect(memory.keys == ["a", "d"] || memory.keys == ["d", "a"])
        let wrong = [two[0], KeyWrite(key: "a", .write(.insert([.integer(1)])))]
        #expect(throws: RefusedWrite.self) { try memory.write(wrong) }
        #expect(memory.entry(StoreKey("b")) == nil)
    }

    @Test
    mutating func `a call that failed is made again with the same writes`() throws {
        try set("a", .integer(1))
        let first = memory.takeWrites(atMost: 10)
        #expect(!memory.hasUnsentWrites)
        memory.returnWrites()
        #expect(memory.hasUnsentWrites)
        #expect(memory.takeWrites(atMost: 10).writes == first.writes)
    }

    @Test(arguments: [-1, 0, 1])
    mutating func `limits are checked at the write`(excess: Int) throws {
        memory.limits.keysMax = 3
        memory.limits.keyUnitsMax = 4
        memory.limits.storeBytesMax = 100
        for key in 0..<2 + excess { try set("\(key)", .integer(0)) }
        func isRefused(_ key: String, _ value: PropertyValue) -> Bool {
            var copy = memory
            do throws(RefusedWrite) {
                try copy.write([KeyWrite(key: key, .write(.set(value, base: nil)))])
                return false
            } catch {
                return true
            }
        }
        #expect(isRefused("next", .integer(0)) == (excess > 0))
        #expect(isRefused(String(repeating: "k", count: 4 + excess), .bool(true)) == (excess > 0))
        memory.limits.keysMax = 100
        let used = (2 + excess) * PropertyValue.integer(0).encoded.count
        let frame = PropertyValue.data([]).encoded.count
        let room = [UInt8](repeating: 1, count: 100 - used - frame + excess)
        #expect(isRefused("x", .data(room)) == (excess > 0))
    }

    @Test
    mutating func `changes made while the process was away are found`() throws {
        _ = memory.load(["a": confirmed(.integer(1)), "b": confirmed(.integer(2))])
        try set("c", .integer(3))
        let now: [StoreKey: ConfirmedEntry] = [
            "a": confirmed(.integer(1)), "d": confirmed(.integer(4)),
        ]
        #expect(memory.load(now).sorted() == ["b", "d"])
        #expect(memory.keys.sorted() == ["a", "c", "d"])
    }

    @Test
    mutating func `two spellings of a letter are two keys`() throws {
        try set("\u{E9}", .integer(1))
        try set("e\u{301}", .integer(2))
        #expect(memory.entry(StoreKey("\u{E9}"))?.value == .integer(1))
        #expect(memory.keys.count == 2)
        // The daemon reports both, each with its own value.
        let both: [StoreKey: ConfirmedEntry] = [
            "\u{E9}": confirmed(.integer(3)), "e\u{301}": confirmed(.integer(4)),
        ]
        var other = StoreMemory { [UInt8](repeating: 7, count: $0) }
        #expect(other.load(both).count == 2)
        #expect(other.entry(StoreKey("\u{E9}"))?.value == .integer(3))
        #expect(other.entry(StoreKey("e\u{301}"))?.value == .integer(4))
        #expect(other.update(["\u{E9}"], [:]).count == 1)
        #expect(other.keys.map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
    }
}

extension StoreKey: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}
