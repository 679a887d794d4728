import KSCausality
import KSRecords
import Testing

/// Every truncation is refused; so is a flipped bit, unless the result encodes to the same bytes.
func checkStrictness(_ encoded: [UInt8], reencode: ([UInt8]) throws -> [UInt8]) {
    // A refusal is nil, which is not equal either.
    #expect((try? reencode(encoded)) == encoded)
    for count in encoded.indices {
        #expect(throws: RecordsError.self) { try reencode(Array(encoded[..<count])) }
    }
    #expect(throws: RecordsError.self) { try reencode(encoded + [0]) }
    for bit in 0..<encoded.count * 8 {
        var changed = encoded
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        // A refusal is right too.
        if let again = try? reencode(changed) { #expect(again == changed, "bit \(bit)") }
    }
}

struct CircleEntryTests {
    private func fixed<Value: FixedBytes>(_ byte: UInt8) -> Value {
        Value(validated: [UInt8](repeating: byte, count: Value.byteCount))
    }

    private func member(_ number: UInt8) -> Member {
        Member(
            id: fixed(number),
            kind: number == 1 ? .credentials : .device,
            signingKey: [UInt8](repeating: number, count: 32),
            agreementKey: [UInt8](repeating: number, count: 32),
            nameBox: [number, number],
            addedAtVersion: UInt64(number),
            addedBy: fixed(1)
        )
    }

    private func entry(_ members: [Member]) -> CircleEntry {
        var closingVector = VersionVector()
        closingVector.raise(ActorID(rawValue: 3), to: 4)
        closingVector.raise(ActorID(rawValue: 1), to: 2)
        return CircleEntry(
            account: fixed(9),
            version: 2,
            previousHash: fixed(8),
            operation: .addDevice,
            members: members,
            generation: 1,
            rootCheck: [UInt8](repeating: 7, count: 32),
            closingVector: closingVector,
            closingDigest: fixed(6),
            oldestGeneration: 1,
            oldestFormat: 1,
            envelopesHash: fixed(5),
            author: fixed(1)
        )
    }

    @Test
    func `an entry survives encoding, with its members in order`() throws {
        let entry = entry([member(3), member(1), member(2)])
        #expect(entry.members.map(\.id) == [fixed(1), fixed(2), fixed(3)])
        #expect(try CircleEntry(decoding: entry.encoded) == entry)
    }

    @Test
    func `whatever entry decodes has no other encoding`() {
        checkStrictness(entry([member(1), member(2)]).encoded) {
            try CircleEntry(decoding: $0).encoded
        }
    }

    @Test
    func `a member twice, out of order, or too many are refused`() {
        var twice = entry([member(1), member(2)])
        twice.members = [member(1), member(1)]
        var disordered = twice
        disordered.members = [member(2), member(1)]
        for entry in [twice, disordered] {
            #expect(throws: RecordsError.malformed) { try CircleEntry(decoding: entry.encoded) }
        }
        let many = entry((0...UInt8(Limits.membersMax)).map(member))
        #expect(throws: RecordsError.tooLarge) { try CircleEntry(decoding: many.encoded) }
    }

    @Test
    func `void generations are a part of an entry, in rising order`() throws {
        var entry = entry([member(1), member(2)])
        let plain = entry.encoded
        entry.voidGenerations = [2, 5]
        #expect(try CircleEntry(decoding: entry.encoded) == entry)
        checkStrictness(entry.encoded) { try CircleEntry(decoding: $0).encoded }
        for generations in [[5, 2], [2, 2]] as [[UInt64]] {
            entry.voidGenerations = generations
            #expect(throws: RecordsError.malformed) { try CircleEntry(decoding: entry.encoded) }
        }
        // An entry without any has the form that it always had.
        entry.voidGenerations = []
        #expect(entry.encoded == plain)
    }

    @Test
    func `version 0 is refused`() {
        var entry = entry([member(1)])
        entry.version = 0
        #expect(throws: RecordsError.malformed) { try CircleEntry(decoding: entry.encoded) }
    }

    @Test
    func `an entry's hash covers its bytes and its signatures`() {
        let bytes = entry([member(1)]).encoded
        func signed(_ signature: UInt8, by member: UInt8) -> MemberSignature {
            MemberSignature(
                member: fixed(member),
                signature: [UInt8](repeating: signature, count: 64)
            )
        }
        let one = SignedEntry(
            signedBytes: bytes,
            signatures: [signed(1, by: 1), signed(2, by: 2)],
            possession: []
        )
        let reordered = SignedEntry(
            signedBytes: bytes,
            signatures: [signed(2, by: 2), signed(1, by: 1)],
            possession: []
        )
        let other = SignedEntry(
            signedBytes: bytes,
            signatures: [signed(3, by: 1), signed(2, by: 2)],
            possession: []
        )
        #expect(one.hash == reordered.hash && one.hash != other.hash)
    }

    @Test
    func `the hash of the envelopes does not depend on their order`() {
        let one = KeyEnvelope(member: fixed(1), sealed: [1])
        let two = KeyEnvelope(member: fixed(2), sealed: [2])
        #expect(KeyEnvelope.hash([one, two]) == KeyEnvelope.hash([two, one]))
        #expect(KeyEnvelope.hash([one, two]) != KeyEnvelope.hash([one]))
        let swapped = [
            KeyEnvelope(member: fixed(1), sealed: [2]), KeyEnvelope(member: fixed(2), sealed: [1]),
        ]
        #expect(KeyEnvelope.hash([one, two]) != KeyEnvelope.hash(swapped))
    }
}
