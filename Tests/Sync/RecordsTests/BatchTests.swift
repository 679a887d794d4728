import KSCausality
import KSDigests
import KSRecords
import KSTestSupport
import Testing

/// Batches, their headers and chains, and the context of an envelope's box.
struct BatchTests {
    private static let actor = ActorID(rawValue: 0xAAAA)

    private func fixed<Value: FixedBytes>(_ byte: UInt8) -> Value {
        Value(validated: [UInt8](repeating: byte, count: Value.byteCount))
    }

    private func envelope(
        format: UInt64 = Envelope.currentFormat,
        record: UInt8 = 1,
        actor: ActorID = Self.actor,
        counter: UInt64 = 5,
        replaced: [Dot] = [],
        generation: UInt64 = 1,
        isTombstone: Bool = false,
        kind: RecordKind = .keychain,
        box: [UInt8] = [1, 2, 3]
    ) -> Envelope {
        Envelope(
            format: format,
            recordID: fixed(record),
            dot: Dot(actor: actor, counter: counter),
            replaced: replaced,
            generation: generation,
            isTombstone: isTombstone,
            kind: kind,
            box: box
        )
    }

    private func batch(
        _ envelopes: [Envelope],
        actor: ActorID = Self.actor,
        first: UInt64 = 5,
        count: UInt64? = nil,
        chain: Hash? = nil
    ) -> Batch {
        let header = BatchHeader(
            account: fixed(1),
            epoch: fixed(2),
            circleVersion: 3,
            generation: 1,
            actor: actor,
            firstCounter: first,
            count: count ?? UInt64(envelopes.count),
            previousChain: fixed(4),
            chain: chain ?? BatchChain.extend(fixed(4), with: envelopes)
        )
        return Batch(signedHeader: header.encoded, signature: [], envelopes: envelopes)
    }

    @Test
    func `a valid batch has its header`() throws {
        let header = try batch([envelope(), envelope(record: 2, counter: 6)]).checkedHeader()
        #expect(header.firstCounter == 5 && header.lastCounter == 6)
        #expect(try BatchHeader(decoding: header.encoded) == header)
    }

    @Test
    func `a batch whose header names other envelopes is refused`() {
        let other = ActorID(rawValue: 0xBBBB)
        let good = [envelope(), envelope(record: 2, counter: 6)]
        let chain = BatchChain.extend(fixed(4), with: good)
        let bad = [
            batch(good, count: 1), batch(good, count: 3), batch([], count: 1), batch([]),
            batch(good, first: 4), batch(good, first: 0), batch(good, first: .max),
            batch(good, actor: other), batch(good.reversed()),
            batch([good[0], envelope(record: 2, counter: 7)]),
            batch([good[0], envelope(record: 2, counter: 5)]),
            batch([good[0], envelope(record: 2, counter: 6, generation: 2)]),
            batch([good[0], envelope(record: 2, actor: other, counter: 6)]),
            batch(good, chain: .zero),
            batch([good[0], envelope(record: 3, counter: 6)], chain: chain),
            batch([good[0], envelope(record: 2, counter: 6, isTombstone: true)], chain: chain),
            batch([good[0], envelope(record: 2, counter: 6, box: [1, 2, 4])], chain: chain),
            batch(
                [good[0], envelope(record: 2, counter: 6, replaced: [good[0].dot])],
                chain: chain
            ),
        ]
        for (number, batch) in bad.enumerated() {
            #expect(throws: RecordsError.malformed, "case \(number)") {
                try batch.checkedHeader()
            }
        }
    }

    @Test
    func `the chain hashes each record's fields after the chain before`() {
        let replaced = Dot(actor: ActorID(rawValue: 7), counter: 9)
        let envelopes = [envelope(replaced: [replaced]), envelope(record: 2, counter: 6)]
        func number(_ value: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
        }
        func led(_ bytes: [UInt8]) -> [UInt8] { number(UInt64(bytes.count)) + bytes }
        let (zero, one) = (number(0), number(1))
        let id1 = [UInt8](repeating: 1, count: 32)
        let id2 = [UInt8](repeating: 2, count: 32)
        let actor = number(0xAAAA)
        let box = led(SHA256.hash([1, 2, 3]))
        let start = led([UInt8](repeating: 4, count: 32))
        let dots = one + number(7) + number(9)
        let first = SHA256.hash(start + led(id1) + actor + number(5) + dots + zero + one + box)
        let second = SHA256.hash(
            led(first) + led(id2) + actor + number(6) + zero + zero + one + box
        )
        #expect(BatchChain.extend(fixed(4), with: envelopes).bytes == second)
        let step = BatchChain.extend(fixed(4), with: envelopes.prefix(1))
        #expect(BatchChain.extend(step, with: envelopes.suffix(1)).bytes == second)
    }

    @Test
    func `each field beside a box is part of its context`() {
        let dot = Dot(actor: ActorID(rawValue: 7), counter: 9)
        let later = Dot(actor: ActorID(rawValue: 7), counter: 10)
        let envelopes = [
            envelope(), envelope(format: 2), envelope(record: 2), envelope(actor: dot.actor),
            envelope(counter: 6), envelope(replaced: [dot]), envelope(replaced: [dot, later]),
            envelope(generation: 2), envelope(isTombstone: true), envelope(kind: .keyValue),
        ]
        var contexts = Set(envelopes.map { $0.context(account: fixed(1)) })
        contexts.insert(envelope().context(account: fixed(2)))
        #expect(contexts.count == envelopes.count + 1)
        #expect(
            envelope(replaced: [later, dot, dot]).context(account: fixed(1))
                == envelope(replaced: [dot, later]).context(account: fixed(1))
        )
    }

    @Test
    func `whatever header decodes has no other encoding`() throws {
        let encoded = batch([envelope()]).signedHeader
        checkStrictness(encoded) { try BatchHeader(decoding: $0).encoded }
    }
}
