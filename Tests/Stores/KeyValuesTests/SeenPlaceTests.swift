import KSKeyValues
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// Writes to a list that others have changed since the program read it.
struct SeenPlaceTests {
    private static let name = EntryName(store: .app, key: "key")
    private var record = LocalRecord()
    private var random = SeededGenerator(seed: 5)

    private mutating func apply(_ write: EntryWrite) throws {
        var copy = random
        try write.apply(
            to: &record,
            of: Self.name,
            random: { count in (0..<count).map { _ in .random(in: 0 ... .max, using: &copy) } },
            atMilliseconds: 1000
        )
        random = copy
    }

    private static func texts(_ texts: String) -> [PropertyValue] {
        texts.map { .string(String($0)) }
    }

    /// A place of a list with these elements.
    private static func seen(_ index: Int, _ elements: String) -> ListPlace {
        .seen(SeenPlace(index, in: texts(elements).map(\.encoded)))
    }

    private var shown: String? {
        guard case .array(let elements)? = EntryReading(record.view)?.value else { return nil }
        return elements.map { element in
            if case .string(let text) = element { text } else { "?" }
        }.joined()
    }

    /// What a write makes of a list.
    private func result(of write: EntryWrite, on elements: String) throws -> String? {
        var test = SeenPlaceTests()
        if !elements.isEmpty { try test.apply(.append(Self.texts(elements))) }
        try test.apply(write)
        return test.shown
    }

    @Test(arguments: [
        // The element that was read goes, wherever it is now.
        (0, "ab", "xab", "xb"), (0, "abc", "bca", "bc"), (2, "abc", "c", ""),
        // One that was removed or replaced is not removed again.
        (0, "ab", "b", "b"), (0, "ab", "xb", "xb"), (1, "ab", "", nil),
        // The right one of equal elements, if there are as many as before, or more.
        (2, "aba", "xaba", "xab"), (0, "aba", "xaba", "xba"), (1, "bab", "abab", "abb"),
        (0, "ab", "aab", "ab"),
        // Of fewer, only one that is beside the same elements.
        (2, "aba", "ab", "ab"), (2, "aba", "ba", "b"), (1, "aa", "a", "a"),
    ])
    func `a removal takes the element that was read, or none`(
        index: Int,
        read: String,
        now: String,
        result: String?
    ) throws {
        #expect(try self.result(of: .removeAt(Self.seen(index, read)), on: now) == result)
    }

    @Test(arguments: [
        (1, "ab", "axb", "aNxb"), (1, "ab", "xab", "xaNb"), (0, "ab", "xab", "xNab"),
        (2, "ab", "abx", "abNx"), (0, "", "xy", "xyN"), (0, "ab", "x", "Nx"),
        // Beside the nearest neighbor that is left.
        (2, "abcd", "ad", "aNd"), (2, "abcd", "xa", "xaN"), (2, "abcd", "dx", "Ndx"),
        (1, "ab", "xyz", "xNyz"), (2, "ab", "xyz", "xyzN"), (3, "abcd", "", "N"),
    ])
    func `an insertion goes beside its neighbors, and never fails`(
        index: Int,
        read: String,
        now: String,
        result: String
    ) throws {
        let write = EntryWrite.insertAt(Self.seen(index, read), Self.texts("N"))
        #expect(try self.result(of: write, on: now) == result)
    }

    @Test(arguments: [
        (0, "ab", "xab", "xNb"), (1, "abc", "acb", "acN"),
        // What another device removed is there again, and what it wrote stays.
        (1, "abc", "ac", "aNc"), (1, "abc", "axc", "aNxc"), (0, "a", "", "N"),
    ])
    func `an edit sets the element that was read, or comes beside what is there`(
        index: Int,
        read: String,
        now: String,
        result: String
    ) throws {
        let write = EntryWrite.setAt(Self.seen(index, read), .string("N"))
        #expect(try self.result(of: write, on: now) == result)
    }

    @Test(arguments: [
        (0, "abc", 2, "xabc", "xbca"), (2, "abc", 0, "xabc", "xcab"), (0, "abc", 1, "bac", "bac"),
        (0, "abc", 2, "bc", "bc"), (1, "abc", 0, "bca", "cba"), (0, "ab", 1, "", nil),
    ])
    func `a move takes the element that was read, or none`(
        index: Int,
        read: String,
        target: Int,
        now: String,
        result: String?
    ) throws {
        var others = read
        others.remove(at: read.index(read.startIndex, offsetBy: index))
        let write = EntryWrite.move(from: Self.seen(index, read), to: Self.seen(target, others))
        #expect(try self.result(of: write, on: now) == result)
    }

    /// The bytes of a call may hold any index.
    @Test(arguments: [Int.min, Int.min + 1, Int.max - 1, Int.max, -1])
    func `a place far outside is the nearest place`(index: Int) throws {
        let seen = SeenPlace(1, in: Self.texts("abc").map(\.encoded))
        // The list has more equal elements than the program saw: the index decides.
        let place = ListPlace.seen(
            SeenPlace(index: index, element: seen.element, before: seen.before, after: seen.after)
        )
        let isAtEnd = index > 0
        for now in ["abcabc", "aabbcc", "xyz", ""] {
            let key = KeyWrite(key: "k", .write(.insertAt(place, Self.texts("N"))))
            let decoded = try KeyWrite(decoding: key.encoded)
            #expect(decoded == key)
            let shown = try result(of: .insertAt(place, Self.texts("N")), on: now)
            #expect(shown?.filter { $0 != "N" } == now)
            if now == "abcabc" { #expect(shown == (isAtEnd ? "abcaNbc" : "aNbcabc")) }
            for write in [
                EntryWrite.setAt(place, .string("N")), .removeAt(place),
                .move(from: place, to: place), .move(from: Self.seen(0, "abc"), to: place),
            ] {
                _ = try result(of: write, on: now)
            }
        }
        let bare = ListPlace.seen(SeenPlace(index: index, element: nil, before: [], after: []))
        #expect(try result(of: .insertAt(bare, Self.texts("N")), on: "ab") == "abN")
        let outside = EntryWrite.insertAt(.index(index), Self.texts("N"))
        #expect(throws: KeyValueError.noSuchPlace(index, count: 2)) {
            _ = try result(of: outside, on: "ab")
        }
    }

    @Test
    func `a place with more neighbors than a program sends is refused`() throws {
        let seen = SeenPlace(5, in: Self.texts("abcdefghij").map(\.encoded))
        for (before, after) in [
            (seen.before + seen.before, seen.after), ([], seen.after + seen.after),
        ] {
            let place = SeenPlace(index: 5, element: seen.element, before: before, after: after)
            let write = KeyWrite(key: "k", .write(.removeAt(.seen(place))))
            #expect(throws: RecordsError.malformed) { try KeyWrite(decoding: write.encoded) }
        }
    }

    @Test
    func `what is appended is at the end, whatever the list has lost`() throws {
        #expect(try result(of: .append(Self.texts("N")), on: "a") == "aN")
        #expect(try result(of: .append(Self.texts("NO")), on: "") == "NO")
    }

    /// A program that has an old list does what it says to the element that it saw.
    @Test(arguments: 0..<400 as Range<UInt64>)
    func `a write over an old list changes one element, or adds one`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = "abcdefghijklmnopqrstuvwxyz"
        let read = Array(alphabet.prefix(Int.random(in: 1...12, using: &random)))
        var now = read
        for letter in alphabet.uppercased().prefix(Int.random(in: 0...10, using: &random)) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: if !now.isEmpty { now.remove(at: .random(in: now.indices, using: &random)) }
            case 1: now.insert(letter, at: .random(in: 0...now.count, using: &random))
            default: if now.count > 1 { now.swapAt(0, now.count - 1) }
            }
        }
        let index = Int.random(in: read.indices, using: &random)
        let place = Self.seen(index, String(read))
        func result(_ write: EntryWrite) throws -> [Character] {
            Array(try self.result(of: write, on: String(now)) ?? "")
        }
        let without = now.filter { $0 != read[index] }
        #expect(try result(.removeAt(place)) == without)
        let inserted = try result(.insertAt(place, Self.texts("#")))
        #expect(inserted.filter { $0 != "#" } == now && inserted.count == now.count + 1)
        if let end = now.firstIndex(of: read[index]), index == 0 || !now.contains(read[index - 1]) {
            #expect(inserted[end] == "#")
        }
        let set = try result(.setAt(place, .string("#")))
        #expect(set.filter { $0 != "#" } == without && set.contains("#"))
        var others = read
        others.remove(at: index)
        let target = Int.random(in: 0...others.count, using: &random)
        let moved = try result(.move(from: place, to: Self.seen(target, String(others))))
        #expect(moved.filter { $0 != read[index] } == without && moved.count == now.count)
    }
}
