import Testing

import KSTransport

/// The server's clock in its answers.
struct DateTests {
    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:01 GMT", 1000),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
            ("Fri, 01 Jan 2038 00:00:00 GMT", 2_145_916_800_000), ("no date", nil), ("", nil),
            ("Thu, 01 Jan 600000000 00:00:00 GMT", nil),
            ("Thu, 01 Jan 292277026596 00:00:00 GMT", nil),
            ("Thu, 01 Jan 9000 00:00:00 GMT", nil),
        ] as [(String, UInt64?)]
    )
    func `an impossible date is ignored`(text: String, milliseconds: UInt64?) {
        #expect(CurlTransfer.milliseconds(ofDate: text) == milliseconds)
    }
}
