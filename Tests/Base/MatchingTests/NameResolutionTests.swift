import KSMatching
import Testing

/// Which items a name on the command line stands for.
struct NameResolutionTests {
    private let items = [
        NamedItem(label: "GitHub", sites: ["github.com"], users: ["anna"]),
        NamedItem(label: "Work git", sites: ["www.github.com"], users: ["anna@example.com"]),
        NamedItem(label: "example.com", sites: ["example.com"], users: ["anna"]),
        NamedItem(label: "Bank", sites: ["bank.de", "brokerage.de"], users: ["4711"]),
        NamedItem(label: "bank", sites: ["other.de"], users: ["bob"]),
        NamedItem(label: "Wi-Fi at home"),
        NamedItem(label: "Bücher", sites: ["buch.de"], users: ["bob"]),
        NamedItem(label: "Postbank", sites: ["postbank.de"], users: ["carol"]),
    ]

    @Test(
        arguments: [
            // Labels, identical before equal.
            ("GitHub", [0]), ("github", [0]), ("GITHUB", [0]), ("Bank", [3]), ("bank", [4]),
            ("BANK", [3, 4]), ("example.com", [2]), ("wi-fi at home", [5]), ("BUCHER", [6]),
            ("  wi-fi  at home ", [5]),
            // Sites, with users, and users.
            ("github.com", [0, 1]), ("www.github.com", [0, 1]), ("www.bank.de", [3]),
            ("brokerage.de", [3]), ("anna@github.com", [0]), ("ANNA@GitHub.com", [0]),
            ("anna@example.com@github.com", [1]), ("anna@example.com", [2, 1]), ("4711", [3]),
            ("anna", [2, 0]), ("bob", [4, 6]), ("bob@other.de", [4]),
            // Parts.
            ("git", [0, 1]), ("wi-fi", [5]), ("home wi", [5]), ("work anna", [1]), ("broker", [3]),
            ("anna@git", [0, 1]), ("47@bank", [3]), ("bob@buc", [6]), ("post", [7]),
            ("bank.d", [3, 7]), ("bob@github", []), ("@", [1]), ("carol@", []),
            // No guesses.
            ("githbu", []), ("gthb", []), ("", []), ("  ", []), ("nothing", []),
        ] as [(String, [Int])]
    )
    func `a name is a label, a site, a user or a part`(name: String, expected: [Int]) {
        let resolution: NameResolution =
            switch expected.count {
            case 0: .none
            case 1: .one(expected[0])
            default: .several(expected)
            }
        #expect(NameResolution(name, among: items) == resolution)
    }

    @Test(
        arguments: [
            ("github.com", false), ("ANNA@GitHub.com", false), ("www.bank.de", false),
            ("git", true), ("home wi", true), ("47@bank", true), ("nothing", false),
        ]
    )
    func `a part of a name is known as one`(name: String, isPart: Bool) {
        let found: Int? =
            switch NameResolution(name, among: items) {
            case .none: nil
            case .one(let item): item
            case .several(let several): several.first
            }
        #expect(found.map { NameResolution.isPart(name, of: items[$0]) } ?? false == isPart)
    }

    @Test
    func `equal hits are ordered by label`() {
        let items = ["b", "Ä", "a", "C"].map { NamedItem(label: $0, sites: ["x.de"]) }
        #expect(NameResolution("x.de", among: items) == .several([2, 1, 0, 3]))
        #expect(NameResolution("x", among: items) == .several([2, 1, 0, 3]))
        #expect(NameResolution("x", among: []) == .none)
    }
}
