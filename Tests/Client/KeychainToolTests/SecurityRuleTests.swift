import KSAgent
import Testing

import KSKeychainTool

/// Rules of `security` about single options and words.
struct SecurityRuleTests {
    @Test(arguments: [["-a", "a"], ["-s", "h"], []])
    func `an internet password needs its account and its server`(options: [String]) {
        let daemon = FakeDaemon()
        let outcome = run(["add-internet-password", "-w", "pw"] + options, daemon: daemon)
        #expect(outcome.status == 2 && daemon.calls.isEmpty)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("Usage: add-internet-password "))
    }

    @Test
    func `every flag of add-internet-password sets its attribute, or is ignored`() {
        let daemon = FakeDaemon()
        let outcome = run(
            [
                "add-internet-password", "-a", "a", "-s", "h", "-d", "dom", "-p", "/p", "-P", "80",
                "-r", "http", "-t", "form", "-D", "k", "-j", "note", "-c", "abcd", "-C", "efgh",
                "-A", "-T", "/bin/one", "-T", "", "-X", "7077",
            ],
            daemon: daemon
        )
        #expect(outcome.status == 0 && outcome.both.isEmpty)
        #expect(
            daemon.arguments["attributes"] == [
                "acct": "a", "srvr": "h", "labl": "h", "sdmn": "dom", "path": "/p", "port": 80,
                "ptcl": "http", "atyp": "form", "desc": "k", "icmt": "note",
                "crtr": .integer(0x6162_6364), "type": .integer(0x6566_6768),
            ]
        )
        #expect(daemon.arguments["secret"] == .data([0x70, 0x77]))
    }

    @Test(arguments: [-25300, -25308, -26275] as [Int32])
    func `a deletion that fails prints the error alone`(status: Int32) {
        for kind in ["generic", "internet"] {
            let outcome = run(
                ["delete-\(kind)-password", "-a", "a"],
                daemon: FakeDaemon(failing: status)
            )
            #expect(outcome.status != 0 && outcome.output.isEmpty)
            #expect(outcome.error.hasPrefix("security: SecKeychainSearchCopyNext: "))
            #expect(!outcome.error.contains("deleted"))
        }
    }

    @Test
    func `a signed number is printed as its four bytes`() {
        let item: AgentValue = [
            "class": "genp", "attributes": ["invi": 1, "nega": 0, "cusi": .integer(-1)],
        ]
        let block = run(["find-generic-password", "-a", "a"], daemon: FakeDaemon(.success([item])))
        let lines = block.output.split(separator: "\n").map(String.init)
        #expect(lines.contains(#"    "invi"<sint32>=0x00000001 "#))
        #expect(lines.contains(#"    "nega"<sint32>=0x00000000 "#))
        #expect(lines.contains(#"    "cusi"<sint32>=0xFFFFFFFF "#))
    }

    @Test
    func `a raw dump equals a plain one, and a dump for editing has no access control`() {
        let item: AgentValue = ["class": "genp", "attributes": [:], "secret": .data([0x70])]
        func dump(_ options: [String]) -> Outcome {
            run(["dump-keychain"] + options + ["k"], daemon: FakeDaemon(.success([item])))
        }
        let plain = dump([])
        #expect(plain.status == 0 && !plain.output.isEmpty)
        #expect(dump(["-r"]).both == plain.both)
        let edited = dump(["-i"])
        #expect(edited.status == 0)
        #expect(edited.output.contains("no access control for this item\n"))
        #expect(edited.output == dump(["-a"]).output)
    }

    @Test
    func `show-keychain-info -s prints no salt`() {
        let daemon = FakeDaemon(.success(["lockOnSleep": true, "seconds": 300]))
        let outcome = run(["show-keychain-info", "-s", "k"], daemon: daemon)
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(outcome.error == "Keychain \"k\" lock-on-sleep timeout=300s\n")
    }

    @Test
    func `an import accepts options that have no effect here`() {
        let daemon = FakeDaemon(.success(["keys": 1]))
        let line = ["import", "in.p12", "-w", "-a", "a", "b", "-a", "c", "d", "-A", "-P", "x"]
        #expect(run(line, daemon: daemon, files: ["in.p12": [1]]).output == "1 key imported.\n")
        #expect(
            daemon.arguments
                == ["file": .data([1]), "extractable": true, "passphrase": .data([0x78])]
        )
    }

    @Test
    func `a wrapped export asks for its passphrase twice`() {
        let daemon = FakeDaemon(.success(["file": .data([9])]))
        let outcome = run(["export", "-w", "-t", "privKeys"], daemon: daemon, typing: ["x", "x"])
        #expect(outcome.status == 0)
        #expect(outcome.prompts == ["passphrase for export: ", "retype passphrase: "])
        #expect(daemon.arguments["passphrase"] == .data([0x78]))
    }

    @Test
    func `help that is asked for goes to standard output`() {
        let outcome = run(["-h"])
        #expect(outcome.status == 0 && outcome.error.isEmpty)
        let list = run(["help"]).output
        #expect(!list.isEmpty && outcome.output.hasSuffix(list))
        #expect(outcome.output.hasPrefix("Usage: security "))
    }
}
