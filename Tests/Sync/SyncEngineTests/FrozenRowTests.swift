import KSCausality
import KSDigests
import KSRecords
import KSTestSupport
import Testing

import KSSyncEngine

/// The bytes that a device keeps beside its sealed rows, as every later program reads them.
struct FrozenRowTests {
    @Test
    func `the siblings that a mirror holds`() throws {
        let siblings = [
            MirrorRow.Sibling(
                dot: Dot(actor: ActorID(rawValue: 0x0102_0304_0506_0708), counter: 3),
                boxHash: Hash(validated: Array(0..<32)),
                isOpened: true
            ),
            MirrorRow.Sibling(
                dot: Dot(actor: ActorID(rawValue: 0x1112_1314_1516_1718), counter: 300),
                boxHash: Hash(validated: [UInt8](repeating: 0xFF, count: 32)),
                isOpened: false
            ),
        ]
        let frozen =
            "0000000000000002010203040506070800000000000000030000000000000020"
            + "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
            + "00000000000000011112131415161718000000000000012c0000000000000020"
            + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
            + "0000000000000000"
        #expect(Hexadecimal.text(MirrorRow.encode(siblings)) == frozen)
        #expect(try MirrorRow.decodeSiblings(Hexadecimal.bytes(frozen)) == siblings)
    }
}
