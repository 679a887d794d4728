import KSMerging
import Testing

/// The end of a page, and the contacts that are stored.
struct PageFillTests {
    @Test
    func `a page ends at its records or its bytes, but never before its first record`() {
        var records = PageFill(recordsMax: 2, bytesMax: 1000)
        #expect([10, 10, 10].map { records.takes($0) } == [true, true, false])
        var bytes = PageFill(recordsMax: 10, bytesMax: 20)
        #expect([10, 10, 1].map { bytes.takes($0) } == [true, true, false])
        var large = PageFill(recordsMax: 10, bytesMax: 20)
        #expect([21, 1].map { large.takes($0) } == [true, false])
    }

    @Test
    func `a contact is saved if it has news, or after an hour`() {
        let noted = MemberContact(appliedSeq: 5, seconds: 1000, isDormant: false)
        #expect(!noted.isNews(appliedSeq: 5, nowSeconds: 1000 + 3599))
        #expect(noted.isNews(appliedSeq: 6, nowSeconds: 1000))
        #expect(noted.isNews(appliedSeq: 0, nowSeconds: 1000 + 3600))
        let dormant = MemberContact(appliedSeq: 5, seconds: 1000, isDormant: true)
        #expect(dormant.isNews(appliedSeq: 5, nowSeconds: 1000))
    }
}
