import KSAgent
import Testing

import KSKeychainTool

/// Each flag of the commands about passwords, and the call that it makes.
struct OptionTests {
    private static func bytes(_ text: String) -> AgentValue { .data(Array(text.utf8)) }

    // MARK: Adding

    @Test
    func `every flag of add-generic-password sets its attribute, or is ignored`() {
        let daemon = FakeDaemon()
        let outcome = run(
            [
                "add-generic-password", "-a", "a", "-s", "s", "-D", "k", "-G", "g", "-c", "abcd",
                "-C", "efgh", "-A", "-T", "/bin/one", "-T", "", "-T", "group://x", "-w", "pw",
            ],
            daemon: daemon
        )
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty && outcome.error.isEmpty)
        #expect(
            daemon.arguments["attributes"] == [
                "acct": "a", "svce": "s", "labl": "s", "desc": "k", "gena": Self.bytes("g"),
                "crtr": .integer(0x6162_6364), "type": .integer(0x6566_6768),
            ]
        )
    }

    @Test
    func `an internet password's label is its server`() {
        let daemon = FakeDaemon()
        #expect(run(["add-internet-password", "-a", "a", "-s", "h"], daemon: daemon).status == 0)
        #expect(
            daemon.arguments["attributes"] == [
                "acct": "a", "srvr": "h", "labl": "h",
            ]
        )
        #expect(daemon.arguments["defaults"] == ["atyp": "dflt"])
    }

    @Test(arguments: ["-w", "-p"])
    func `a last flag without a password asks for it twice`(option: String) {
        let daemon = FakeDaemon()
        let outcome = run(
            ["add-generic-password", "-a", "a", "-s", "s", option],
            daemon: daemon,
            typing: ["pw", "pw"]
        )
        #expect(outcome.status == 0)
        #expect(
            outcome.prompts
                == ["password data for new item: ", "retype password for new item: "]
        )
        #expect(daemon.arguments["secret"] == Self.bytes("pw"))
    }

    /// For an internet password, -p is the path.
    @Test
    func `a last -p does not ask for an internet password`() {
        let outcome = run(["add-internet-password", "-a", "a", "-s", "h", "-p"])
        #expect(outcome.status == 2)
        #expect(outcome.prompts.isEmpty)
    }

    @Test
    func `a duplicate internet password has security's error message`() {
        let outcome = run(
            ["add-internet-password", "-a", "a", "-s", "h"],
            daemon: FakeDaemon(failing: -25299)
        )
        #expect(outcome.status == 45)
        #expect(
            outcome.error
                == "security: SecKeychainAddInternetPassword <NULL>:"
                + " The specified item already exists in the keychain.\n"
        )
    }

    // MARK: Codes of four characters

    @Test(arguments: [
        ["add-internet-password", "-a", "a", "-s", "h", "-r"],
        ["add-internet-password", "-a", "a", "-s", "h", "-t"],
        ["find-internet-password", "-r"], ["find-internet-password", "-t"],
        ["find-internet-password", "-c"], ["find-generic-password", "-C"],
        ["delete-internet-password", "-r"], ["delete-internet-password", "-C"],
        ["delete-generic-password", "-c"],
    ])
    func `codes have four characters in every command`(line: [String]) {
        let words = "Error: four-character types must be exactly 4 characters long.\n"
        let daemon = FakeDaemon()
        for (code, hint) in [("htt", "(Try \"htt \" instead of \"htt\")\n"), ("dfltx", "")] {
            let outcome = run(line + [code], daemon: daemon)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.error == words + hint)
        }
        #expect(daemon.calls.isEmpty)
    }

    // MARK: Finding and deleting

    @Test(arguments: ["find-internet-password", "delete-internet-password"])
    func `every criterion of an internet password reaches the daemon`(command: String) {
        let daemon = FakeDaemon(.success([["class": "inet", "attributes": [:]]]))
        let outcome = run(
            [
                command, "-d", "dom", "-p", "/p", "-P", "80", "-r", "http", "-t", "dflt", "-l",
                "lab", "-D", "k", "-j", "note", "-c", "abcd", "-C", "efgh",
            ],
            daemon: daemon
        )
        #expect(outcome.status == 0)
        #expect(
            daemon.arguments["attributes"] == [
                "sdmn": "dom", "path": "/p", "port": 80, "ptcl": "http", "atyp": "dflt",
                "labl": "lab", "desc": "k", "icmt": "note", "crtr": .integer(0x6162_6364),
                "type": .integer(0x6566_6768),
            ]
        )
    }

    @Test(arguments: ["find-generic-password", "delete-generic-password"])
    func `every criterion of a generic password reaches the daemon`(command: String) {
        let daemon = FakeDaemon(.success([["class": "genp", "attributes": [:]]]))
        let outcome = run(
            [
                command, "-l", "lab", "-D", "k", "-G", "g", "-j", "note", "-c", "abcd", "-C",
                "efgh",
            ],
            daemon: daemon
        )
        #expect(outcome.status == 0)
        #expect(
            daemon.arguments["attributes"] == [
                "labl": "lab", "desc": "k", "gena": Self.bytes("g"), "icmt": "note",
                "crtr": .integer(0x6162_6364), "type": .integer(0x6566_6768),
            ]
        )
    }

    @Test(
        arguments: ["find-generic-password", "find-internet-password"],
        [(-25293, 51), (-128, 128), (-25308, 36)] as [(Int32, Int32)]
    )
    func `a refused secret is reported by its status alone`(
        command: String,
        codes: (status: Int32, exit: Int32)
    ) {
        for option in ["-w", "-g"] {
            let outcome = run(
                [command, "-s", "s", option],
                daemon: FakeDaemon(failing: codes.status)
            )
            #expect(outcome.status == codes.exit)
            #expect(outcome.output.isEmpty && outcome.error.isEmpty)
        }
    }

    @Test(arguments: ["delete-generic-password", "delete-internet-password"])
    func `a deletion without criteria shows the usage`(command: String) {
        let daemon = FakeDaemon()
        for line in [[command], [command, "a.keychain"]] {
            let outcome = run(line, daemon: daemon)
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            #expect(outcome.error.hasPrefix("Usage: \(command) "))
        }
        #expect(daemon.calls.isEmpty)
    }

    // MARK: Long options

    @Test(arguments: [
        ["find-certificate", "--sync"], ["find-key", "--sync"], ["find-identity", "--sync"],
        ["delete-certificate", "--sync", "-c", "x"], ["list-keychains", "--sync"],
        ["create-keychain", "--sync", "-p", "pw", "x"], ["export", "--sync"],
        ["set-generic-password-partition-list", "-S", "x", "-k", "pw", "--sync"],
        ["protect", "f", "--class", "none", "--sync"], ["help", "--sync"],
        ["find-generic-password", "--class", "none"], ["dump-keychain", "--class=none"],
    ])
    func `a long option that the command does not take shows its usage`(line: [String]) {
        let daemon = FakeDaemon(.success([]))
        let outcome = run(line, daemon: daemon)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("Usage: \(line[0]) "))
        #expect(daemon.calls.isEmpty)
    }

    @Test(arguments: [["--sync"], []])
    func `a dump is of all items, or of the synchronizable ones`(option: [String]) {
        let daemon = FakeDaemon(.success([]))
        #expect(run(["dump-keychain"] + option + ["k"], daemon: daemon).status == 0)
        let wanted: AgentValue = option.isEmpty ? "any" : "yes"
        #expect(daemon.allArguments.count == 4)
        #expect(daemon.allArguments.allSatisfy { $0["synchronizable"] == wanted })
    }

    // MARK: Keychains

    @Test
    func `a keychain is not created if a window must ask for its password`() {
        let daemon = FakeDaemon()
        let outcome = run(["create-keychain", "-P", "x"], daemon: daemon, typing: ["pw", "pw"])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty && outcome.error.hasPrefix("security: "))
        #expect(outcome.prompts.isEmpty && daemon.calls.isEmpty)
    }

    @Test
    func `new passwords that differ change nothing`() {
        let daemon = FakeDaemon()
        let outcome = run(
            ["set-keychain-password", "k"],
            daemon: daemon,
            typing: ["old", "new", "other"]
        )
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error == "security: the passwords differ\n")
        #expect(outcome.prompts == ["Old Password: ", "New Password: ", "Retype New Password: "])
        #expect(daemon.calls.isEmpty)
    }
}

/// `keychain rpc`, at any place of the command line.
struct RPCWordTests {
    @Test(
        arguments: [
            (["rpc"], ["rpc"]), (["rpc", "--test"], ["rpc", "--test"]),
            (["--home", "/h", "rpc"], ["rpc", "--home", "/h"]),
            (["-v", "--home=/h", "rpc", "--home", "/i"], ["rpc", "--home", "/h", "--home", "/i"]),
            (["-h", "rpc"], nil), (["help", "rpc"], nil), ([], nil), (["-z", "rpc"], nil),
        ] as [([String], [String]?)]
    )
    func `rpc passes its own arguments to the daemon's program`(line: [String], words: [String]?) {
        #expect(RPCReplacement.words(line.map { Array($0.utf8) }) == words)
    }
}
