import KSRecords
import KSTestSupport
import Testing
import KSWire

struct CursorTextTests {
    /// The text was made with Python: base64.urlsafe_b64encode, padding removed.
    @Test
    func `a cursor's text is base64url of epoch, seq and tag`() throws {
        let cursor = Cursor(
            epoch: StoreEpoch(validated: [UInt8](repeating: 0xfb, count: 16)),
            seq: 0x0102_0304_0506_0708,
            tag: CommitTag(validated: [UInt8](repeating: 0xff, count: 8))
        )
        #expect(cursor.text == "-_v7-_v7-_v7-_v7-_v7-wECAwQFBgcI__________8")
        #expect(try Cursor(text: cursor.text) == cursor)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `a cursor survives encoding as text`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<24).map { _ in UInt8.random(in: 0...255, using: &random) }
        let cursor = Cursor(
            epoch: StoreEpoch(validated: Array(bytes.prefix(16))),
            seq: random.next(),
            tag: CommitTag(validated: Array(bytes.suffix(8)))
        )
        #expect(try Cursor(text: cursor.text) == cursor)
    }

    @Test(arguments: [
        "", "AA", "not base64!", "-_v7-_v7-_v7-_v7-_v7-wECAwQFBgcI__________8=",
        "+/v7+/v7+/v7+/v7+/v7+wECAwQFBgcI//////////8",
        "-_v7-_v7-_v7-_v7-_v7-wECAwQFBgcI__________9",
        "-_v7-_v7-_v7-_v7-_v7-wECAwQFBgcI__________8A",
    ])
    func `other texts are refused`(text: String) {
        #expect(throws: WireError.malformed) { try Cursor(text: text) }
    }
}

struct ErrorCodeTests {
    /// A code is never renamed and never used for anything else; new ones go at the end.
    @Test
    func `the codes are these`() {
        #expect(
            Set(ErrorCode.allCases.map(\.rawValue)) == [
                "malformed", "too_large", "siblings_full", "quota_exceeded", "unauthenticated",
                "refused", "name_taken", "registration_closed", "invitation_needed", "actor_forked",
                "store_restored", "generation_closed", "resync_required", "precondition_required",
                "circle_changed", "not_found", "too_many_requests", "storage_failed", "unavailable",
                "internal_error", "wrong_origin", "unknown_cursor", "account_unknown",
                "account_suspended", "invitation_used", "client_too_old", "server_too_old",
            ]
        )
    }
}
