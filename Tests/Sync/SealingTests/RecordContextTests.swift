import KSCausality
import KSRecords
import KSTestSupport
import Testing

import KSSealing

/// The context that a record's box is bound to, byte for byte.
struct RecordContextTests {
    @Test
    func `a record's box opens under no other context, whichever byte of it differs`() throws {
        let random = SeededRandomSource(seed: 5)
        let account = AccountID(validated: .rising(from: 0xA0, count: 16))
        let keyRing = KeyRing.random(from: random)
        let text = Array("secret".utf8)
        let envelope = try RecordCipher(keyRing: keyRing, account: account, random: random).seal(
            text: text,
            recordID: keyRing.recordID(forCanonicalKey: Array("key".utf8), kind: .keychain),
            dot: Dot(actor: ActorID(rawValue: 7), counter: 2),
            replaced: [Dot(actor: ActorID(rawValue: 3), counter: 4)],
            isTombstone: false,
            kind: .keychain
        )
        let key = try keyRing.recordKey(.keychain, generation: 1)
        let context = envelope.context(account: account)
        #expect(try key.open(envelope.box, purpose: .record, context: context) == text)
        for index in context.indices {
            for bit in [1, 0x80] as [UInt8] {
                let other = context.flipping(index, bit: bit)
                #expect(throws: SealingError.notAuthentic, "byte \(index)") {
                    try key.open(envelope.box, purpose: .record, context: other)
                }
            }
        }
        for other in [context + [0], Array(context.dropLast()), []] {
            #expect(throws: SealingError.notAuthentic) {
                try key.open(envelope.box, purpose: .record, context: other)
            }
        }
    }
}
