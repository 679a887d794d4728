import KSAgent
import Testing

import KSKeychainTool

/// Printed output, line by line.
struct OutputLayoutTests {
    @Test
    func `an internet password's block has security's lines`() {
        let item: AgentDictionary = [
            "class": "inet",
            "attributes": [
                "labl": "My site", "acct": "me", "srvr": "a.example", "sdmn": "dom",
                "path": "/p", "port": 80, "ptcl": "http", "atyp": "dflt", "cdat": .date(0),
                "crtr": .integer(0x6162_6364), "icmt": "",
            ],
        ]
        let daemon = FakeDaemon(.success([.dictionary(item)]))
        let outcome = run(["find-internet-password", "-a", "me"], daemon: daemon)
        #expect(outcome.error.isEmpty)
        #expect(
            outcome.output == """
                keychain: "/k"
                version: 512
                class: "inet"
                attributes:
                    0x00000007 <blob>="My site"
                    0x00000008 <blob>=<NULL>
                    "acct"<blob>="me"
                    "atyp"<blob>="dflt"
                    "cdat"<timedate>=0x32303031303130313030303030305A00  "20010101000000Z\\000"
                    "crtr"<uint32>="abcd"
                    "cusi"<sint32>=<NULL>
                    "desc"<blob>=<NULL>
                    "icmt"<blob>=
                    "invi"<sint32>=<NULL>
                    "mdat"<timedate>=<NULL>
                    "nega"<sint32>=<NULL>
                    "path"<blob>="/p"
                    "port"<uint32>=0x00000050  "\\000\\000\\000P"
                    "prot"<blob>=<NULL>
                    "ptcl"<uint32>="http"
                    "scrp"<sint32>=<NULL>
                    "sdmn"<blob>="dom"
                    "srvr"<blob>="a.example"
                    "type"<uint32>=<NULL>

                """
        )
    }

    /// Bytes from the space on are printable.
    @Test(
        arguments: [
            ([0x1F], "0x1F ", "1f"), ([0x20], "\" \"", " "),
            ([0x1F, 0x21], "0x1F21  \"\\037!\"", "1f21"),
        ] as [([UInt8], String, String)]
    )
    func `the first printable byte is the space`(bytes: [UInt8], buffer: String, bare: String) {
        let item: AgentValue = ["class": "genp", "attributes": [:], "secret": .data(bytes)]
        let daemon = FakeDaemon(.success([item]))
        #expect(run(["find-g", "-g"], daemon: daemon).error == "password: \(buffer)\n")
        #expect(run(["find-g", "-w"], daemon: daemon).output == bare + "\n")
    }

    // MARK: Dumping

    /// A keychain with that many generic passwords, and nothing else.
    private static func daemon(items: Int) -> FakeDaemon {
        FakeDaemon { call, arguments in
            guard call == "item.find", arguments["class"] == "genp",
                let skip = arguments["skip"]?.integer, let limit = arguments["limit"]?.integer
            else { return .failure(.failed(AgentFailure(code: -25300, status: ""))) }
            let numbers = (0..<Int64(items)).dropFirst(Int(skip)).prefix(Int(limit))
            guard !numbers.isEmpty else {
                return .failure(.failed(AgentFailure(code: -25300, status: "")))
            }
            let found = numbers.map { number -> AgentValue in
                ["class": "genp", "attributes": ["acct": .string("account \(number)")]]
            }
            return .success(.array(found))
        }
    }

    @Test
    func `a named keychain is dumped whatever the search list is`() {
        let daemon = Self.daemon(items: 1)
        let outcome = run(["dump-keychain", "elsewhere"], daemon: daemon)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\"acct\"<blob>=\"account 0\""))
        #expect(Set(daemon.calls) == ["item.find"])
        #expect(daemon.allArguments.allSatisfy { $0["keychains"] == ["elsewhere"] })
        #expect(
            daemon.allArguments.compactMap { $0["class"]?.string }
                == ["genp", "inet", "cert", "keys"]
        )
    }

    @Test(
        arguments: [(99, [0]), (100, [0, 100]), (105, [0, 100]), (200, [0, 100, 200])]
            as [(Int, [Int64])]
    )
    func `many items are dumped in several calls`(items: Int, skips: [Int64]) {
        let daemon = Self.daemon(items: items)
        let outcome = run(["dump-keychain", "k"], daemon: daemon)
        #expect(outcome.status == 0)
        let accounts = outcome.output.split(separator: "\n").filter { $0.contains("\"acct\"") }
        #expect(
            accounts == (0..<items).map { "    \"acct\"<blob>=\"account \($0)\"" }.map { $0[...] }
        )
        #expect(outcome.output.split(separator: "keychain: ").count == items)
        let calls = daemon.allArguments.filter { $0["class"] == "genp" }
        #expect(calls.compactMap { $0["skip"]?.integer } == skips)
        #expect(calls.allSatisfy { $0["limit"] == 100 })
    }
}
