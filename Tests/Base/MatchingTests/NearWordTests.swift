import KSMatching
import Testing

struct NearWordTests {
    private let words = ["sync", "show", "advance", "offline", "online", "set", "set-field"]

    @Test(
        arguments: [
            ("snyc", "sync"), ("syn", "sync"), ("adv", "advance"), ("advnace", "advance"),
            ("ofline", "offline"), ("onlien", "online"), ("set-feild", "set-field"),
            ("sett", "set"),
        ]
    )
    func `a slip has a nearest word`(typed: String, meant: String) {
        #expect(NearWord.find(typed, in: words) == meant)
    }

    /// Too short, too far from all, or the beginning of two.
    @Test(arguments: ["sy", "most", "flies", "", "delete"])
    func `what is far from every word has none`(typed: String) {
        #expect(NearWord.find(typed, in: words) == nil)
    }
}
