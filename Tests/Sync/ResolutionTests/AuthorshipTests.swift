import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// A record says who set each value and when, and who deleted the item.
struct AuthorshipTests {
    private let oldID = RecordID(validated: [UInt8](repeating: 7, count: 32))
    private static let file = ValueName(kind: ValueName.Kind.extra, nameBytes: bytes("fcontract"))

    /// A time in an account, milliseconds; earlier ones stand for writes without an account.
    private static func time(_ seconds: UInt64) -> UInt64 { 1_790_000_000_000 + seconds * 1000 }

    /// A device with its name.
    private struct Named {
        var author: Author
        let name: String

        init(_ number: UInt64, _ name: String) {
            author = Author(number)
            self.name = name
        }

        mutating func edit(
            _ state: RecordState?,
            _ changes: [ValueName: [UInt8]?],
            at clock: UInt64
        ) throws -> RecordState {
            var record = LocalRecord(mirror: state)
            var changes = changes
            changes.updateValue(bytes(name), forKey: .writer)
            record.set(changes, atMilliseconds: clock)
            return try author.push(&record)
        }
    }

    /// Who set each earlier secret, and when.
    private func authors(_ state: RecordState) -> [String: Authorship] {
        let authors = RecordAuthors(of: state)
        let values = state.shownHistory + state.candidates(for: .secret)
        return Dictionary(
            values.compactMap { value in
                value.value.map { secret in
                    let author = authors.author(of: .secret, secret, value.stamp)
                    return (String(decoding: secret, as: UTF8.self), author)
                }
            }
        ) { first, _ in first }
    }

    private func isBy(_ device: String, at milliseconds: UInt64, _ author: Authorship?) -> Bool {
        author?.device == device && author?.milliseconds == milliseconds
    }

    @Test
    func `each secret has the device that set it, and its time`() throws {
        var (laptop, phone) = (Named(1, "laptop"), Named(2, "phone"))
        var state = try laptop.edit(
            nil,
            [.secret: bytes("s1"), account: bytes("a")],
            at: Self.time(10)
        )
        state = try phone.edit(state, [.secret: bytes("s2")], at: Self.time(20))
        // Edits of other values do not push a name out.
        for number in 0..<100 as Range<UInt64> {
            state = try phone.edit(state, [note: bytes("\(number)")], at: Self.time(30) + number)
        }
        state = try phone.edit(state, [.secret: bytes("s3")], at: Self.time(40))
        let authors = authors(state)
        #expect(isBy("laptop", at: Self.time(10), authors["s1"]))
        #expect(isBy("phone", at: Self.time(20), authors["s2"]))
        #expect(isBy("phone", at: Self.time(40), authors["s3"]))
        #expect(state.history.filter { $0.name == .writer }.count == 2)
        #expect(try RecordState(decoding: state.encoded) == state)
    }

    @Test
    func `secrets that were set one after the other, and sent together, keep their times`() throws {
        var laptop = Named(1, "laptop")
        let state = try laptop.edit(
            nil,
            [.secret: bytes("s1"), account: bytes("a")],
            at: Self.time(10)
        )
        var record = LocalRecord(mirror: state)
        for number in 2...4 as ClosedRange<UInt64> {
            record.set(
                [.secret: bytes("s\(number)"), .writer: bytes("laptop")],
                atMilliseconds: Self.time(10 * number)
            )
            // The device may be restarted between two changes.
            record.edit = try record.edit.map { try PendingEdit(decoding: $0.encoded) }
        }
        let authors = authors(try laptop.author.push(&record))
        for number in 1...4 as ClosedRange<UInt64> {
            #expect(isBy("laptop", at: Self.time(10 * number), authors["s\(number)"]))
        }
    }

    @Test
    func `a rename keeps who set a value, and when`() throws {
        var (laptop, phone) = (Named(1, "laptop"), Named(2, "phone"))
        var state = try laptop.edit(
            nil,
            [.secret: bytes("s1"), account: bytes("a")],
            at: Self.time(10)
        )
        state = try phone.edit(state, [.secret: bytes("s2")], at: Self.time(20))
        for clock in [Self.time(90), Self.time(95)] {
            var source = LocalRecord(mirror: state)
            var target = LocalRecord()
            LocalRecord.rename(
                &source,
                id: oldID,
                to: &target,
                changes: [account: bytes("b\(clock)"), .writer: bytes("laptop")],
                by: "laptop",
                atMilliseconds: clock
            )
            #expect(authors(target.view)["s1"]?.milliseconds == Self.time(10))
            let tombstone = try laptop.author.push(&source)
            let note = DeletionNote(milliseconds: clock, device: "laptop", isMove: true)
            #expect(tombstone.deletionNote == note && !tombstone.isAlive)
            state = try laptop.author.push(&target)
            #expect(isBy("laptop", at: Self.time(10), authors(state)["s1"]))
            #expect(isBy("phone", at: Self.time(20), authors(state)["s2"]))
        }
        // The same secret, set again after the rename, has its own time.
        state = try phone.edit(state, [.secret: bytes("s1")], at: Self.time(100))
        let again = authors(state)["s1"]
        #expect(again?.milliseconds == Self.time(100) || again?.milliseconds == Self.time(10))
        let value = try #require(state.candidates(for: .secret).last)
        let current = RecordAuthors(of: state).author(of: .secret, bytes("s1"), value.stamp)
        #expect(isBy("phone", at: Self.time(100), current))
    }

    @Test
    func `a deletion says who made it, and makes nothing alive`() throws {
        var laptop = Named(1, "laptop")
        let state = try laptop.edit(
            nil,
            [.secret: bytes("s1"), account: bytes("a")],
            at: Self.time(10)
        )
        var record = LocalRecord(mirror: state)
        let note = DeletionNote(milliseconds: Self.time(20), device: "laptop")
        record.delete(atMilliseconds: Self.time(20), note: note)
        let edit = try #require(record.edit)
        #expect(try PendingEdit(decoding: edit.encoded) == edit)
        let deleted = try laptop.author.push(&record)
        #expect(!deleted.isAlive && deleted.deletionNote == note)
        #expect(deleted.stub.deletionNote == note && deleted.deletion.deletionNote == note)
        #expect(try RecordState(decoding: deleted.encoded) == deleted)
        // Another device names itself, and does not revive the item.
        var phone = Named(2, "phone")
        let named = try phone.edit(deleted, [:], at: Self.time(30))
        #expect(!named.isAlive)
    }

    @Test
    func `of two deletions every device shows the later one`() throws {
        var laptop = Named(1, "laptop")
        let state = try laptop.edit(nil, [.secret: bytes("s1")], at: Self.time(10))
        let notes = [
            DeletionNote(milliseconds: Self.time(20), device: "phone"),
            DeletionNote(milliseconds: Self.time(30), device: "laptop"),
            DeletionNote(milliseconds: Self.time(30), device: "tablet"),
        ]
        let deleted = try notes.enumerated().map { number, note in
            var author = Author(UInt64(10 + number))
            var record = LocalRecord(mirror: state)
            record.delete(atMilliseconds: note.milliseconds, note: note)
            return try author.seal(&record)
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            #expect(RecordState.join(order.map { deleted[$0] }).deletionNote == notes[2])
        }
    }

    @Test
    func `a deletion comes after one that its device knew, whatever the clocks said`() throws {
        var (laptop, phone) = (Named(1, "laptop"), Named(2, "phone"))
        let state = try laptop.edit(nil, [.secret: bytes("s1")], at: Self.time(10))
        var record = LocalRecord(mirror: state)
        // This clock is years ahead, and the item only moves.
        let ahead = DeletionNote(
            milliseconds: Self.time(90_000_000),
            device: "laptop",
            isMove: true
        )
        record.delete(atMilliseconds: ahead.milliseconds, note: ahead)
        let moved = try laptop.author.push(&record)
        let again = try phone.edit(moved, [.secret: bytes("s2")], at: Self.time(20))
        #expect(again.isAlive)
        record = LocalRecord(mirror: again)
        let note = DeletionNote(milliseconds: Self.time(30), device: "phone")
        record.delete(atMilliseconds: note.milliseconds, note: note)
        let deleted = try phone.author.push(&record)
        let shown = try #require(moved.joined(with: deleted).deletionNote)
        #expect(shown.device == "phone" && !shown.isMove)
        #expect(shown.milliseconds == ahead.milliseconds + 1)
    }

    @Test
    func `a deletion at a time that no clock shows is refused`() throws {
        var laptop = Named(1, "laptop")
        let state = try laptop.edit(nil, [.secret: bytes("s1")], at: Self.time(10))
        for (milliseconds, isRefused) in [(1 << 46, false), (1 << 46 + 1, true), (.max, true)]
            as [(UInt64, Bool)]
        {
            var record = LocalRecord(mirror: state)
            let note = DeletionNote(milliseconds: milliseconds, device: "laptop", isMove: true)
            record.delete(atMilliseconds: Self.time(20), note: note)
            var author = Author(3)
            let deleted = try author.seal(&record)
            let decoded = Result { try RecordState(decoding: deleted.encoded) }
            #expect((try? decoded.get()) == (isRefused ? nil : deleted))  // Refused is an error.
        }
    }

    // MARK: Attachments

    @Test
    func `a removed attachment of 1 MiB stays in the history, beside the other values`() throws {
        var laptop = Named(1, "laptop")
        let large = [UInt8](repeating: 5, count: 1 << 20)
        var state = try laptop.edit(
            nil,
            [.secret: bytes("s1"), Self.file: large],
            at: Self.time(10)
        )
        state = try laptop.edit(state, [note: bytes("n1")], at: Self.time(20))
        state = try laptop.edit(state, [Self.file: nil, note: bytes("n2")], at: Self.time(30))
        #expect(state.shownHistory(of: Self.file).map(\.value) == [large])
        #expect(texts(state.shownHistory(of: note)) == ["n1"])
        #expect(try RecordState(decoding: state.encoded) == state)
        // A second large one has no room, and takes nothing else along.
        state = try laptop.edit(state, [Self.file: large + [1]], at: Self.time(40))
        state = try laptop.edit(state, [Self.file: nil], at: Self.time(50))
        #expect(state.shownHistory(of: Self.file).map(\.value) == [large + [1]])
        #expect(texts(state.shownHistory(of: note)) == ["n1"])
    }

    /// Joining is commutative, associative and idempotent with names, notes and large values.
    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `the order of joins does not matter`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var ann = Named(1, "ann")
        let start = try ann.edit(nil, [.secret: bytes("s"), account: bytes("a")], at: 1000)
        var states = [start]
        for number in 0..<8 as Range<UInt64> {
            let base = states.randomElement(using: &random) ?? start
            var device = Named(2 + number % 3, "device \(number % 3)")
            device.author = Author(2 + number)
            let clock = 2000 + number
            if Bool.random(using: &random), number > 3 {
                var record = LocalRecord(mirror: base)
                let note = DeletionNote(milliseconds: clock % 3, device: device.name)
                record.delete(atMilliseconds: clock, note: note)
                states.append(try device.author.seal(&record))
            } else {
                let size = Int.random(in: 1...(600 << 10), using: &random)
                let value = [UInt8](repeating: UInt8(number), count: size)
                let changes = [Self.file: value, .secret: bytes("\(number)")]
                states.append(try device.edit(base, changes, at: clock))
            }
        }
        let joined = RecordState.join(states)
        #expect(RecordState.join(states.shuffled(using: &random)) == joined)
        #expect(joined.joined(with: joined) == joined)
        #expect(RecordState.join(states + [joined]) == joined)
        #expect(try RecordState(decoding: joined.encoded) == joined)
    }
}
