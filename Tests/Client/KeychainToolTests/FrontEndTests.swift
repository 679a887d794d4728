import KSEveryday
import KSAgent
import Testing

import KSKeychainTool

extension FrontEndTests {
    @Test(arguments: [
        [], ["-q"], ["-z", "help"], ["-x"], ["-p"], ["--nope", "help"],
        ["--sync", "dump-keychain"], ["--class", "none", "protect", "f"],
    ])
    func `a bad option or a missing command shows the usage on standard output`(line: [String]) {
        let outcome = run(line)
        #expect(outcome.status == 2)
        #expect(outcome.error.isEmpty)
        #expect(outcome.output.hasPrefix("Usage: security "))
    }

    @Test
    func `recovery mode and the search for leaks are accepted`() {
        let found: AgentValue = ["class": "genp", "attributes": [:], "secret": .data([0x70])]
        let daemon = FakeDaemon(.success([found]))
        let outcome = run(["-R", "-l", "find-g", "-w"], daemon: daemon)
        #expect(outcome.status == 0)
        #expect(outcome.output == "p\n" && outcome.error.isEmpty)
    }

    /// Short forms depend on this order.
    @Test
    func `help lists the commands in security's order`() {
        let names = run(["help"]).output.split(separator: "\n").compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(
            names == [
                "help", "list-keychains", "default-keychain", "login-keychain", "create-keychain",
                "delete-keychain", "lock-keychain", "unlock-keychain", "set-keychain-settings",
                "set-keychain-password", "show-keychain-info", "dump-keychain",
                "add-generic-password", "add-internet-password", "add-certificates",
                "find-generic-password", "delete-generic-password",
                "set-generic-password-partition-list", "find-internet-password",
                "delete-internet-password", "set-internet-password-partition-list", "find-key",
                "set-key-partition-list", "find-certificate", "find-identity",
                "delete-certificate", "delete-identity", "export", "import", "error", "protect",
                "unprotect", "rpc",
            ]
        )
    }

    @Test
    func `help describes rpc, which another program carries out`() {
        let help = run(["help", "rpc"])
        #expect(help.status == 0)
        #expect(help.output.hasPrefix("Usage: rpc [--home DIR] [--test]\n        "))
        // In interactive mode rpc is unknown, and it cannot be shortened.
        for outcome in [run(["-i"], input: ["rpc"]), run(["rp"])] {
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("unknown command"))
        }
    }

    @Test
    func `a usage names every option that the command takes`() {
        for description in CommandDescription.table where !description.isMissing {
            let words = description.synopsis.split { "[]| ".contains($0) }
            let named = words.filter { $0.hasPrefix("-") && !$0.hasPrefix("--") }.joined()
            let letters = description.letters
            for letter in letters.valued + letters.flags + letters.paired {
                // The option is always refused.
                if description.name == "create-keychain", letter == "P" { continue }
                #expect(named.contains(letter), "\(description.name) -\(letter)")
            }
            let name = description.name
            #expect(words.contains("--sync") == letters.words.contains(.synchronizable), "\(name)")
            #expect(words.contains("--class") == letters.words.contains(.protection), "\(name)")
            let asksNobody = ["help", "error"].contains(name)
            #expect(words.contains("--home") != asksNobody, "\(name)")
        }
    }

    @Test(arguments: [
        ("c", "create-keychain"), ("s", "set-keychain-settings"), ("sh", "show-keychain-info"),
        ("i", "import"), ("e", "export"), ("er", "error"), ("u", "unlock-keychain"),
    ])
    func `a shortened name means the first command that begins with it`(typed: String, name: String)
    {
        #expect(CommandDescription.find(typed, isWhole: false)?.name == name)
        // Only as `security`: elsewhere a slip would become a command.
        #expect(CommandDescription.find(typed, isWhole: true)?.name == (typed == name ? name : nil))
        #expect(run(["help", typed]).output.hasPrefix("Usage: \(name) "))
    }

    @Test
    func `a usage has two lines`() {
        let lines = "Usage: error code [code ...]\n        Say what an error code means.\n"
        let help = run(["help", "error"])
        #expect(help.status == 0)
        #expect(help.output == lines && help.error.isEmpty)
        let wrong = run(["error"])
        #expect(wrong.status == 2)
        #expect(wrong.error == lines && wrong.output.isEmpty)
    }

    @Test
    func `help prints its sentences in a column`() {
        let lines = run(["help"]).output.split(separator: "\n")
        for line in [
            "    help                                 Show all commands,"
                + " or show usage for a command.",
            "    find-generic-password                Show a generic password:"
                + " the first that matches.",
            "    set-internet-password-partition-list Unlock the keychain and look for the item:"
                + " no program is asked about here.",
        ] {
            #expect(lines.contains { $0 == line }, "no line \(line)")
        }
        for line in lines {
            let column = line.dropFirst(4 + 36)
            #expect(column.first == " ", "\(line)")
            #expect(column.dropFirst().first?.isUppercase == true, "\(line)")
        }
    }
}

extension InteractiveTests {
    @Test(arguments: [["-i"], ["-p", "> "], ["-i", "-q"]])
    func `with a command in the arguments, standard input is ignored`(line: [String]) {
        let outcome = run(line + ["help", "error"], input: ["help import"], isInteractive: true)
        #expect(outcome.both == run(["help", "error"]).output)
    }

    @Test
    func `an empty line is a command that succeeds`() {
        let daemon = FakeDaemon(failing: -25300)
        #expect(run(["-i"], daemon: daemon, input: ["find-g -a x", ""]).status == 0)
        #expect(run(["-i"], daemon: daemon, input: ["", "find-g -a x"]).status == 44)
        let remark = run(["-i"], input: ["# no remarks"])
        #expect(remark.status == 1)
        #expect(remark.error.hasPrefix("security: unknown command \"#\"\n"))
    }

    @Test
    func `a line that is too long is skipped, and the next one runs`() {
        let daemon = FakeDaemon()
        let long = "add-g -a a -s s -w " + String(repeating: "x", count: LineBuffer.lineBytesMax)
        let outcome = run(["-i"], daemon: daemon, input: [long, "help error"])
        #expect(outcome.error.contains("too long"))
        #expect(daemon.calls.isEmpty)
        #expect(outcome.output == run(["help", "error"]).output)
        #expect(run(["-i"], daemon: daemon, input: [long]).status == 1)
    }

    @Test
    func `a prompt is printed before each line, on standard error`() {
        let lines = ["help error", "", "quit"]
        let asked = run(["-i"], input: lines, isInteractive: true)
        #expect(asked.status == 0)
        #expect(asked.error == "security> security> security> ")
        #expect(asked.output == run(["help", "error"]).output)
        // A prompt also precedes the end of the input.
        #expect(run(["-i"], input: ["help"], isInteractive: true).error == "security> security> ")
        let own = run(["-p", "> "], input: lines, isInteractive: true)
        #expect(own.error == "> > > ")
        #expect(own.output == asked.output)
    }

    @Test(arguments: [["-i"], ["-p", "> "]])
    func `without a terminal there is no prompt`(line: [String]) {
        let outcome = run(line, input: ["help error", "quit"])
        #expect(outcome.error.isEmpty)
        #expect(outcome.output == run(["help", "error"]).output)
    }

    @Test
    func `with -v each line is printed before it runs`() {
        let daemon = FakeDaemon(failing: -25300)
        let outcome = run(
            ["-i", "-v"],
            daemon: daemon,
            input: ["find-g -w -a 'b c'", "help error"]
        )
        #expect(
            outcome.error == """
                find-g "-w" "-a" "b c"
                security: SecKeychainSearchCopyNext: The specified item could not be found in the \
                keychain.
                find-g: returned -25300
                help "error"

                """
        )
        #expect(outcome.status == 0)
    }
}
