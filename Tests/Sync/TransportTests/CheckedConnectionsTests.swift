import Testing

import KSTransport

/// Whether a connection's certificate is valid now, by its socket.
struct CheckedConnectionsTests {
    private let dates = 1000...2000

    @Test
    func `a certificate is valid from its first second to its last`() {
        let checked = CheckedConnections()
        checked.opened(7, dates: dates)
        for (seconds, isGood) in [(999, false), (1000, true), (2000, true), (2001, false)] {
            #expect(checked.isGood(7, nowSeconds: seconds) == isGood, "\(seconds)")
        }
    }

    @Test
    func `an unknown connection is not trusted`() {
        let checked = CheckedConnections()
        #expect(!checked.isGood(7, nowSeconds: 1500))
        checked.opened(7, dates: nil)
        #expect(!checked.isGood(7, nowSeconds: 1500))
        checked.opened(7, dates: dates)
        #expect(checked.isGood(7, nowSeconds: 1500))
        #expect(!checked.isGood(8, nowSeconds: 1500))
        // Another connection may get its descriptor next.
        checked.closed(7)
        #expect(!checked.isGood(7, nowSeconds: 1500))
    }

    @Test
    func `missing and malformed dates give no validity`() {
        let start = "Start date:Jan  1 00:00:00 2026 GMT"
        let end = "Expire date:Jan  1 00:00:00 2027 GMT"
        #expect(
            CheckedConnections.dates(in: ["Subject:x", start, end])
                == 1_767_225_600...1_798_761_600
        )
        for fields in [
            [], [start], [end], [start, "Expire date:never"], ["Start date:", end],
            ["Start date:Jan  1 00:00:00 2028 GMT", end],
        ] {
            #expect(CheckedConnections.dates(in: fields) == nil, "\(fields)")
        }
    }
}
