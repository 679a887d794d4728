import KSCausality
import KSRecords
import KSSealing
import KSTestSupport
import Testing

struct RecordCipherTests {
    private let account = AccountID(validated: .rising(from: 0xA0, count: 16))
    private let random = SeededRandomSource(seed: 3)
    private let keyRing: KeyRing
    private let cipher: RecordCipher

    init() {
        keyRing = KeyRing.random(from: random)
        cipher = RecordCipher(keyRing: keyRing, account: account, random: random)
    }

    private func seal(
        _ text: String,
        key: String = "key",
        with cipher: RecordCipher? = nil
    ) throws -> Envelope {
        try (cipher ?? self.cipher).seal(
            text: Array(text.utf8),
            recordID: keyRing.recordID(forCanonicalKey: Array(key.utf8), kind: .keychain),
            dot: Dot(actor: ActorID(rawValue: 7), counter: 2),
            replaced: [
                Dot(actor: ActorID(rawValue: 3), counter: 4),
                Dot(actor: ActorID(rawValue: 7), counter: 1),
            ],
            isTombstone: false,
            kind: .keychain
        )
    }

    @Test(arguments: [
        ("record keychain", RecordKind.keychain, false), ("record kv", .keyValue, true),
    ])
    func `the frozen record opens, and the same randomness makes it again`(
        name: String,
        kind: RecordKind,
        isTombstone: Bool
    ) throws {
        let frozen = try FrozenFormat(name)
        let keyRing = try KeyRing(decoding: FrozenFormat("key ring").bytes("encoded"))
        let account = try #require(AccountID(frozen.bytes("account")))
        let cipher = RecordCipher(
            keyRing: keyRing,
            account: account,
            random: ChosenBytes(try frozen.bytes("randomness"))
        )
        let envelope = try cipher.seal(
            text: frozen.bytes("text"),
            recordID: keyRing.recordID(
                forCanonicalKey: FrozenFormat("key ring").bytes("key"),
                kind: kind
            ),
            dot: Dot(actor: ActorID(rawValue: 7), counter: 2),
            replaced: [
                Dot(actor: ActorID(rawValue: 7), counter: 1),
                Dot(actor: ActorID(rawValue: 3), counter: 4),
            ],
            isTombstone: isTombstone,
            kind: kind
        )
        #expect(try envelope.recordID.bytes == frozen.bytes("recordID"))
        #expect(try envelope.context(account: account) == frozen.bytes("context"))
        #expect(try envelope.box == frozen.bytes("box"))
        #expect(try cipher.open(envelope) == frozen.bytes("text"))
    }

    @Test
    func `every changed byte of the box is refused`() throws {
        let envelope = try seal("secret")
        for index in envelope.box.indices {
            let changed = envelope.changed { $0.box[index] ^= 0x40 }
            #expect(throws: SealingError.notAuthentic) { try cipher.open(changed) }
        }
        for count in 0..<envelope.box.count {
            let cut = envelope.changed { $0.box = Array($0.box.prefix(count)) }
            #expect(throws: SealingError.notAuthentic) { try cipher.open(cut) }
        }
    }

    @Test
    func `every changed byte of the box's context is refused`() throws {
        let envelope = try seal("secret")
        for index in 0..<RecordID.byteCount {
            let changed = envelope.changed { $0.recordID = $0.recordID.flipping(index) }
            #expect(throws: SealingError.notAuthentic) { try cipher.open(changed) }
        }
        for bit in 0..<64 as Range<UInt64> {
            let actor = envelope.changed { $0.actor ^= 1 << bit }
            #expect(throws: SealingError.notAuthentic) { try cipher.open(actor) }
            let counter = envelope.changed { $0.counter ^= 1 << bit }
            #expect(throws: SealingError.notAuthentic) { try cipher.open(counter) }
        }
        for index in 0..<AccountID.byteCount {
            let other = AccountID(validated: account.bytes.flipping(index))
            let otherCipher = RecordCipher(keyRing: keyRing, account: other, random: random)
            #expect(throws: SealingError.notAuthentic) { try otherCipher.open(envelope) }
        }
    }

    @Test
    func `a changed list of replaced dots, tombstone flag or kind is refused`() throws {
        let envelope = try seal("secret")
        let changes = [
            envelope.changed { $0.replaced.removeLast() },
            envelope.changed { $0.replaced.removeAll() },
            envelope.changed { $0.replaced.append(Dot(actor: ActorID(rawValue: 9), counter: 1)) },
            envelope.changed { $0.replaced[0] = Dot(actor: ActorID(rawValue: 3), counter: 5) },
            envelope.changed { $0.isTombstone.toggle() },
            envelope.changed { $0.kind = .keyValue },
        ]
        for changed in changes {
            #expect(throws: SealingError.notAuthentic) { try cipher.open(changed) }
        }
    }

    @Test
    func `boxes exchanged between two records are both refused`() throws {
        let one = try seal("one", key: "1")
        let two = try seal("two", key: "2")
        #expect(throws: SealingError.notAuthentic) {
            try cipher.open(one.changed { $0.box = two.box })
        }
        #expect(throws: SealingError.notAuthentic) {
            try cipher.open(two.changed { $0.box = one.box })
        }
    }

    @Test
    func `a box of another account's keys is refused`() throws {
        let otherRing = KeyRing.random(from: random)
        let other = RecordCipher(keyRing: otherRing, account: account, random: random)
        #expect(throws: SealingError.notAuthentic) { try other.open(seal("secret")) }
    }

    @Test
    func `a newer format asks for an update, an older one than the floor is refused`() throws {
        let envelope = try seal("secret")
        #expect(throws: SealingError.updateThisClient(format: 2)) {
            try cipher.open(envelope.changed { $0.format = 2 })
        }
        #expect(throws: SealingError.formatTooOld(format: 0)) {
            try cipher.open(envelope.changed { $0.format = 0 })
        }
        var floors = RecordFloors()
        floors.oldestFormat = 2
        let strict = RecordCipher(
            keyRing: keyRing,
            account: account,
            floors: floors,
            random: random
        )
        #expect(throws: SealingError.formatTooOld(format: 1)) { try strict.open(envelope) }
    }

    @Test
    func `an unknown or retired generation is refused`() throws {
        let envelope = try seal("secret")
        #expect(throws: SealingError.generationUnknown(generation: 2)) {
            try cipher.open(envelope.changed { $0.generation = 2 })
        }
        var floors = RecordFloors()
        floors.oldestGeneration = 2
        let later = RecordCipher(
            keyRing: try keyRing.startingGeneration(from: random),
            account: account,
            floors: floors,
            random: random
        )
        #expect(throws: SealingError.generationRetired(generation: 1)) { try later.open(envelope) }
    }

    @Test
    func `an older key opens only writes from before its end`() throws {
        let envelope = try seal("secret")
        let nextRing = try keyRing.startingGeneration(from: random)
        func opens(endedAt counter: UInt64?) throws -> Bool {
            var floors = RecordFloors()
            if let counter {
                let end = VersionVector([(actor: ActorID(rawValue: 7), counter: counter)])
                floors.closingVectors[1] = end
            }
            let cipher = RecordCipher(
                keyRing: nextRing,
                account: account,
                floors: floors,
                random: random
            )
            do {
                return try cipher.open(envelope) == Array("secret".utf8)
            } catch {
                #expect(error == .beyondClosingVector)
                return false
            }
        }
        #expect(try opens(endedAt: 2))
        #expect(try !opens(endedAt: 1))
        #expect(try !opens(endedAt: nil))
    }

    @Test
    func `sealing uses the newest generation`() throws {
        let nextRing = try keyRing.startingGeneration(from: random)
        let next = RecordCipher(keyRing: nextRing, account: account, random: random)
        let envelope = try seal("secret", with: next)
        #expect(envelope.generation == 2)
        #expect(try next.open(envelope) == Array("secret".utf8))
    }

    @Test(arguments: [RecordKind.keychain, .keyValue])
    func `a text above its kind's limit is refused, the largest fits an envelope`(
        kind: RecordKind
    ) throws {
        let id = keyRing.recordID(forCanonicalKey: [], kind: .keychain)
        func seal(count: Int) throws(SealingError) -> Envelope {
            try cipher.seal(
                text: [UInt8](repeating: 1, count: count),
                recordID: id,
                dot: Dot(actor: ActorID(rawValue: 1), counter: 1),
                replaced: [],
                isTombstone: false,
                kind: kind
            )
        }
        for count in [kind.textBytesMax - 1, kind.textBytesMax] {
            let envelope = try seal(count: count)
            #expect(envelope.box.count <= kind.boxBytesMax)
            #expect(try cipher.open(envelope).count == count)
        }
        #expect(throws: SealingError.tooLarge) { try seal(count: kind.textBytesMax + 1) }
    }
}

/// An envelope's fields, to change one of them.
struct EnvelopeFields {
    var format: UInt64
    var recordID: [UInt8]
    var actor: UInt64
    var counter: UInt64
    var replaced: [Dot]
    var generation: UInt64
    var isTombstone: Bool
    var kind: RecordKind
    var box: [UInt8]
}

extension Envelope {
    func changed(_ change: (inout EnvelopeFields) -> Void) -> Envelope {
        var fields = EnvelopeFields(
            format: format,
            recordID: recordID.bytes,
            actor: dot.actor.rawValue,
            counter: dot.counter,
            replaced: replaced,
            generation: generation,
            isTombstone: isTombstone,
            kind: kind,
            box: box
        )
        change(&fields)
        return Envelope(
            format: fields.format,
            recordID: RecordID(validated: fields.recordID),
            dot: Dot(actor: ActorID(rawValue: fields.actor), counter: fields.counter),
            replaced: fields.replaced,
            generation: fields.generation,
            isTombstone: fields.isTombstone,
            kind: fields.kind,
            box: fields.box
        )
    }
}
