import KSKeyValues
import KSRealStories
import Simulation
import Testing

/// Which steps of real programs a line becomes.
struct StoryPlanTests {
    /// The steps of the last line of a story of two devices.
    private func steps(_ line: String, after lines: String...) throws -> [Step] {
        let text = (["devices laptop phone"] + lines + [line]).joined(separator: "\n")
        return try #require(try StoryPlan(StoryFile(parsing: text)).lines.last).steps
    }

    private func skipped(_ lines: String...) throws -> StoryPlan.SkippedLine? {
        let text = (["devices laptop phone"] + lines).joined(separator: "\n")
        let file = try StoryFile(parsing: text)
        do throws(StoryPlan.SkippedLine) {
            _ = try StoryPlan(file)
            return nil
        } catch {
            return error
        }
    }

    private func keychain(_ words: Command.Word...) -> [Step] {
        [.command(Command(.keychain, on: "laptop", words))]
    }

    private func client(_ words: Command.Word..., reachesServer: Bool = false) -> [Step] {
        [.command(Command(.client, on: "laptop", words, reachesServer: reachesServer))]
    }

    @Test
    func `the first device signs up, and each further one logs in`() throws {
        let plan = try StoryPlan(StoryFile(parsing: "devices laptop phone\njoin tablet"))
        let verbs = plan.lines.flatMap(\.steps).map { step -> String in
            switch step {
            case .command(let command):
                "\(command.device ?? "") \(command.words.first == "login" ? "login" : "signup")"
            case .startDaemon(let name): "\(name) starts"
            case .sync: "sync"
            default: "\(step)"
            }
        }
        #expect(
            verbs == [
                "laptop starts", "laptop signup", "phone starts", "phone login", "sync",
                "tablet starts", "tablet login",
            ]
        )
    }

    @Test
    func `an item is changed by commands of keychain`() throws {
        #expect(
            try steps("laptop add ada@mail first")
                == keychain(
                    "add-generic-password",
                    "-s",
                    "mail",
                    "-a",
                    "ada",
                    "-w",
                    "first",
                    "--sync"
                )
        )
        let item = Command.Word.item("mail")
        #expect(
            try steps(#"laptop set mail note "a = b""#)
                == keychain("edit", item, "--set", "note=a = b")
        )
        #expect(
            try steps("laptop set mail pin 0000")
                == keychain("edit", item, "--add", "pin:text=0000", "--yes")
        )
        #expect(
            try steps("laptop unset mail pin")
                == keychain("edit", item, "--remove", "pin", "--yes")
        )
        #expect(
            try steps("laptop rename mail post") == keychain("edit", item, "--set", "place=post")
        )
        #expect(try steps("laptop delete mail") == keychain("rm", item, "--yes"))
        #expect(try steps("laptop restore mail") == keychain("restore", .deletedItem("mail")))
    }

    @Test
    func `a value of a key is JSON behind two hyphens`() throws {
        #expect(
            try steps("laptop kv set n -5") == client("kv", "set", "--", "story", "n", "-5")
        )
        #expect(
            try steps(#"laptop kv set n "-5""#)
                == client("kv", "set", "--", "story", "n", #""-5""#)
        )
        #expect(
            try steps("laptop kv append list a [1, 0.5]")
                == client(
                    "kv",
                    "add",
                    "--type",
                    "list",
                    "--",
                    "story",
                    "list",
                    #""a""#,
                    "[1,0.5]"
                )
        )
        #expect(
            try steps("laptop kv increment-field map opened -2")
                == client("kv", "increment", "--by=-2", "--field=opened", "--", "story", "map")
        )
    }

    @Test(arguments: [
        ("reset visits 3", EntryWrite.reset(to: 3)), ("declare visits max", .declare(.maximum)),
        ("insert visits 1 x", .insertAt(1, [.string("x")])),
        ("set-element visits 2 C", .setAt(2, .string("C"))),
        ("remove-element visits 0", .removeAt(0)),
        ("move-element visits 2 0", .move(from: 2, to: 0)),
    ])
    func `a write without a command is the call of a program`(
        line: String,
        write: EntryWrite
    ) throws {
        let steps = try steps("laptop kv \(line)")
        #expect(steps == [.write(device: "laptop", key: "visits", write)])
    }

    @Test
    func `the server is stopped while its files are changed`() throws {
        let restore = Command(.server, on: nil, ["restore", .backup, "--force"])
        #expect(
            try steps("server restore", after: "server backup")
                == [.stopServer, .command(restore), .startServer]
        )
        #expect(try steps("server put-back") == [.stopServer, .putStoreBack, .startServer])
        #expect(try steps("server empty") == [.stopServer, .removeStore, .startServer])
        #expect(try steps("server move") == [.stopServer, .copyServer])
        #expect(
            try steps("laptop move")
                == client("server", "set", .address, reachesServer: true)
        )
        #expect(
            try steps("laptop revoke phone")
                == client("revoke", .name("phone"), "--yes", reachesServer: true)
        )
    }

    @Test
    func `a home is copied and put back while its daemon is stopped`() throws {
        #expect(
            try steps("laptop put-back", after: "laptop copy")
                == [.killDaemon("laptop"), .putDatabaseBack("laptop"), .startDaemon("laptop")]
        )
        #expect(
            try steps("laptop clone copy")
                == [.copyHome(of: "laptop", to: "copy"), .startDaemon("copy")]
        )
    }

    @Test
    func `a network is what stands between a device and the server`() throws {
        #expect(try steps("laptop one-way") == [.setLink(device: "laptop", .oneWay)])
        #expect(
            try steps("laptop lossy 50") == [.setLink(device: "laptop", .lossy(percent: 50))]
        )
        #expect(
            try steps("laptop slow 50ms") == [.setLink(device: "laptop", .slow(milliseconds: 50))]
        )
        #expect(
            try steps("laptop slow 20s")
                == [.setLink(device: "laptop", .slow(milliseconds: StoryPlan.delayMillisecondsMax))]
        )
    }

    @Test
    func `an expectation asks the real programs`() throws {
        #expect(
            try steps(#"expect laptop mail password conflicts "a b" 7"#) == [
                .expect(
                    .fieldConflicts(device: "laptop", item: "mail", field: "password"),
                    expected: #""a b" "7""#
                )
            ]
        )
        #expect(
            try steps("expect laptop kv visits is nothing")
                == [.expect(.value(device: "laptop", key: "visits"), expected: "nothing")]
        )
        #expect(
            try steps("expect laptop lacks mail")
                == [.expect(.lacks(device: "laptop", item: "mail"), expected: "no mail")]
        )
        let reasons = try ["waiting", "revoked"].map {
            try steps("expect laptop unsent because \($0)")
        }
        // A device that tries to send may send.
        #expect(
            reasons == [
                [
                    .expect(
                        .unsentReason(device: "laptop", asksServer: false),
                        expected: "waiting"
                    )
                ],
                [
                    .expect(
                        .unsentReason(device: "laptop", asksServer: true),
                        expected: "revoked"
                    )
                ],
            ]
        )
        #expect(
            try steps("expect server deleted 2")
                == [.expect(.records(areDeleted: true), expected: "2")]
        )
    }

    @Test(arguments: [
        ("phone clock +10y", "clock of its machine"),
        ("advance 31d", "waits for a minute at most"),
        ("server remove-deleted", "server's own clock"),
        ("laptop disk-full", "disk of this machine is not filled"),
        ("server disk-full", "disk of this machine is not filled"),
        ("laptop crash-at-write 3", "a real disk has not synced"),
        ("server crash-at-write 3", "a real disk has not synced"),
        ("expect phone mail note by laptop", "which device set a note"),
        ("phone unset mail title", "removes no title"),
        ("expect phone unsent because killed", "answers no question"),
    ])
    func `a line that real programs cannot play skips the story, with its reason`(
        line: String,
        reason: String
    ) throws {
        let skipped = try #require(try skipped("laptop add mail first", line, "sync"))
        #expect(skipped.line == 3 && skipped.text == line)
        #expect(skipped.reason.contains(reason), "\(skipped)")
    }

    @Test
    func `time on a slow or lossy network is not played, until the network is right again`() throws
    {
        let slow = try #require(try skipped("phone slow 1s", "advance 2s"))
        #expect(slow.line == 3 && slow.reason.contains("phone is on a slow network"))
        let lossy = try #require(try skipped("phone lossy 10", "sync", "advance 2s"))
        #expect(lossy.line == 4 && lossy.reason.contains("lossy"))
        #expect(try skipped("phone slow 1s", "sync", "phone online", "advance 2s") == nil)
    }
}
