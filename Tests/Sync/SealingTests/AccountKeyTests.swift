import KSSealing
import KSTestSupport
import Testing

struct AccountKeyTests {
    private let text = "K1-7GY7S-F7X7N-YVVZH-YFTZF-YFVZQ-Z88HP"
    private let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// The places of the 30 symbols in the text.
    private var places: [Int] {
        Array(text).indices.filter { $0 >= 3 && Array(text)[$0] != "-" }
    }

    private func group(ofPlace place: Int) -> Int { (place - 3) / 6 + 1 }

    @Test
    func `the frozen text is read and written`() throws {
        let frozen = try FrozenFormat("account key")
        let key = try #require(AccountKey(bytes: frozen.bytes("bytes")))
        #expect(try key.text == frozen.string("text"))
        #expect(key.text == text)
        #expect(try AccountKey(parsing: text) == key)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `every key is read back from its text`(seed: UInt64) throws {
        let key = AccountKey.random(from: SeededRandomSource(seed: seed))
        #expect(try AccountKey(parsing: key.text) == key)
    }

    @Test(arguments: [
        "k1-7gy7s-f7x7n-yvvzh-yftzf-yfvzq-z88hp", "K17GY7SF7X7NYVVZHYFTZFYFVZQZ88HP",
        "  K1 7GY7S F7X7N\tYVVZH YFTZF YFVZQ Z88HP \n", "K1–7GY7S–F7X7N–YVVZH–YFTZF–YFVZQ–Z88HP",
        "k 1 7GY7S F7X7N YVVZH YFTZF YFVZQ Z88HP", "Kl-7GY7SF7-X7NYVVZ-HYFTZFYFVZQZ88HP",
    ])
    func `case, spaces and dashes do not matter`(typed: String) throws {
        #expect(try AccountKey(parsing: typed) == AccountKey(parsing: text))
    }

    @Test
    func `I and L are 1, O is 0`() throws {
        // This key holds many of both.
        let key = try #require(AccountKey(bytes: [UInt8](repeating: 0, count: 15) + [33]))
        #expect(key.text.dropFirst(2).contains("1") && key.text.contains("0"))
        for one in ["I", "L", "i", "l"] {
            let typed = key.text.replacing("1", with: one).replacing("0", with: "o")
            #expect(try AccountKey(parsing: typed) == key)
        }
    }

    /// All 30 × 31 combinations.
    @Test
    func `a wrong symbol is found, and its group is named`() {
        for place in places {
            for symbol in symbols where symbol != Array(text)[place] {
                var typed = Array(text)
                typed[place] = symbol
                let groups = [group(ofPlace: place)]
                #expect(throws: SealingError.accountKeyMistyped(groups: groups)) {
                    try AccountKey(parsing: String(typed))
                }
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `neighbours that changed places are found, and their groups are named`(seed: UInt64) throws
    {
        let written = Array(AccountKey.random(from: SeededRandomSource(seed: seed)).text)
        for (left, right) in zip(places, places.dropFirst()) where written[left] != written[right] {
            var typed = written
            typed.swapAt(left, right)
            let groups = Set([left, right].map(group)).sorted()
            #expect(throws: SealingError.accountKeyMistyped(groups: groups)) {
                try AccountKey(parsing: String(typed))
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `groups that changed places are found, and both are named`(seed: UInt64) throws {
        let key = AccountKey.random(from: SeededRandomSource(seed: seed))
        let written = key.text.split(separator: "-").map(String.init)
        for first in 1..<6 {
            for second in first + 1...6 where written[first] != written[second] {
                var typed = written
                typed.swapAt(first, second)
                #expect(throws: SealingError.accountKeyMistyped(groups: [first, second])) {
                    try AccountKey(parsing: typed.joined(separator: "-"))
                }
            }
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `up to four wrong symbols are never taken for a key`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var typed = Array(text)
        for place in places.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
            typed[place] =
                symbols.filter { $0 != typed[place] }.randomElement(using: &random) ?? "0"
        }
        #expect {
            try AccountKey(parsing: String(typed))
        } throws: { error in
            guard case SealingError.accountKeyMistyped = error else { return false }
            return true
        }
    }

    @Test
    func `a letter outside the alphabet is named by its group`() {
        #expect(throws: SealingError.accountKeyMistyped(groups: [3])) {
            try AccountKey(parsing: "K1-7GY7S-F7X7N-YVUZH-YFTZF-YFVZQ-Z88HP")
        }
        #expect(throws: SealingError.accountKeyMistyped(groups: [1, 6])) {
            try AccountKey(parsing: "K1-7GY!S-F7X7N-YVVZH-YFTZF-YFVZQ-Z88ÄP")
        }
    }

    @Test
    func `a group that is too short or too long is named`() {
        #expect(throws: SealingError.accountKeyMistyped(groups: [2])) {
            try AccountKey(parsing: "K1-7GY7S-F7X7-YVVZH-YFTZF-YFVZQ-Z88HP")
        }
        #expect(throws: SealingError.accountKeyMistyped(groups: [4])) {
            try AccountKey(parsing: "K1-7GY7S-F7X7N-YVVZH-YFTZFF-YFVZQ-Z88HP")
        }
        #expect(throws: SealingError.accountKeyMistyped(groups: [])) {
            try AccountKey(parsing: "K17GY7SF7X7NYVVZHYFTZFYFVZQZ88H")
        }
    }

    @Test(arguments: ["", "K", "-", "7GY7S-F7X7N-YVVZH-YFTZF-YFVZQ-Z88HP", "my password", "KX-1"])
    func `text that is no Account Key is reported as mistyped`(typed: String) {
        #expect {
            try AccountKey(parsing: typed)
        } throws: { error in
            guard case SealingError.accountKeyMistyped = error else { return false }
            return true
        }
    }

    @Test
    func `a later version is not tried as K1`() {
        #expect(throws: SealingError.accountKeyVersionUnknown) {
            try AccountKey(parsing: "K2-7GY7S-F7X7N-YVVZH-YFTZF-YFVZQ-Z88HP")
        }
    }
}
