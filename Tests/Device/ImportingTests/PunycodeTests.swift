import KSImporting
import Testing

struct PunycodeTests {
    /// RFC 3492, section 7.1, in lower case, and hosts as Python's codec writes them.
    @Test(arguments: [
        (
            "\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}",
            "xn--ihqwcrb4cv8a8dqg056pqjye"
        ),
        ("\u{3072}\u{3068}\u{3064}\u{5C4B}\u{6839}\u{306E}\u{4E0B}2", "xn--2-u9tlzr9756bt3uc0v"),
        ("B\u{FC}cher.Example", "xn--bcher-kva.example"), ("\u{C4}\u{D6}.de", "xn--4ca0b.de"),
        (
            "\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.\u{438}\u{441}\u{43F}\u{44B}",
            "xn--e1afmkfd.xn--h1aof5b"
        ),
        ("Plain.Example", "plain.example"), ("", ""),
    ])
    func `a host has one spelling`(host: String, expected: String) {
        #expect(Punycode.host(host) == expected)
        #expect(Punycode.host(expected) == expected)
    }
}
