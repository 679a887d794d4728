import KSCausality
import KSRecords
import KSWire
import Testing

/// The numbers of a page, which a device writes into its database.
struct PageNumberTests {
    private static let page = WireChangesResponse(
        PageAnswer(
            records: [],
            cursor: Cursor(
                epoch: StoreEpoch(validated: [UInt8](repeating: 1, count: StoreEpoch.byteCount)),
                seq: 7,
                tag: CommitTag(validated: [UInt8](repeating: 2, count: CommitTag.byteCount))
            ),
            hasMore: false,
            vector: VersionVector(),
            circleVersion: 1
        )
    )

    @Test(arguments: 0..<3)
    func `a page with a number that no database holds is refused`(number: Int) throws {
        let numbers = [\WireChangesResponse.accountSeq, \.removalHorizon, \.cursor.seq]
        var page = Self.page
        page[keyPath: numbers[number]] = UInt64(Int64.max)
        _ = try PageAnswer(page)
        page[keyPath: numbers[number]] = UInt64(Int64.max) + 1
        #expect(throws: WireError.malformed) { try PageAnswer(page) }
    }
}
