import KSAgent
import Testing

import KSKeychainTool

/// Bytes are printed as `security` prints them.
struct PrintBufferTests {
    @Test(
        arguments: [
            ([], ""),
            (Array("abc".utf8), "\"abc\""),
            (Array("a\"b".utf8), "\"a\"b\""),
            ([0xC3, 0xA9], "0xC3A9 "),
            (Array("é!".utf8), "0xC3A921  \"\\303\\251!\""),
            (Array("a\\b".utf8), "0x615C62  \"a\\134b\""),
            ([0, 0, 0, 80], "0x00000050  \"\\000\\000\\000P\""),
            ([0, 0, 1, 0xBB], "0x000001BB "),
            ([0x7F], "0x7F "),
            (Array(" ~".utf8), "\" ~\""),
        ] as [([UInt8], String)]
    )
    func `bytes are printed as text, in hex, or both`(bytes: [UInt8], text: String) {
        #expect(PrintBuffer.text(bytes) == text)
    }

    @Test(
        arguments: [
            (0, "20010101000000Z"),
            (-1, "20001231235959Z"),
            (754_012_800, "20241123000000Z"),
            (36_806_399, "20020302235959Z"),
            (99_705_600, "20040229000000Z"),
            (3_124_310_400, "21000103000000Z"),
        ] as [(Double, String)]
    )
    func `dates are sixteen bytes`(seconds: Double, text: String) {
        #expect(dateLine(of: seconds) == PrintBuffer.text(Array("\(text)\0".utf8)))
    }

    @Test(arguments: [.nan, .infinity, -63_113_904_001, 252_423_993_600] as [Double])
    func `a date outside the years 1 to 9999 is shown as NULL`(seconds: Double) {
        #expect(dateLine(of: seconds) == "<NULL>")
    }

    /// The line of a creation date in a block.
    private func dateLine(of seconds: Double) -> String? {
        let item: AgentDictionary = ["class": "genp", "attributes": ["cdat": .date(seconds)]]
        let start = "    \"cdat\"<timedate>="
        let lines = AttributeBlock.text(item: item, keychain: "k").split(separator: "\n")
        return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    @Test
    func `a generic password's block has security's lines`() {
        let item: AgentDictionary = [
            "class": "genp",
            "attributes": [
                "labl": "My site", "acct": "me", "svce": "site", "cdat": .date(0),
                "crtr": .integer(0x6162_6364), "desc": "",
            ],
        ]
        let empty: AgentDictionary = ["class": "genp", "attributes": ["labl": ""]]
        #expect(
            AttributeBlock.text(item: empty, keychain: "k").contains("    0x00000007 <blob>=\n")
        )
        #expect(
            AttributeBlock.text(item: item, keychain: "/k/me") == """
                keychain: "/k/me"
                version: 512
                class: "genp"
                attributes:
                    0x00000007 <blob>="My site"
                    0x00000008 <blob>=<NULL>
                    "acct"<blob>="me"
                    "cdat"<timedate>=0x32303031303130313030303030305A00  "20010101000000Z\\000"
                    "crtr"<uint32>="abcd"
                    "cusi"<sint32>=<NULL>
                    "desc"<blob>=
                    "gena"<blob>=<NULL>
                    "icmt"<blob>=<NULL>
                    "invi"<sint32>=<NULL>
                    "mdat"<timedate>=<NULL>
                    "nega"<sint32>=<NULL>
                    "prot"<blob>=<NULL>
                    "scrp"<sint32>=<NULL>
                    "svce"<blob>="site"
                    "type"<uint32>=<NULL>

                """
        )
    }

    @Test
    func `an internet password's block has its own lines`() {
        let item: AgentDictionary = [
            "class": "inet",
            "attributes": ["ptcl": "htps", "port": 443, "atyp": "dflt", "srvr": "a.example"],
        ]
        let lines = AttributeBlock.text(item: item, keychain: "k").split(separator: "\n")
        #expect(lines.count == 24)
        #expect(lines.contains("    \"port\"<uint32>=0x000001BB "))
        #expect(lines.contains("    \"ptcl\"<uint32>=\"htps\""))
        #expect(lines.contains("    \"atyp\"<blob>=\"dflt\""))
        #expect(lines.contains("    \"sdmn\"<blob>=<NULL>"))
    }

    /// Items have empty text for attributes that were not given.
    @Test
    func `a missing attribute is NULL, and an empty one prints nothing`() {
        let item: AgentDictionary = [
            "class": "inet",
            "attributes": ["sdmn": "", "path": "", "atyp": "", "acct": "", "srvr": "h"],
            "keychain": "/k/other",
        ]
        let lines = AttributeBlock.text(item: item, keychain: "k").split(separator: "\n")
        #expect(lines.first == "keychain: \"/k/other\"")
        for name in ["sdmn", "path", "atyp"] {
            #expect(lines.contains("    \"\(name)\"<blob>=<NULL>"))
        }
        #expect(lines.contains("    \"acct\"<blob>="))
    }

    @Test
    func `certificates and keys are printed with the numbers of their classes`() {
        let certificate: AgentDictionary = [
            "class": "cert",
            "attributes": ["ctyp": 3, "cenc": 3, "labl": "Ada", "slnr": .data([7])],
        ]
        #expect(
            AttributeBlock.text(item: certificate, keychain: "/k") == """
                keychain: "/k"
                version: 512
                class: 0x80001000\u{20}
                attributes:
                    "alis"<blob>="Ada"
                    "cenc"<uint32>=0x00000003\u{20}
                    "ctyp"<uint32>=0x00000001\u{20}
                    "hpky"<blob>=<NULL>
                    "issu"<blob>=<NULL>
                    "labl"<blob>="Ada"
                    "skid"<blob>=<NULL>
                    "snbr"<blob>=0x07\u{20}
                    "subj"<blob>=<NULL>

                """
        )
        let other: AgentDictionary = [
            "class": "cert", "attributes": ["ctyp": 2, "labl": "Ada", "alis": "a@example.org"],
        ]
        let text = AttributeBlock.text(item: other, keychain: "/k")
        #expect(text.contains("\"alis\"<blob>=\"a@example.org\"\n"))
        #expect(text.contains("\"ctyp\"<uint32>=0x00000002 \n"))
        let key: AgentDictionary = [
            "class": "keys",
            "attributes": ["kcls": "1", "type": "42", "bsiz": 2048, "labl": "Key", "sign": true],
        ]
        let lines = AttributeBlock.text(item: key, keychain: "/k").split(separator: "\n")
        #expect(lines.count == 31)
        for line in [
            "class: 0x00000010 ", "    0x00000000 <uint32>=0x00000010 ",
            "    0x00000001 <blob>=\"Key\"", "    0x00000008 <blob>=<NULL>",
            "    0x00000009 <uint32>=0x0000002A  \"\\000\\000\\000*\"",
            "    0x0000000A <uint32>=0x00000800 ", "    0x00000015 <uint32>=0x00000001 ",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }
}
