import KSWire
import Testing

struct SpokenProtocolTests {
    @Test
    func `this program states its protocols and features, sorted`() throws {
        #expect(SpokenProtocol.own.text == "1-1 delete-account events rebuild")
        #expect(try SpokenProtocol(SpokenProtocol.own.text) == .own)
        #expect(SpokenProtocol(2...7, []).text == "2-7")
    }

    /// A feature that is added later must not be among those of a program that states nothing.
    @Test
    func `a program that states nothing speaks the first protocol, with all that it had`() throws {
        let unstated = try SpokenProtocol(nil)
        #expect(unstated == SpokenProtocol(1...1, [.deleteAccount, .events, .rebuild]))
    }

    @Test
    func `features that this program does not know are ignored`() throws {
        let stated = try SpokenProtocol("1-3 of-tomorrow rebuild  Events")
        #expect(stated == SpokenProtocol(1...3, [.rebuild]))
        #expect(try SpokenProtocol("12-12") == SpokenProtocol(12...12, []))
    }

    @Test(arguments: [
        "", " ", "1", "1-", "-1", "1-2-3", "2-1", "a-b", "1 - 1", "-1-2", "events 1-1", "1-1.5",
        "1-99999999999999999999",
    ])
    func `other texts are refused`(text: String) {
        #expect(throws: WireError.malformed) { try SpokenProtocol(text) }
    }

    @Test(
        arguments: [
            (1...1, 1...1, nil), (1...2, 2...3, nil), (2...3, 1...2, nil), (1...9, 4...4, nil),
            (1...1, 2...3, .clientTooOld), (3...4, 1...2, .serverTooOld),
        ] as [(ClosedRange<UInt64>, ClosedRange<UInt64>, ErrorCode?)]
    )
    func `without a common protocol the older one is refused`(
        client: ClosedRange<UInt64>,
        server: ClosedRange<UInt64>,
        code: ErrorCode?
    ) {
        let refusal = SpokenProtocol.refusal(
            client: SpokenProtocol(client, []),
            server: SpokenProtocol(server, [])
        )
        #expect(refusal == code)
    }

    @Test
    func `fields of an event that this version does not know are ignored`() throws {
        let event = try WireEvent(#"{"seq":"7","circleVersion":"2","ofTomorrow":{"a":[1]}}"#)
        #expect(event.seq == 7 && event.circleVersion == 2)
        #expect(throws: WireError.malformed) { try WireEvent("<html>") }
    }
}
