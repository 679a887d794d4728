import KSAgent
import Testing

import KSKeychainTool

private func item(_ secret: [UInt8], _ attributes: AgentDictionary = [:]) -> AgentValue {
    ["class": "genp", "attributes": .dictionary(attributes), "secret": .data(secret)]
}

/// Adding passwords.
struct AddCommandTests {
    @Test
    func `a generic password is added, silently, with its service as label`() {
        let daemon = FakeDaemon()
        let outcome = run(
            ["add-generic-password", "-a", "me", "-s", "site", "-w", "pw", "-j", "note"],
            daemon: daemon
        )
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty && outcome.error.isEmpty)
        #expect(daemon.calls == ["item.add"])
        #expect(
            daemon.arguments == [
                "class": "genp", "synchronizable": false, "update": false,
                "secret": .data(Array("pw".utf8)),
                "attributes": ["acct": "me", "svce": "site", "labl": "site", "icmt": "note"],
                "match": ["acct": "me", "svce": "site"],
            ]
        )
    }

    @Test
    func `an internet password has its own flags`() {
        let daemon = FakeDaemon()
        let outcome = run(
            [
                "add-internet-password", "-ame", "-s", "a.example", "-p", "/path", "-P", "8443x",
                "-r", "htps", "-l", "label", "-w", "pw", "-U", "--sync",
            ],
            daemon: daemon
        )
        #expect(outcome.status == 0)
        #expect(daemon.arguments["synchronizable"] == true)
        #expect(daemon.arguments["update"] == true)
        #expect(
            daemon.arguments["attributes"] == [
                "acct": "me", "srvr": "a.example", "path": "/path", "port": 8443, "ptcl": "htps",
                "labl": "label",
            ]
        )
        #expect(daemon.arguments["defaults"] == ["atyp": "dflt"])
        // An update matches the given attributes only.
        #expect(
            daemon.arguments["match"] == [
                "acct": "me", "srvr": "a.example", "path": "/path", "port": 8443, "ptcl": "htps",
            ]
        )
    }

    @Test(
        arguments: [
            ("80", 80), (" 80", 80), ("+80", 80), ("-1", -1), ("abc", 0), ("", 0), ("+-1", 0),
            ("99999999999", 0x4876_E7FF), ("99999999999999999999", -1),
        ] as [(String, Int64)]
    )
    func `a port is read as C reads a number`(text: String, port: Int64) {
        let daemon = FakeDaemon()
        _ = run(
            ["add-internet-password", "-a", "me", "-s", "h", "-P", text, "-w", "pw"],
            daemon: daemon
        )
        #expect(daemon.arguments["attributes"]?.dictionary?["port"] == .integer(port))
    }

    @Test(
        arguments: [
            (["-X", "7077"], [0x70, 0x77]), (["-X", "abc"], [0x0A, 0xBC]),
            (["-p", "pw"], [0x70, 0x77]), ([], []),
        ] as [([String], [UInt8])]
    )
    func `a secret is given as text or in hex, and is empty by default`(
        options: [String],
        secret: [UInt8]
    ) {
        let daemon = FakeDaemon()
        #expect(
            run(["add-generic-password", "-a", "a", "-s", "s"] + options, daemon: daemon).status
                == 0
        )
        #expect(daemon.arguments["secret"] == .data(secret))
    }

    @Test
    func `an update without a secret sends no secret`() {
        let daemon = FakeDaemon()
        #expect(
            run(["add-generic-password", "-a", "a", "-s", "s", "-U"], daemon: daemon).status == 0
        )
        #expect(daemon.arguments["secret"] == nil)
    }

    @Test
    func `bytes that are not text are sent unchanged`() {
        let daemon = FakeDaemon()
        let words = ["add-generic-password", "-s", "s", "-a"].map { Array($0.utf8) }
        #expect(
            run(bytes: words + [[0xFF], Array("-w".utf8), [0xFE, 0x80]], daemon: daemon).status == 0
        )
        #expect(daemon.arguments["attributes"]?.dictionary?["acct"] == .data([0xFF]))
        #expect(daemon.arguments["secret"] == .data([0xFE, 0x80]))
    }

    @Test
    func `a password is asked for twice when -w stands last`() {
        let line = ["add-generic-password", "-a", "a", "-s", "s", "-w"]
        let daemon = FakeDaemon()
        #expect(run(line, daemon: daemon, typing: ["x", "y", "pw", "pw"]).status == 0)
        #expect(daemon.arguments["secret"] == .data([0x70, 0x77]))
        let refused = FakeDaemon()
        #expect(run(line, daemon: refused, typing: ["1", "2", "3", "4", "5", "6"]).status == 1)
        #expect(refused.calls.isEmpty)
        #expect(run(line, daemon: refused).status == 1)
    }

    @Test
    func `a duplicate has security's error message`() {
        let outcome = run(
            ["add-generic-password", "-a", "a", "-s", "s"],
            daemon: FakeDaemon(failing: -25299)
        )
        #expect(outcome.status == 45)
        #expect(
            outcome.error
                == "security: SecKeychainItemCreateFromContent (<default>):"
                + " The specified item already exists in the keychain.\n"
        )
        let internet = run(
            ["add-internet-password", "-a", "a", "-s", "s", "login.keychain"],
            daemon: FakeDaemon(failing: -25299)
        )
        #expect(
            internet.error.hasPrefix("security: SecKeychainAddInternetPassword login.keychain: ")
        )
    }

    @Test(arguments: [
        ["-a", "a"], ["-s", "s"], ["-a", "a", "-s"], ["-a", "a", "-s", "s", "-z"],
        ["-a", "a", "-s", "s", "one", "two"], ["-a", "a", "-s", "s", "-X", "xyz"],
        ["-a", "a", "-s", "s", "--unknown"],
    ])
    func `a wrong command line shows the usage`(options: [String]) {
        let daemon = FakeDaemon()
        let outcome = run(["add-generic-password"] + options, daemon: daemon)
        #expect(outcome.status == 2)
        #expect(outcome.error.contains("Usage: add-generic-password "))
        #expect(outcome.output.isEmpty)
        #expect(daemon.calls.isEmpty)
    }

    @Test(arguments: ["abc", "abcde", ""])
    func `codes have four characters`(code: String) {
        let outcome = run(["add-generic-password", "-a", "a", "-s", "s", "-c", code])
        // A malformed code is reported before a missing option.
        #expect(run(["add-generic-password", "-c", code]).error == outcome.error)
        #expect(outcome.status == 1)
        #expect(
            outcome.error
                == "Error: four-character types must be exactly 4 characters long.\n"
                + (code == "abc" ? "(Try \"abc \" instead of \"abc\")\n" : "")
        )
    }
}

/// Finding and deleting passwords.
struct FindCommandTests {
    @Test
    func `find prints the block, and with -g the password on standard error`() {
        let daemon = FakeDaemon(.success([item(Array("é".utf8), ["acct": "me"])]))
        let plain = run(["find-generic-password", "-s", "site"], daemon: daemon)
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("keychain: \"/k\"\nversion: 512\nclass: \"genp\"\n"))
        #expect(plain.error.isEmpty)
        #expect(
            daemon.arguments == [
                "class": "genp", "attributes": ["svce": "site"], "synchronizable": "any",
                "limit": 1, "wantsSecret": false,
            ]
        )
        let shown = run(["find-generic-password", "-s", "site", "-g"], daemon: daemon)
        #expect(shown.error == "password: 0xC3A9 \n")
        #expect(shown.output == plain.output)
        #expect(shown.both == shown.error + shown.output)
        #expect(daemon.arguments["wantsSecret"] == true)
    }

    @Test(
        arguments: [
            (Array("p\\w".utf8), "p\\w\n"), (Array("é".utf8), "c3a9\n"), ([], "\n"),
            ([0x61, 0x0A], "610a\n"),
        ] as [([UInt8], String)]
    )
    func `with -w only the secret is printed`(secret: [UInt8], text: String) {
        let outcome = run(
            ["find-generic-password", "-gw", "-a", "me"],
            daemon: FakeDaemon(.success([item(secret)]))
        )
        #expect(outcome.output == text)
        #expect(outcome.error.isEmpty)
    }

    @Test
    func `a search by the whole primary key ignores other criteria`() {
        let daemon = FakeDaemon(.success([item([])]))
        _ = run(
            ["find-generic-password", "-s", "s", "-a", "a", "-l", "other", "--sync"],
            daemon: daemon
        )
        #expect(daemon.arguments["attributes"] == ["acct": "a", "svce": "s"])
        #expect(daemon.arguments["synchronizable"] == "yes")
    }

    @Test(arguments: [
        "find-generic-password", "find-internet-password", "delete-generic-password",
        "delete-internet-password",
    ])
    func `a missing item has security's error message`(command: String) {
        let outcome = run([command, "-a", "me"], daemon: FakeDaemon(failing: -25300))
        #expect(outcome.status == 44)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.error
                == "security: SecKeychainSearchCopyNext:"
                + " The specified item could not be found in the keychain.\n"
        )
    }

    @Test
    func `a deleted item is shown`() {
        let daemon = FakeDaemon(.success(item([], ["acct": "me"])))
        let outcome = run(["delete-generic-password", "-a", "me"], daemon: daemon)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\"acct\"<blob>=\"me\""))
        #expect(outcome.error == "password has been deleted.\n")
        #expect(outcome.both == outcome.error + outcome.output)
        #expect(daemon.calls == ["item.delete"])
        // delete prints no password, but scripts pass the flag all the same.
        #expect(run(["delete-generic-password", "-g", "-a", "me"], daemon: daemon).status == 0)
        #expect(run(["delete-internet-password", "-ga", "me"], daemon: daemon).status == 0)
    }

    @Test
    func `on a terminal the block comes first`() {
        let find = ["find-generic-password", "-g", "-a", "me"]
        let found = run(find, daemon: FakeDaemon(.success([item([0x70])])), isShown: true)
        #expect(found.both == found.output + "password: \"p\"\n")
        let delete = ["delete-generic-password", "-a", "me"]
        let deleted = run(delete, daemon: FakeDaemon(.success(item([]))), isShown: true)
        #expect(deleted.both == deleted.output + "password has been deleted.\n")
    }

    @Test
    func `a deletion needs a criterion`() {
        let daemon = FakeDaemon()
        #expect(run(["delete-generic-password", "--sync"], daemon: daemon).status == 2)
        #expect(daemon.calls.isEmpty)
    }
}

/// Options and errors before any command.
struct FrontEndTests {
    @Test(
        arguments: [
            (-25300, 44), (-25299, 45), (-25308, 36), (-25293, 51), (-128, 128), (-50, 206),
            (-34018, 30),
        ] as [(Int32, Int32)]
    )
    func `the exit status is the status's low byte`(code: Int32, status: Int32) {
        #expect(run(["find-g", "-a", "x"], daemon: FakeDaemon(failing: code)).status == status)
    }

    @Test
    func `an unreachable daemon is reported in one sentence`() {
        let outcome = run(["find-g", "-a", "x"], daemon: FakeDaemon(.failure(.daemonNotFound)))
        #expect(outcome.status == -25291 & 0xFF)
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        ("find-generic", "item.find"), ("find", "item.find"), ("add-i", "item.add"),
        ("delete-g", "item.delete"), ("list", "keychains.list"), ("lock", "keychains.lock"),
        ("de", "keychains.list"),
    ])
    func `commands may be shortened`(typed: String, call: String) {
        let daemon = FakeDaemon(.success([item([])]))
        let options = call.hasPrefix("item.") ? ["-a", "a", "-s", "s"] : []
        _ = run([typed] + options, daemon: daemon)
        #expect(daemon.calls == [call])
    }

    /// A command that only `security` has must not be taken for another one here.
    @Test(arguments: ["recode", "create-keyp", "cms", "nonsense", ""])
    func `an unknown command ends with 1`(typed: String) {
        let outcome = run([typed, "-a", "a"])
        #expect(outcome.status == 1)
        #expect(outcome.error == "security: unknown command \"\(typed)\"\n")
    }

    @Test
    func `a call without a command shows the usage`() {
        #expect(run([]).status == 2)
        #expect(run(["-z", "help"]).status == 2)
        #expect(run(["-h"]).status == 0)
    }

    @Test
    func `help names every command and its usage`() {
        let list = run(["help"])
        #expect(list.status == 0)
        #expect(list.output.split(separator: "\n").allSatisfy { $0.hasPrefix("    ") })
        #expect(
            list.output.contains("    find-generic-password" + String(repeating: " ", count: 16))
        )
        #expect(run(["help", "add-g"]).output.hasPrefix("Usage: add-generic-password -a account"))
        let unknown = run(["help", "nothing"])
        #expect(unknown.status == 1)
        #expect(unknown.error == "security: help: no such command: nothing\n")
    }

    @Test
    func `error explains a code and ends with 1`() {
        let outcome = run(["error", "-25300", "0xFFFF9D34"])
        #expect(outcome.status == 1)
        #expect(
            outcome.output == """
                Error: 0xFFFF9D2C -25300 The specified item could not be found in the keychain.
                Error: 0xFFFF9D34 -25292 Read only error.

                """
        )
    }

    @Test
    func `the home may be given on either side of the command`() {
        let daemon = FakeDaemon(.success([item([])]))
        #expect(run(["--home", "/a", "find-g", "-a", "x"], daemon: daemon).homes == ["/a"])
        #expect(run(["find-g", "-a", "x", "--home=/b"], daemon: daemon).homes == ["/b"])
        #expect(run(["find-g", "-a", "x"], daemon: daemon).homes == [nil])
    }

    @Test
    func `-v echoes the command`() {
        let outcome = run(
            ["-v", "find-g", "-a", "b c"],
            daemon: FakeDaemon(.success([item([])]))
        )
        #expect(outcome.error == "find-g \"-a\" \"b c\"\n")
    }
}
