import Foundation
import KSCausality
import KSRecords
import SwiftProtobuf
import KSTestSupport
import Testing
import KSWire

/// The bytes of every message stay the same: a program of today talks to one of any later day.
///
/// Both ends are generated from one file, so that nothing else would notice a field that was
/// renumbered. The bytes here were written by another encoder, by hand after the encoding that
/// protobuf.dev documents.
struct FrozenMessageTests {
    struct Frozen: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let encode: @Sendable () throws -> [UInt8]
        let decodesTheSame: @Sendable ([UInt8]) throws -> Bool

        init<Message: SwiftProtobuf.Message & Equatable>(
            _ name: String,
            _ message: Message,
            _ hex: String
        ) {
            testDescription = name
            bytes = Hexadecimal.bytes(hex)
            encode = { try message.serializedBytes() }
            decodesTheSame = { try Message(serializedBytes: $0) == message }
        }
    }

    private static let dot = WireDot.with {
        $0.actor = 0x0102_0304_0506_0708
        $0.counter = 300
    }

    private static func other(_ counter: UInt64) -> WireDot {
        .with {
            $0.actor = 0x1112_1314_1516_1718
            $0.counter = counter
        }
    }

    private static let envelope = WireEnvelope.with {
        $0.format = 1
        $0.recordID = Data([0xA1, 0xA2])
        $0.dot = dot
        $0.replaced = [other(4), other(5)]
        $0.generation = 2
        $0.tombstone = true
        $0.kind = 2
        $0.box = Data([0xB1, 0xB2, 0xB3])
    }

    private static let cursor = WireCursor.with {
        $0.epoch = Data([0xE1])
        $0.seq = 70_000
        $0.tag = Data([0xE2])
    }

    private static let entry = WireSignedEntry.with {
        $0.signedBytes = Data([0xF1])
        $0.signatures = [
            .with {
                $0.member = Data([0xD1])
                $0.signature = Data([0xD2])
            }
        ]
        $0.possession = Data([0xF2])
    }

    private static let keyEnvelope = WireKeyEnvelope.with {
        $0.member = Data([0xD1])
        $0.sealed = Data([0xD3])
    }

    private static let proof = WireProof.with {
        $0.account = Data([0x11])
        $0.member = Data([0xD1])
        $0.nonce = Data([0x21])
        $0.expirySeconds = 1_700_000_120
        $0.signature = Data([0x22])
    }

    static let records: [Frozen] = [
        Frozen(
            "PushRequest",
            WirePushRequest.with {
                $0.signedHeader = Data([1])
                $0.signature = Data([2])
                $0.envelopes = [envelope]
                $0.applied = cursor
            },
            "0a01011201021a3908011202a1a21a0c09080706050403020110ac02220b0918"
                + "171615141312111004220b09181716151413121110052802300138024203b1b2"
                + "b3220a0a01e110f0a2041a01e2"
        ),
        Frozen(
            "PushResponse",
            WirePushResponse.with {
                $0.records = [
                    .with {
                        $0.seq = 70_001
                        $0.dots = [dot]
                    }
                ]
                $0.cursor = cursor
                $0.circleVersion = 9
            },
            "0a1208f1a204120c09080706050403020110ac02120a0a01e110f0a2041a01e2"
                + "1809"
        ),
        Frozen(
            "ChangesResponse",
            WireChangesResponse.with {
                $0.records = [
                    .with {
                        $0.recordID = Data([0xA1, 0xA2])
                        $0.seq = 6
                        $0.siblings = [envelope]
                    }
                ]
                $0.cursor = cursor
                $0.more = true
                $0.vector = [
                    .with {
                        $0.actor = dot.actor
                        $0.counter = dot.counter
                    }
                ]
                $0.circleVersion = 9
                $0.heads = [Data([0xC1]), Data([0xC2])]
                $0.accountBytes = 70_001
                $0.accountBytesMax = 1 << 20
                $0.vectorKnown = true
            },
            "0a410a02a1a210061a3908011202a1a21a0c09080706050403020110ac02220b"
                + "0918171615141312111004220b09181716151413121110052802300138024203"
                + "b1b2b3120a0a01e110f0a2041a01e21801220c09080706050403020110ac0228"
                + "093201c13201c238f1a204408080405001"
        ),
    ]

    static let accounts: [Frozen] = [
        Frozen(
            "SignupRequest",
            WireSignupRequest.with {
                $0.account = Data([0x11])
                $0.name = "ädä"
                $0.entry = entry
                $0.envelopes = [keyEnvelope]
                $0.credentialsBox = Data([0x12])
                $0.invitation = "code"
            },
            "0a01111205c3a464c3a41a0e0a01f112060a01d11201d21a01f222060a01d112"
                + "01d32a01123204636f6465"
        ),
        Frozen(
            "SignupResponse",
            WireSignupResponse.with {
                $0.epoch = Data([0xE1])
            },
            "0a01e1"
        ),
        Frozen(
            "ChallengeResponse",
            WireChallengeResponse.with {
                $0.nonce = Data([0x21])
                $0.expirySeconds = 1_700_000_120
            },
            "0a012110f8e2cfaa06"
        ),
        Frozen(
            "SessionRequest",
            WireSessionRequest.with {
                $0.proof = proof
            },
            "0a120a01111201d11a012120f8e2cfaa062a0122"
        ),
        Frozen(
            "SessionResponse",
            WireSessionResponse.with {
                $0.token = "token"
                $0.lifetimeSeconds = 3600
                $0.account = Data([0x11])
            },
            "0a05746f6b656e10901c1a0111"
        ),
        Frozen(
            "HistoryRequest",
            WireHistoryRequest.with {
                $0.account = Data([0x11])
                $0.member = Data([0x12])
                $0.cursor = WireCursor.with {
                    $0.epoch = Data([0x13])
                    $0.seq = 7
                    $0.tag = Data([0x14])
                }
                $0.nonce = Data([0x21])
                $0.expirySeconds = 1_700_000_120
                $0.signature = Data([0x22])
            },
            "0a01111201121a080a011310071a011422012128f8e2cfaa06320122"
        ),
        Frozen(
            "HistoryResponse",
            WireHistoryResponse.with {
                $0.known = true
                $0.epoch = Data([0x13])
            },
            "0801120113"
        ),
    ]

    static let circle: [Frozen] = [
        Frozen(
            "CircleResponse",
            WireCircleResponse.with {
                $0.account = Data([0x11])
                $0.entries = [entry]
                $0.envelope = keyEnvelope
                $0.credentialsBox = Data([0x12])
                $0.epoch = Data([0xE1])
            },
            "0a0111120e0a01f112060a01d11201d21a01f21a060a01d11201d32201122a01"
                + "e1"
        ),
        Frozen(
            "PutCircleRequest",
            WirePutCircleRequest.with {
                $0.update = Data([0x31])
                $0.proof = proof
            },
            "0a013112120a01111201d11a012120f8e2cfaa062a0122"
        ),
        Frozen(
            "CircleUpdate",
            WireCircleUpdate.with {
                $0.entry = entry
                $0.envelopes = [keyEnvelope]
                $0.credentialsBox = Data([0x12])
            },
            "0a0e0a01f112060a01d11201d21a01f212060a01d11201d31a0112"
        ),
        Frozen(
            "PutCircleResponse",
            WirePutCircleResponse.with {
                $0.version = 8
            },
            "0808"
        ),
    ]

    @Test(arguments: records + accounts + circle)
    func `a message has the bytes it always had`(frozen: Frozen) throws {
        #expect(try frozen.encode() == frozen.bytes)
        #expect(try frozen.decodesTheSame(frozen.bytes))
    }

    @Test
    func `an event has the names it always had, and a challenge is asked for with nothing`() throws
    {
        let event = WireEvent.with {
            $0.seq = 70_000
            $0.circleVersion = 9
        }
        let text = #"{"seq":"70000","circleVersion":"9"}"#
        #expect(try event.jsonString() == text)
        #expect(try WireEvent(jsonString: text) == event)
        let cursor = Cursor(
            epoch: StoreEpoch(validated: [UInt8](repeating: 1, count: StoreEpoch.byteCount)),
            seq: 4,
            tag: .start
        )
        let page = PageAnswer(
            records: [],
            cursor: cursor,
            hasMore: false,
            vector: VersionVector(),
            circleVersion: 9
        )
        let announced = AnnouncedPage(after: cursor, page: page)
        let shown = try WireEvent(seq: 4, circleVersion: 9, announced).jsonString()
        let place = #"{"epoch":"AQEBAQEBAQEBAQEBAQEBAQ==","seq":"4","tag":"AAAAAAAAAAA="}"#
        #expect(
            shown == #"{"seq":"4","circleVersion":"9","after":\#(place),"#
                + #""page":"Eh4KEAEBAQEBAQEBAQEBAQEBAQEQBBoIAAAAAAAAAAAoCQ=="}"#
        )
        #expect(try WireEvent(jsonString: shown).announcedPage() == announced)
        #expect(try WireEvent(jsonString: text).announcedPage() == nil)
        #expect(try WireChallengeRequest().serializedBytes() == [] as [UInt8])
    }
}
