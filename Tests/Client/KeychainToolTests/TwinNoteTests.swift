import KSAgent
import Testing

/// The line about items that the same options may find.
struct TwinNoteTests {
    private func twin(_ attributes: AgentDictionary) -> AgentValue {
        .dictionary(["class": "inet", "attributes": .dictionary(attributes)])
    }

    private let add = ["add-internet-password", "-s", "h", "-a", "a", "-w", "p"]

    private static let twins: [(AgentDictionary, String)] = [
        (["sync": 1, "pdmn": "ak"], "synchronized"),
        (["sync": 1, "pdmn": "aku"], "on this device only"),
        (["sync": 0], "on this device only"),
        (
            ["sync": 1, "ptcl": "htps", "port": 81, "path": "/p", "sdmn": "d"],
            "synchronized, protocol \"htps\", security domain \"d\", path \"/p\", port 81"
        ),
        (["ptcl": "", "port": 0, "path": .data([])], "on this device only"),
        // Nothing of an item reaches the terminal unchanged.
        (["path": "\u{1B}[2J"], "on this device only, path 0x1B5B324A  \"\\033[2J\""),
    ]

    @Test(arguments: twins)
    func `an add names the twin by what distinguishes it`(
        attributes: AgentDictionary,
        words: String
    ) {
        let outcome = run(add, daemon: FakeDaemon(.success(.array([twin(attributes)]))))
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(
            outcome.error == "security: note: another item has the same server and account"
                + " (\(words)). Find shows the newer one; with -U that item is changed instead of"
                + " adding one.\n"
        )
    }

    @Test
    func `an update names the twins that it leaves`() {
        let twins = AgentValue.array([twin(["sync": 0]), twin(["sync": 1])])
        let outcome = run(add + ["-U"], daemon: FakeDaemon(.success(twins)))
        #expect(
            outcome.error == "security: note: 2 other items have the same server and account"
                + " (on this device only; synchronized). They are unchanged, and find shows the"
                + " newest one.\n"
        )
        #expect(outcome.status == 0)
    }

    @Test
    func `a deletion names the twin that is left`() {
        let deleted: AgentValue = [
            "class": "genp", "attributes": ["acct": "a", "svce": "s"],
            "twins": [["class": "genp", "attributes": ["sync": 1]]],
        ]
        let line = ["delete-generic-password", "-s", "s"]
        let outcome = run(line, daemon: FakeDaemon(.success(deleted)))
        #expect(outcome.status == 0)
        #expect(
            outcome.error == "password has been deleted.\nsecurity: note: another item has the"
                + " same service and account (synchronized). Find now shows that item; delete"
                + " again to remove it too.\n"
        )
    }

    @Test
    func `a dump shows which item syncs`() {
        let items = AgentValue.array([twin(["acct": "a"]), twin(["sync": 1, "acct": "a"])])
        let daemon = FakeDaemon { call, arguments in
            call == "item.find" && arguments["class"] == "inet"
                ? .success(items) : .success(call == "item.find" ? [] : .null)
        }
        let blocks = run(["dump-keychain", "k"], daemon: daemon).output
            .split(separator: "keychain: ").map { $0.contains("    \"sync\"<uint32>=0x00000001 ") }
        #expect(blocks == [false, true])
    }
}
