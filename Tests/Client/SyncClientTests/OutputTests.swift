import Foundation
import KSAgent
import KSRPC
import Testing

import KSDaemon
import KSDeviceKeys
import KSSyncClient

/// The output of commands.
struct OutputTests {
    private static let sync = SyncStatus(
        account: "ada",
        device: "laptop",
        server: "https://sync.example.org"
    )

    @Test
    func `the status of a store says how far its sync is`() {
        var status = KeyValueStatus(store: "settings")
        #expect(status.syncText == "no account: the store is on this device alone")
        status.account = [1]
        #expect(status.syncText == "first sync under way")
        status.unsent = 2
        #expect(status.syncText == "first sync under way")
        status.isFirstSyncComplete = true
        #expect(status.syncText == "changes wait to be sent")
        status.unsent = 0
        #expect(status.syncText == "in step with the account")
        status.problem = "Sync is paused."
        #expect(status.syncText == "not now, see below")
    }

    @Test
    func `the doctor does not call an item well that it could not read`() {
        var examination = Examination()
        #expect(DoctorReport(examination).lines.last == "Nothing is wrong.")
        examination.findings.locked = 2
        #expect(
            DoctorReport(examination).lines
                == [
                    "Items read: 0", "Locked, not checked: 2 (run sync-client unlock first)",
                    "Nothing is wrong in what was checked.",
                ]
        )
        #expect(DoctorReport(examination).exit == nil)
        examination = Examination()
        examination.lock.lock = .beforeFirstUnlock
        #expect(DoctorReport(examination).exit == .tryAgain)
        #expect(DoctorReport(examination).lines.last == "Nothing is wrong in what was checked.")
        examination.findings.account = "The disk is full."
        #expect(DoctorReport(examination).exit == .other)
        examination.findings.isDiskTrouble = true
        #expect(DoctorReport(examination).exit == .diskTrouble)
    }

    @Test
    func `JSON has its keys in order and nothing that breaks out of a string`() {
        let value: AgentValue = [
            "b": [1, true, .null, .double(.infinity)],
            "a": .string("quote \" back \\ line\n\u{1} ü"),
            "c": .date(0),
        ]
        #expect(
            JSONText.text(value)
                == #"{"a":"quote \" back \\ line\n\u0001 ü","b":[1,true,null,null],"#
                + #""c":"2001-01-01T00:00:00.000Z"}"#
        )
    }

    @Test
    func `bytes are text where they can be, else base64 under another name`() {
        #expect(JSONText.text(["secret": .data(Array("ü".utf8))]) == #"{"secret":"ü"}"#)
        #expect(JSONText.text(["secret": .data([0xFF])]) == #"{"secretBase64":"/w=="}"#)
    }

    private func history(
        _ itemClass: String,
        _ attributes: AgentDictionary,
        deletedElsewhere: Bool = false,
        versions: [AgentValue] = []
    ) throws -> ShownHistory {
        try ShownHistory([
            "item": "abcdefgh", "class": .string(itemClass), "attributes": .dictionary(attributes),
            "deletedElsewhere": .bool(deletedElsewhere), "versions": .array(versions),
            "attributeConflicts": [],
        ])
    }

    @Test
    func `a name cannot move the terminal's cursor`() throws {
        let name: AgentDictionary = ["srvr": "a\u{1B}[2Jb", "acct": .data([0x00, 0xFF])]
        let line = HistoryLines.title(try history("inet", name))
        #expect(line == "abcdefgh  a\\u{1b}[2Jb  0x00ff")
    }

    @Test
    func `a warning keeps its lines, and cannot move the terminal's cursor`() {
        #expect(Console.warning("a\u{1B}[2J\nb") == "sync-client: a\\u{1b}[2J\nb\n")
    }

    @Test
    func `an error is one line of JSON where JSON is wanted`() {
        let failure = CommandFailure(.refused, "It says \"no\".\nReally.")
        #expect(
            Console.jsonText(failure)
                == #"{"code":77,"message":"It says \"no\".\nReally.","#
                + #""next":{"code":"not_allowed","command":null}}"#
        )
        #expect(
            Console.jsonText(.locked).hasSuffix(
                #""next":{"code":"locked","command":"sync-client unlock"}}"#
            )
        )
        #expect(Console.asksForJSON(["kv", "list", "--json", "app"]))
        #expect(!Console.asksForJSON(["kv", "set", "app", "k", "--text", "--", "--json"]))
        #expect(!Console.asksForJSON(["status"]))
    }

    @Test(arguments: [
        ("statsu", "sync-client has no command statsu. Did you mean status? "),
        ("kv sett app k 1", "kv has no command sett. Did you mean set? "),
        ("kv frobnicate", "kv has no command frobnicate. --help "),
    ])
    func `a mistyped command is named, with the nearest one`(line: String, start: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let failure = try #require(throws: CommandFailure.self) {
            try CommandWords.check(words[...])
        }
        #expect(failure.sentence.hasPrefix(start) && failure.exit.rawValue == 64)
    }

    @Test(arguments: [
        "", "kv", "kv set app k", "kv list sett", "help kvv", "--versio", "kv --help",
    ])
    func `command names are left to the parser`(line: String) throws {
        try CommandWords.check(line.split(separator: " ").map(String.init)[...])
    }

    @Test
    func `a conflict of a key-value entry is listed by store and key`() throws {
        let line = HistoryLines.title(try history("kv", ["store": "app", "key": "a \"b\""]))
        #expect(line.hasPrefix(#"kv  app  "a \"b\""  (for its store and key: sync-client kv get "#))
    }

    @Test
    func `an item that lives on after a deletion elsewhere is marked`() throws {
        func title(_ isDeletedElsewhere: Bool) throws -> String {
            HistoryLines.title(
                try history(
                    "genp",
                    ["svce": "wifi", "acct": "me"],
                    deletedElsewhere: isDeletedElsewhere
                )
            )
        }
        #expect(try title(true) == "abcdefgh  wifi  me  (deleted elsewhere)")
        #expect(try title(false) == "abcdefgh  wifi  me")
    }

    @Test
    func `history shows a password only where the daemon gave it`() throws {
        let lines = HistoryLines.lines(
            try history(
                "genp",
                ["svce": "wifi", "acct": "me"],
                versions: [
                    ["standing": "current", "secret": .data(Array("pw".utf8))],
                    [
                        "version": 1, "standing": "superseded", "time": .date(0),
                        "device": "phone",
                    ],
                ]
            )
        )
        #expect(
            lines == [
                "abcdefgh  wifi  me",
                "     current     not sent yet              -      password: pw",
                "  1  superseded  2001-01-01T00:00:00.000Z  phone  password: (hidden)",
            ]
        )
    }

    @Test
    func `status without an account says so`() {
        #expect(StatusCommand.lines(DeviceStatus()).first == "account      none on this device")
    }

    @Test
    func `status says why sync is paused, and what went wrong`() {
        var sync = Self.sync
        sync.paused = "Look first."
        var status = DeviceStatus()
        status.standing.problem = "Out of reach."
        status.sync = sync
        let lines = StatusCommand.lines(status)
        #expect(lines.contains("paused       Look first."))
        #expect(lines.contains("problem      Out of reach."))
    }

    @Test
    func `sync prints what it did in one line`() throws {
        let counts = try SyncedCounts([
            "pushed": 1, "pulled": 2, "conflicts": 3, "notSent": [], "quarantinedItems": [],
        ])
        #expect(SyncCommand.line(counts) == "pushed 1, pulled 2, conflicts 3")
    }

    private func record(_ item: String, _ reason: String) throws -> OpenRecord {
        try JSONDecoder().decode(
            OpenRecord.self,
            from: JSONEncoder().encode(["item": item, "reason": reason])
        )
    }

    @Test
    func `status names the items that wait, and says what to do`() throws {
        var sync = Self.sync
        sync.notSent =
            [try record("abcdefgh", "siblings_unreadable")]
            + (try (1...12).map { try record("item\($0)", "siblings_full") })
        sync.quarantinedItems = [try record("bcdefghi", "notAuthentic")]
        sync.quarantined = ["notAuthentic": 2]
        var status = DeviceStatus()
        status.sync = sync
        let lines = StatusCommand.lines(status)
        #expect(
            lines.contains {
                $0.hasPrefix("not sent     abcdefgh: ") && $0.contains("--replace abcdefgh")
            }
        )
        #expect(lines.contains("not sent     3 more (see --json)"))
        #expect(lines.contains("unreadable   bcdefghi: notAuthentic"))
        #expect(lines.contains("quarantined  2 (notAuthentic 2)"))
    }

    @Test
    func `a sync that left records open fails with the daemon's exit status`() throws {
        var counts = try SyncedCounts([
            "pushed": 1, "pulled": 0, "conflicts": 0, "notSent": [], "quarantinedItems": [],
        ])
        #expect(CommandFailure(openRecordsIn: counts) == nil)
        counts.problem = "Look."
        counts.exit = 77
        #expect(
            CommandFailure(openRecordsIn: counts)
                == CommandFailure(code: .recordsOpen, exit: .refused, sentence: "Look.")
        )
    }
}
