import KSDigests
import KSPrimitives
import KSRecords
import KSSealing
import KSSecrets
import KSTestSupport
import Testing

struct SealedBoxTests {
    private let key = SharedSecret(bytes: .rising(from: 1))
    private let random = SeededRandomSource(seed: 1)
    private let context: [UInt8] = Array("context".utf8)

    private func seal(_ text: [UInt8]) -> [UInt8] {
        BoxKey(key).seal(text, purpose: .record, context: context, random: random)
    }

    private func open(_ box: [UInt8]) throws(SealingError) -> [UInt8] {
        try BoxKey(key).open(box, purpose: .record, context: context)
    }

    @Test
    func `the frozen box opens, and the same randomness makes it again`() throws {
        let frozen = try FrozenFormat("box")
        let key = SharedSecret(bytes: try frozen.bytes("key"))
        let context = try frozen.bytes("context")
        let box = try frozen.bytes("box")
        let text = try BoxKey(key).open(box, purpose: .record, context: context)
        #expect(try text == frozen.bytes("text"))
        let again = BoxKey(key).seal(
            text,
            purpose: .record,
            context: context,
            random: ChosenBytes(try frozen.bytes("randomness"))
        )
        #expect(again == box)
    }

    @Test(arguments: [0, 1, 247, 248, 249, 503, 504, 505, 1016, 1017, 4096, 100_000])
    func `a text of any length is opened unchanged`(count: Int) throws {
        let text = random.bytes(count)
        #expect(try open(seal(text)) == text)
    }

    @Test
    func `sizes are powers of two from 256 on, and 81 bytes`() {
        let sizes = [0, 248, 249, 504, 505, 1016].map {
            seal([UInt8](repeating: 7, count: $0)).count
        }
        #expect(sizes == [256, 256, 512, 512, 1024, 1024].map { $0 + 81 })
    }

    @Test
    func `every changed bit of a box is refused, with one error`() {
        let box = seal(Array("secret".utf8))
        for index in box.indices {
            for bit in 0..<8 {
                #expect(throws: SealingError.notAuthentic, "byte \(index), bit \(bit)") {
                    try open(box.flipping(index, bit: 1 << bit))
                }
            }
        }
    }

    @Test
    func `a box that is cut or has further bytes is refused`() {
        let box = seal(Array("secret".utf8))
        for count in 0..<box.count {
            #expect(throws: SealingError.notAuthentic) { try open(Array(box.prefix(count))) }
        }
        #expect(throws: SealingError.notAuthentic) { try open(box + [0]) }
    }

    @Test
    func `another context, purpose or key does not open a box`() {
        let box = seal(Array("secret".utf8))
        for index in context.indices {
            let other = context.flipping(index)
            #expect(throws: SealingError.notAuthentic) {
                try BoxKey(key).open(box, purpose: .record, context: other)
            }
        }
        for purpose in BoxPurpose.allCases where purpose != .record {
            #expect(throws: SealingError.notAuthentic) {
                try BoxKey(key).open(box, purpose: purpose, context: context)
            }
        }
        let otherKey = SharedSecret(bytes: .rising(from: 2))
        #expect(throws: SealingError.notAuthentic) {
            try BoxKey(otherKey).open(box, purpose: .record, context: context)
        }
    }

    /// Two copies of a machine may get the same bytes; a key must still never seal two texts.
    @Test
    func `the same randomness gives another salt for another text or place`() {
        let chosen = ChosenBytes(.rising(from: 9))
        func salt(_ text: String, _ context: String) -> [UInt8] {
            let box = BoxKey(key).seal(
                Array(text.utf8),
                purpose: .record,
                context: Array(context.utf8),
                random: chosen
            )
            return Array(box[1..<33])
        }
        #expect(salt("one", "here") != salt("two", "here"))
        #expect(salt("one", "here") != salt("one", "there"))
        #expect(salt("one", "here") == salt("one", "here"))
    }

    @Test
    func `different randomness gives another salt for the same text`() {
        #expect(seal([1])[1..<33] != seal([1])[1..<33])
    }

    /// The keys of a box, derived once more by hand from the box's layout.
    private func derive(_ key: SharedSecret, salt: [UInt8]) -> (key: SharedSecret, tag: [UInt8]) {
        var encoder = CanonicalEncoder(label: "box")
        encoder.string("keychain-sync/1 record")
        let info = encoder.encoded + salt + SHA256.hash(context)
        let out = HKDF.expand(key: key, info: info, count: 64)
        return (out.part(0..<32), out.part(32..<64).copyBytes())
    }

    /// A forger who knows two keys makes one ciphertext that GCM opens under both.
    ///
    /// The commitment binds a box to one key. Source: Dodis et al., "Fast Message Franking"
    /// (2018), section 3.
    @Test
    func `a ciphertext for two keys opens under one of them at most`() throws {
        let other = SharedSecret(bytes: .rising(from: 200))
        let salt: [UInt8] = .rising(from: 77)
        let first = derive(key, salt: salt)
        let second = derive(other, salt: salt)
        let sealed = TwoKeyCiphertext.make(first.key, second.key, blocks: 16)
        let nonce = [UInt8](repeating: 0, count: 12)
        for key in [first.key, second.key] {
            // The cipher alone is fooled: no error.
            _ = try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: [])
        }
        #expect(first.tag != second.tag)
        for commitment in [first.tag, second.tag] {
            let box = [1] + salt + commitment + sealed
            let opened = [key, other].count { key in
                // The test asks whether it opens, not why.
                (try? BoxKey(key).open(box, purpose: .record, context: context)) != nil
            }
            #expect(opened <= 1)
        }
    }

    /// The commitment is checked even if the cipher and the padding would both accept.
    @Test
    func `a box with another key's commitment is refused`() {
        var box = seal(Array("secret".utf8))
        let other = derive(SharedSecret(bytes: .rising(from: 200)), salt: Array(box[1..<33]))
        box.replaceSubrange(33..<65, with: other.tag)
        #expect(throws: SealingError.notAuthentic) { try open(box) }
    }

    /// An attacker with the key could hide things in the padding, or make two boxes of one text.
    @Test(arguments: PaddingForgery.allCases)
    func `padding that pad would not have made is refused`(forgery: PaddingForgery) {
        let salt: [UInt8] = .rising(from: 77)
        let derived = derive(key, salt: salt)
        let sealed = AES256GCM.seal(
            forgery.padded,
            key: derived.key,
            nonce: [UInt8](repeating: 0, count: 12),
            associatedData: []
        )
        let box = [1] + salt + derived.tag + sealed
        if forgery == .none {
            #expect(throws: Never.self) { try open(box) }
        } else {
            #expect(throws: SealingError.notAuthentic) { try open(box) }
        }
    }
}

enum PaddingForgery: CaseIterable, Sendable {
    case none, notZero, lengthTooLarge, lengthEnormous, bucketTooLarge, noBucket, tooShort

    private static func of(length: UInt64, count: Int, last: UInt8 = 0) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(length)
        return encoder.encoded + [UInt8](repeating: 0, count: count - 9) + [last]
    }

    var padded: [UInt8] {
        switch self {
        case .none: Self.of(length: 3, count: 256)
        case .notZero: Self.of(length: 3, count: 256, last: 1)
        case .lengthTooLarge: Self.of(length: 249, count: 256)
        case .lengthEnormous: Self.of(length: .max, count: 256)
        case .bucketTooLarge: Self.of(length: 3, count: 512)
        case .noBucket: Self.of(length: 300, count: 384)
        case .tooShort: Self.of(length: 3, count: 128)
        }
    }
}
