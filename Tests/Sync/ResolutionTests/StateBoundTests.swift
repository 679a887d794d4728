import KSCausality
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// States that somebody made to exhaust the devices that receive them.
struct StateBoundTests {
    private static let bounds = StateBounds.received

    /// The state of an item after edits of so many actors.
    private func state(writers count: Int) throws -> RecordState {
        var author = Author(1)
        let first = try shared(by: &author)
        // Each actor's write replaces the one before; only the stamps are left of it.
        let actors = 2..<UInt64(count + 1)
        var encoder = ContextEncoder(first)
        encoder.highest += actors.map {
            Stamp(time: HybridTime(rawValue: 5), actor: .init(rawValue: $0))
        }
        return try RecordState(decoding: encoder.encoded, within: .none)
    }

    /// The encoding of a state with one actor, with other stamps in its context.
    private struct ContextEncoder {
        let state: RecordState
        var highest: [Stamp]

        init(_ state: RecordState) {
            self.state = state
            highest = state.context.highestStamps
        }

        var encoded: [UInt8] {
            let stamp = state.stamps(of: .secret)[0]
            let actors = Set(highest.map(\.actor) + [stamp.actor]).sorted()
            func place(_ actor: ActorID) -> UInt64 { UInt64(actors.firstIndex(of: actor) ?? 0) }
            var encoder = CanonicalEncoder()
            encoder.compactInteger(1)
            encoder.compactList(actors) { $0.integer($1.rawValue) }
            encoder.compactList([stamp]) { encoder, stamp in
                encoder.compactInteger(place(stamp.actor))
                encoder.integer(stamp.time.rawValue)
            }
            encoder.compactList([ValueName.secret]) { encoder, name in
                encoder.compactInteger(name.kind)
                encoder.compactBytes(name.nameBytes)
                encoder.compactList([1]) { encoder, _ in
                    encoder.compactInteger(0)
                    encoder.compactInteger(1)
                    encoder.compactBytes([1])
                }
            }
            encoder.compactList([Int]()) { _, _ in }
            let places = Dictionary(
                uniqueKeysWithValues: actors.enumerated().map { ($0.element, UInt64($0.offset)) }
            )
            for stamps in [highest, [], [], []] {
                encoder.compactList(stamps) { encoder, stamp in
                    encoder.compactInteger(places[stamp.actor] ?? 0)
                    encoder.integer(stamp.time.rawValue)
                }
            }
            return encoder.encoded
        }
    }

    @Test
    func `a context with more stamps than devices make is refused`() throws {
        let most = try state(writers: Self.bounds.stampsMax)
        #expect(most.context.count == Self.bounds.stampsMax && most.isWithin(Self.bounds))
        #expect(try RecordState(decoding: most.encoded) == most)
        let more = try state(writers: Self.bounds.stampsMax + 1)
        #expect(!more.isWithin(Self.bounds))
        #expect(throws: RecordsError.tooLarge) { try RecordState(decoding: more.encoded) }
        #expect(try RecordState(decoding: more.encoded, within: .none) == more)
    }

    @Test
    func `so is a state with more values`() throws {
        var author = Author(1)
        func state(values count: Int) throws -> RecordState {
            var record = LocalRecord()
            let values = (0..<count).map { number in
                (ValueName.field("\(number)"), Optional([UInt8]()))
            }
            record.set(Dictionary(uniqueKeysWithValues: values), atMilliseconds: 1000)
            return try author.seal(&record)
        }
        let most = try state(values: Self.bounds.valuesMax)
        #expect(most.valueCount == Self.bounds.valuesMax && most.isWithin(Self.bounds))
        #expect(try RecordState(decoding: most.encoded) == most)
        let more = try state(values: Self.bounds.valuesMax + 1)
        #expect(throws: RecordsError.tooLarge) { try RecordState(decoding: more.encoded) }
    }

    @Test
    func `a record with as many stamps as there may be can be deleted`() throws {
        var record = LocalRecord(mirror: try state(writers: StateBounds.living.stampsMax))
        record.delete(atMilliseconds: 2000)
        let edit = try #require(record.edit)
        #expect(edit.isWithin(Self.bounds))
        #expect(edit.encoded.count <= RecordKind.keychain.editBytesMax)
        var author = Author(1 << 40)
        let tombstone = try author.seal(&record)
        #expect(!tombstone.isAlive && tombstone.isWithinBounds)
        #expect(try RecordState(decoding: tombstone.encoded) == tombstone)
        #expect(record.mirror?.isWithinBounds == true)
        let larger = try state(writers: StateBounds.living.stampsMax + 1)
        #expect(!larger.isWithinBounds)
        #expect(tombstone.encoded.count <= RecordKind.keychain.textBytesMax)
    }

    @Test
    func `joining many states looks at each value a few times`() throws {
        var states: [RecordState] = []
        for number in 1...64 as ClosedRange<UInt64> {
            var (author, record) = (Author(number), LocalRecord())
            let names = (0..<20).map { ValueName.field("\(number) \($0)") }
            let values = Dictionary(uniqueKeysWithValues: names.map { ($0, Optional(bytes("x"))) })
            record.set(values, atMilliseconds: 1000)
            states.append(try author.seal(&record))
        }
        let growth = growth(of: 8, from: 8) { count in
            #expect(RecordState.join(states.prefix(count)).valueCount == 20 * count)
        }
        #expect(growth < 32, "\(growth) times as long for 8 times as many")
        #expect(
            RecordState.join(states)
                == states.reversed().reduce(RecordState()) { $0.joined(with: $1) }
        )
    }

    /// An unsent edit comes from a file too.
    @Test
    func `an edit with the highest revision can be edited again`() throws {
        var record = LocalRecord()
        record.set([note: bytes("a")], atMilliseconds: 1000)
        var encoded = try #require(record.edit).encoded
        encoded.replaceSubrange(
            encoded.count - 8..<encoded.count,
            with: [UInt8](repeating: 255, count: 8)
        )
        record.edit = try PendingEdit(decoding: encoded)
        #expect(record.edit?.revision == .max)
        record.set([note: bytes("b")], atMilliseconds: 1000)
        #expect(record.edit?.revision == 0)
    }
}
