import Agent
import Testing

@testable import KeychainTool

/// Bytes are shown as `security` shows them.
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
    func `each kind of bytes has its form`(bytes: [UInt8], text: String) {
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
        #expect(DateText.bytes(secondsSince2001: seconds) == Array(text.utf8) + [0])
    }

    @Test
    func `a date without such a text is none`() {
        #expect(DateText.bytes(secondsSince2001: .nan) == nil)
        #expect(DateText.bytes(secondsSince2001: .infinity) == nil)
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
    }
}
