import KSImporting
import Testing

/// Moments as other programs write them.
struct TimestampTests {
    /// By `date -u -d @SECONDS`.
    @Test(arguments: [
        ("1970-01-01T00:00:00.000Z", 0), ("2000-02-29T23:59:59.999Z", 951_868_799_999),
        ("1969-12-31T23:59:59.001Z", -999), ("2026-11-28T05:10:02.123Z", 1_795_842_602_123),
        ("2100-03-01T00:00:00.000Z", 4_107_542_400_000),
    ])
    func `a moment is written and read back`(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp.text(milliseconds) == text)
        #expect(Timestamp.milliseconds(text) == milliseconds)
    }

    @Test
    func `offsets, long fractions and none are understood, and nothing else is`() {
        let moment: Int64 = 951_868_799_000
        #expect(Timestamp.milliseconds("2000-03-01T00:59:59+01:00") == moment)
        #expect(Timestamp.milliseconds("2000-02-29 23:59:59Z") == moment)
        #expect(Timestamp.milliseconds("2000-02-29T23:59:59.1234567Z") == moment + 123)
        for text in [
            "", "2000", "2000-02-29", "2000-13-29T23:59:59Z", "2000-02-29T23:59:59",
            "2000-02-29T23:59:59.Z", "1720000000000", "2000-02-29T23:59:59+0100",
        ] {
            #expect(Timestamp.milliseconds(text) == nil, "\(text)")
        }
        for day in stride(from: Int64(-200_000), to: 200_000, by: 97) {
            let milliseconds = day * 86_400_000 + 12_345
            let text = Timestamp.text(milliseconds)
            #expect(text.flatMap { Timestamp.milliseconds($0) } == milliseconds)
        }
    }
}
