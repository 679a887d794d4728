import KSRecords
import KSTransport
import KSWire
import Testing

import KSSyncEngine

/// How long a device uses a session.
struct HeldSessionTests {
    @Test
    func `an absurd lifetime only opens more sessions`() {
        let account = AccountID(validated: [UInt8](repeating: 1, count: 16))
        for (lifetime, end) in [
            (0, 1000), (1, 2000), (20, 11_000), (3600, 3_571_000), (.max, 3_571_000),
        ] as [(UInt64, UInt64)] {
            let session = ServerSession(token: "t", lifetimeSeconds: lifetime, account: account)
            #expect(HeldSession(session, fromMilliseconds: 1000).endMilliseconds == end)
        }
    }
}
