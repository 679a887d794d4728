import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// The history of values other than the secret: notes, and what an item has beside its attributes.
struct OtherHistoryTests {
    private static let pin = ValueName(kind: ValueName.Kind.extra, nameBytes: bytes("fPIN"))
    private static let tag = ValueName(kind: ValueName.Kind.extra, nameBytes: bytes("twork"))

    /// What two devices have.
    private func start(by author: inout Author) throws -> RecordState {
        var record = LocalRecord()
        record.create(
            [account: bytes("a"), .secret: bytes("s1"), note: bytes("n1"), Self.pin: bytes("1")],
            atMilliseconds: author.clock
        )
        return try author.push(&record)
    }

    private func edited(
        _ state: RecordState,
        by number: UInt64,
        _ changes: [ValueName: [UInt8]?],
        at clock: UInt64 = 2000
    ) throws -> RecordState {
        var author = Author(number)
        var record = LocalRecord(mirror: state)
        record.set(changes, atMilliseconds: clock)
        return try author.seal(&record)
    }

    @Test
    func `an earlier note and an earlier field stay, beside the earlier secret`() throws {
        var ann = Author(1)
        let state = try edited(
            try start(by: &ann),
            by: 2,
            [note: bytes("n2"), Self.pin: bytes("2"), .secret: bytes("s2")]
        )
        #expect(texts(state.shownHistory) == ["s1"])
        #expect(texts(state.shownHistory(of: note)) == ["n1"])
        #expect(texts(state.shownHistory(of: Self.pin)) == ["1"])
        #expect(try RecordState(decoding: state.encoded) == state)
    }

    @Test
    func `a removed field leaves its value in the history alone`() throws {
        var ann = Author(1)
        let state = try edited(try start(by: &ann), by: 2, [Self.pin: nil])
        #expect(state.shown(Self.pin) == nil && !state.names.contains(Self.pin))
        #expect(texts(state.shownHistory(of: Self.pin)) == ["1"])
    }

    @Test
    func `fields that two devices change at once are joined, and one field shows both`() throws {
        var ann = Author(1)
        let start = try start(by: &ann)
        let left = try edited(start, by: 2, [Self.pin: bytes("2"), Self.tag: [1]])
        let right = try edited(start, by: 3, [Self.pin: bytes("3")], at: 3000)
        let joined = left.joined(with: right)
        #expect(joined == right.joined(with: left))
        #expect(text(joined.shown(Self.pin)) == "3" && joined.shown(Self.tag) == [1])
        #expect(texts(joined.conflictingValues(of: Self.pin)) == ["2"])
        let settled = try edited(joined, by: 2, [Self.pin: bytes("4")], at: 4000)
        #expect(Set(texts(settled.shownHistory(of: Self.pin))) == ["1", "2", "3"])
    }

    @Test
    func `a field that one device removes and another changes is there`() throws {
        var ann = Author(1)
        let start = try start(by: &ann)
        let removed = try edited(start, by: 2, [Self.pin: nil], at: 9000)
        let changed = try edited(start, by: 3, [Self.pin: bytes("3")])
        #expect(text(removed.joined(with: changed).shown(Self.pin)) == "3")
    }

    @Test
    func `no other value drives an earlier secret out of the history`() throws {
        var ann = Author(1)
        var state = try edited(try start(by: &ann), by: 2, [.secret: bytes("s2")])
        for number in 0..<60 {
            state = try edited(
                state,
                by: 2,
                [note: bytes("note \(number)")],
                at: 3000 + UInt64(number)
            )
        }
        #expect(texts(state.shownHistory) == ["s1"])
        #expect(state.shownHistory(of: note).count == RecordState.historyCountMax)
        #expect(text(state.shownHistory(of: note).first?.value) == "note 58")
    }

    @Test
    func `unsent changes of a field keep what they replace`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try start(by: &ann))
        record.set([Self.pin: bytes("2")], atMilliseconds: 2000)
        record.set([Self.pin: bytes("3")], atMilliseconds: 2001)
        #expect(texts(record.view.shownHistory(of: Self.pin)) == ["2", "1"])
        let edit = try #require(record.edit)
        #expect(try PendingEdit(decoding: edit.encoded) == edit)
        var ben = Author(2)
        let sent = try ben.push(&record)
        #expect(texts(sent.shownHistory(of: Self.pin)) == ["2", "1"])
    }

    @Test
    func `a renamed item keeps the history of its fields`() throws {
        var ann = Author(1)
        let state = try edited(try start(by: &ann), by: 2, [Self.pin: bytes("2")])
        var source = LocalRecord(mirror: state)
        var target = LocalRecord()
        let id = try #require(RecordID([UInt8](repeating: 7, count: RecordID.byteCount)))
        LocalRecord.rename(
            &source,
            id: id,
            to: &target,
            changes: [account: bytes("b")],
            atMilliseconds: 5000
        )
        var ben = Author(3)
        let moved = try ben.push(&target)
        #expect(texts(moved.shownHistory(of: Self.pin)) == ["1"])
    }

    /// Joining is commutative, associative and idempotent for histories of several names.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `the order of joins does not matter`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var ann = Author(1)
        let names = [note, Self.pin, Self.tag, .secret]
        var states = [try start(by: &ann)]
        for number in 0..<8 as Range<UInt64> {
            let base = states.randomElement(using: &random) ?? states[0]
            var changes: [ValueName: [UInt8]?] = [:]
            for name in names where Bool.random(using: &random) {
                let isRemoved = name.kind == ValueName.Kind.extra && Bool.random(using: &random)
                changes.updateValue(isRemoved ? nil : bytes("\(number)"), forKey: name)
            }
            guard !changes.isEmpty else { continue }
            states.append(try edited(base, by: 2 + number, changes, at: 2000 + number))
        }
        let joined = RecordState.join(states)
        #expect(RecordState.join(states.shuffled(using: &random)) == joined)
        #expect(joined.joined(with: joined) == joined)
        #expect(RecordState.join(states + [joined]) == joined)
        #expect(try RecordState(decoding: joined.encoded) == joined)
    }
}
