import KSAgent
import Testing

import KSKeychainTool

/// The search list, and making, deleting, locking and setting up keychains.
struct KeychainsCommandTests {
    private static let list: AgentValue = [
        "search": ["/h", "/h/keychains/a b"], "default": "/h", "login": "/h",
    ]

    @Test
    func `the search list is shown in quotes, and replaced or emptied`() {
        let daemon = FakeDaemon(.success(Self.list))
        let shown = run(["list-keychains"], daemon: daemon)
        #expect(shown.status == 0)
        #expect(shown.output == "    \"/h\"\n    \"/h/keychains/a b\"\n")
        #expect(run(["list-keychains", "-d", "u", "-s", "x", "./y"], daemon: daemon).status == 0)
        #expect(daemon.calls.last == "keychains.setSearch")
        #expect(daemon.arguments == ["keychains": ["x", "/cwd/./y"]])
        #expect(run(["list-keychains", "-s"], daemon: daemon).status == 0)
        #expect(daemon.arguments == ["keychains": []])
        #expect(run(["list-keychains", "-d", "system"], daemon: daemon).output.isEmpty)
        #expect(run(["list-keychains", "-d", "x"], daemon: daemon).status == 2)
        #expect(run(["list-keychains", "-d", "system", "-s", "x"], daemon: daemon).status == 1)
        #expect(run(["list-keychains"], daemon: FakeDaemon(failing: -25291)).status == 1)
    }

    @Test
    func `the default is shown, set and unset`() {
        let daemon = FakeDaemon(.success(Self.list))
        #expect(run(["default-keychain"], daemon: daemon).output == "    \"/h\"\n")
        #expect(run(["default-keychain", "-s", "x"], daemon: daemon).status == 0)
        #expect(daemon.arguments == ["keychain": "x"])
        #expect(run(["default-keychain", "-s"], daemon: daemon).status == 0)
        #expect(daemon.arguments == [:])
        #expect(run(["default-keychain", "x"], daemon: daemon).status == 2)
        let none = FakeDaemon(.success(["search": [], "default": .null, "login": "/h"]))
        let unset = run(["default-keychain"], daemon: none)
        #expect(unset.status == 37 && unset.output.isEmpty)
        #expect(unset.error.hasPrefix("security: SecKeychainCopyDefault: "))
        let domain = run(["default-keychain", "-d", "user"], daemon: none)
        #expect(domain.status == 37)
        #expect(domain.error.hasPrefix("security: SecKeychainCopyDomainDefault user: "))
        let failing = FakeDaemon(failing: -50)
        for (line, status, routine) in [
            (["default-keychain", "-s", "x"], 206, "SecKeychainSetDefault"),
            (["default-keychain", "-d", "user", "-s"], 206, "SecKeychainSetDomainDefault user"),
            (["list-keychains"], 1, "SecKeychainCopySearchList"),
            (["list-keychains", "-s", "x"], 1, "SecKeychainSetSearchList"),
            (["list-keychains", "-d", "u"], 1, "SecKeychainCopyDomainSearchList user"),
        ] as [([String], Int32, String)] {
            let refused = run(line, daemon: failing)
            #expect(refused.status == status, "\(line)")
            #expect(refused.error.hasPrefix("security: \(routine): "), "\(line)")
        }
        #expect(run(["login-keychain"], daemon: none).output == "    \"/h\"\n")
        #expect(run(["login-keychain", "-s", "x"], daemon: none).status == 1)
    }

    @Test
    func `a keychain is created with a password, given or typed twice`() {
        let daemon = FakeDaemon()
        #expect(run(["create-keychain", "-p", "pw", "one", "/t/two"], daemon: daemon).status == 0)
        #expect(daemon.calls == ["keychains.create", "keychains.create"])
        #expect(daemon.arguments == ["keychain": "/t/two", "password": .data([0x70, 0x77])])
        let typed = run(["create-keychain", "one"], daemon: daemon, typing: ["pw", "pw"])
        #expect(
            typed.prompts == ["password for new keychain: ", "retype password for new keychain: "]
        )
        #expect(daemon.arguments["password"] == .data([0x70, 0x77]))
        let differing = ["1", "2", "3", "4", "5", "6"]
        #expect(run(["create-keychain", "one"], daemon: daemon, typing: differing).status == 255)
        #expect(run(["create-keychain", "one"], daemon: daemon).status == 255)
        #expect(run(["create-keychain", "-p", "x"], daemon: daemon).status == 2)
        let taken = run(["create-keychain", "-p", "x", "one"], daemon: FakeDaemon(failing: -25296))
        #expect(taken.status == 48)
        #expect(
            taken.error
                == "security: SecKeychainCreate one:"
                + " A keychain with the same name already exists.\n"
        )
    }

    @Test
    func `a keychain is deleted by name`() {
        let daemon = FakeDaemon()
        #expect(run(["delete-keychain", "one"], daemon: daemon).status == 0)
        #expect(daemon.arguments == ["keychain": "one"])
        #expect(run(["delete-keychain"], daemon: daemon).status == 2)
        let missing = run(["delete-keychain", "x"], daemon: FakeDaemon(failing: -25294))
        #expect(missing.status == 50)
        #expect(
            missing.error
                == "security: SecKeychainDelete: The specified keychain could not be found.\n"
        )
    }

    @Test
    func `lock-keychain locks one, the default or all`() {
        let daemon = FakeDaemon()
        #expect(run(["lock-keychain", "one"], daemon: daemon).status == 0)
        #expect(daemon.arguments == ["keychain": "one"])
        #expect(run(["lock-keychain"], daemon: daemon).status == 0)
        #expect(daemon.arguments == [:])
        #expect(run(["lock-keychain", "-a"], daemon: daemon).status == 0)
        #expect(daemon.arguments == ["all": true])
    }

    @Test
    func `unlock-keychain asks for the password, and reports a wrong one`() {
        let daemon = FakeDaemon()
        let typed = run(["unlock-keychain", "one"], daemon: daemon, typing: ["pw"])
        #expect(typed.prompts == ["password to unlock one: "])
        #expect(daemon.arguments == ["keychain": "one", "password": .data([0x70, 0x77])])
        let plain = run(["unlock-keychain"], daemon: daemon, typing: ["pw"])
        #expect(plain.prompts == ["password to unlock default: "])
        #expect(run(["unlock-keychain", "-u", "one"], daemon: daemon).status == 0)
        #expect(daemon.arguments["password"] == .data([]))
        let wrong = run(
            ["unlock-keychain", "-p", "wrong", "t.keychain"],
            daemon: FakeDaemon(failing: -25293)
        )
        #expect(wrong.status == 51)
        #expect(
            wrong.error == "security: SecKeychainUnlock t.keychain:"
                + " The user name or passphrase you entered is not correct.\n"
        )
        #expect(run(["unlock-keychain"], daemon: daemon).status == 255)
        let byDefault = run(["unlock-keychain", "-p", "x"], daemon: FakeDaemon(failing: -25293))
        #expect(byDefault.error.hasPrefix("security: SecKeychainUnlock <NULL>: "))
    }

    @Test(
        arguments: [
            ([], false, false, nil), (["-l"], true, false, nil), (["-u"], false, true, nil),
            (["-lut", "60"], true, true, 60), (["-t", "7"], false, true, 7),
        ] as [([String], Bool, Bool, Int64?)]
    )
    func `set-keychain-settings resets what it is not given`(
        options: [String],
        lockOnSleep: Bool,
        useInterval: Bool,
        seconds: Int64?
    ) {
        let daemon = FakeDaemon()
        #expect(run(["set-keychain-settings"] + options + ["k"], daemon: daemon).status == 0)
        var expected: AgentDictionary = [
            "keychain": "k", "lockOnSleep": .bool(lockOnSleep), "useInterval": .bool(useInterval),
        ]
        if let seconds { expected["seconds"] = .integer(seconds) }
        #expect(daemon.arguments == expected)
    }

    @Test(
        arguments: [
            (["lockOnSleep": true, "seconds": 300], " lock-on-sleep timeout=300s"),
            (["useInterval": true, "seconds": 5], " use-lock-interval timeout=5s"),
            (["seconds": .null], " no-timeout"),
        ] as [(AgentValue, String)]
    )
    func `settings are printed on standard error`(settings: AgentValue, words: String) {
        let daemon = FakeDaemon(.success(settings))
        let outcome = run(["show-keychain-info", "t.keychain"], daemon: daemon)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error == "Keychain \"t.keychain\"\(words)\n")
        #expect(
            run(["show-keychain-info"], daemon: daemon).error == "Keychain \"<NULL>\"\(words)\n"
        )
        let locked = FakeDaemon(.success(["locked": true]))
        #expect(run(["show-keychain-info"], daemon: locked).status == 36)
    }

    @Test
    func `set-keychain-password changes the old password to the new one`() {
        let daemon = FakeDaemon()
        #expect(
            run(["set-keychain-password", "-o", "a", "-p", "b", "k"], daemon: daemon).status == 0
        )
        #expect(daemon.arguments == ["keychain": "k", "old": .data([0x61]), "new": .data([0x62])])
        let typed = run(["set-keychain-password"], daemon: daemon, typing: ["a", "b", "b"])
        #expect(typed.status == 0)
        #expect(daemon.arguments == ["old": .data([0x61]), "new": .data([0x62])])
        let differing = run(["set-keychain-password"], daemon: daemon, typing: ["a", "b", "c"])
        #expect(differing.status == 1)
    }

    @Test(arguments: ["key", "generic-password", "internet-password"])
    func `a partition list needs the keychain's password, and an item`(kind: String) {
        let command = ["set-\(kind)-partition-list", "-S", "apple-tool:,apple:"]
        let daemon = FakeDaemon(.success([["class": "keys", "attributes": [:]]]))
        let whole = run(command + ["-l", "l", "-k", "pw", "./k"], daemon: daemon)
        #expect(whole.status == 0 && whole.error.isEmpty)
        #expect(whole.output.hasPrefix("keychain: "))
        #expect(daemon.calls == ["keychains.unlock", "item.find"])
        #expect(
            daemon.allArguments.first
                == ["password": .data([0x70, 0x77]), "keychain": "/cwd/./k"]
        )
        #expect(daemon.arguments["keychains"] == ["/cwd/./k"])
        #expect(daemon.arguments["attributes"] == ["labl": "l"])
        // Without a password and a keychain: a prompt, and the search list.
        for line in [command, command + ["-k"]] {
            let asked = run(line, daemon: daemon, typing: ["pw"])
            #expect(asked.prompts == ["password to unlock default: "] && asked.status == 0)
            #expect(daemon.arguments["keychains"] == nil)
            #expect(run(line, daemon: daemon).status == 1)
        }
        for line in [Array(command[..<1]) + ["-k", "pw"], command + ["-k", "pw", "k", "l"]] {
            #expect(run(line, daemon: daemon).status == 2, "\(line)")
        }
    }

    @Test
    func `a partition list is not set with a wrong password or without an item`() {
        let line = ["set-key-partition-list", "-S", "apple:", "-s", "-k", "pw", "k"]
        let wrong = FakeDaemon(failing: -25293)
        let refused = run(line, daemon: wrong)
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(refused.error.hasPrefix("security: SecKeychainUnlock k: The user name or "))
        #expect(wrong.calls == ["keychains.unlock"])
        let empty = FakeDaemon { call, _ in
            call == "keychains.unlock"
                ? .success(.null) : .failure(.failed(AgentFailure(code: -25300, status: "")))
        }
        let nothing = run(line, daemon: empty)
        #expect(nothing.status == 1)
        #expect(nothing.error.hasPrefix("security: SecItemCopyMatching: The specified item "))
        #expect(empty.arguments["attributes"] == ["sign": 1])
    }

    // MARK: Items of named keychains

    @Test
    func `items are found in, and added to, the named keychains`() {
        let daemon = FakeDaemon(.success([["class": "genp", "attributes": [:]]]))
        _ = run(["find-generic-password", "-s", "s", "one", "sub/two"], daemon: daemon)
        #expect(daemon.arguments["keychains"] == ["one", "/cwd/sub/two"])
        _ = run(["add-generic-password", "-s", "s", "-a", "a", "one"], daemon: daemon)
        #expect(daemon.arguments["keychain"] == "one")
    }

    @Test
    func `a missing keychain has no items`() {
        for command in ["find-generic-password", "delete-internet-password"] {
            let missing = run([command, "-s", "s", "k"], daemon: FakeDaemon(failing: -25294))
            #expect(missing.status == 44)
            #expect(
                missing.error == "security: SecKeychainSearchCopyNext:"
                    + " The specified item could not be found in the keychain.\n"
            )
        }
    }

    @Test
    func `the command named security wants macOS's folder, unless a home is given`() {
        func wanted(_ name: String, home: String? = nil, _ more: [String: String] = [:]) -> String?
        {
            let environment = ["HOME": "/u"].merging(more) { $1 }
            return MacFolder.wanted(name: name, homeArgument: home) { environment[$0] }
        }
        #expect(wanted("security") == "/u/Library/Keychains")
        #expect(wanted("/bin/security") == "/u/Library/Keychains")
        #expect(wanted("keychain") == nil)
        #expect(wanted("security", home: "/h") == nil)
        #expect(wanted("security", ["KEYCHAIN_SYNC_HOME": "/h"]) == nil)
        #expect(wanted("security", ["HOME": "u"]) == nil)
        #expect(wanted("security", ["HOME": "/"]) == nil)
    }

    /// Facts §5.4: only the exit status shows that a secret may not be read.
    @Test
    func `a locked secret is reported by the exit status alone`() {
        for option in ["-w", "-g"] {
            let outcome = run(["find-g", "-s", "s", option], daemon: FakeDaemon(failing: -25308))
            #expect(outcome.status == 36)
            #expect(outcome.output.isEmpty && outcome.error.isEmpty)
        }
        #expect(!run(["find-g", "-s", "s"], daemon: FakeDaemon(failing: -25308)).error.isEmpty)
    }

    // MARK: Dumping

    /// Two generic passwords in /h, and nothing else.
    private static func twoItems(
        _ call: String,
        _ arguments: AgentDictionary
    )
        -> Result<AgentValue, AgentError>
    {
        if call == "keychains.list" { return .success(list) }
        guard arguments["class"] == "genp", arguments["keychains"] == ["/h"] else {
            return .failure(.failed(AgentFailure(code: -25300, status: "")))
        }
        let item: AgentValue = [
            "class": "genp", "attributes": ["acct": "a"], "secret": .data([0x70]),
        ]
        return .success([item, item])
    }

    @Test
    func `a dump shows every item of the list's keychains`() {
        let daemon = FakeDaemon(answering: Self.twoItems)
        let plain = run(["dump-keychain"], daemon: daemon)
        #expect(plain.status == 0)
        #expect(plain.output.split(separator: "keychain: ").count == 2)
        #expect(!plain.output.contains("data:"))
        // One keychain after the other, whatever is in it.
        let several = FakeDaemon(answering: Self.twoItems)
        #expect(run(["dump-keychain", "/h", "/k"], daemon: several).status == 0)
        let searched = several.allArguments.map { $0["keychains"] }
        #expect(searched == Array(repeating: ["/h"], count: 4) + Array(repeating: ["/k"], count: 4))
        let whole = run(["dump-keychain", "-da", "/h"], daemon: daemon)
        #expect(whole.output.contains("\nno access control for this item\ndata:\n\"p\"\n"))
        #expect(daemon.allArguments.last?["wantsSecret"] == true)
        let file = run(["dump-keychain", "-o", "out"], daemon: daemon)
        #expect(file.output.isEmpty)
        #expect(file.files["out"].map { String(decoding: $0, as: UTF8.self) } == plain.output)
        #expect(run(["dump-keychain", "-o", "/full/x"], daemon: daemon).status == 1)
        #expect(run(["dump-keychain", "x"], daemon: FakeDaemon(failing: -25294)).status == 1)
    }
}

/// Commands from standard input.
struct InteractiveTests {
    @Test
    func `the last status is the exit status, and all errors are printed`() {
        let daemon = FakeDaemon(failing: -25300)
        let outcome = run(
            ["-i"],
            daemon: daemon,
            input: ["help error", "find-g -s x", "nonsense"]
        )
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("find-g: returned -25300\n"))
        #expect(outcome.error.hasSuffix("nonsense: returned 1\n"))
        #expect(run(["-i", "-q"], daemon: daemon, input: ["find-g -s x"]).status == 44)
        #expect(
            !run(["-i", "-q"], daemon: daemon, input: ["find-g -s x"]).error.contains("returned")
        )
    }

    @Test
    func `quit exits with 0, and so does an abandoned prompt`() {
        let daemon = FakeDaemon(failing: -25300)
        let quit = run(["-i"], daemon: daemon, input: ["find-g -s x", "quit", "nonsense"])
        #expect(quit.status == 0)
        #expect(!quit.error.contains("nonsense"))
        let differing = ["1", "2", "3", "4", "5", "6"]
        let broken = run(
            ["-p", "> "],
            typing: differing,
            input: ["create-keychain k", "nonsense"]
        )
        #expect(broken.status == 0)
        #expect(run(["-i"]).status == 0)
    }

    @Test(
        arguments: [
            ("a  b\tc", ["a", "b", "c"]), ("a \"b c\" 'd \\ e'", ["a", "b c", "d \\ e"]),
            ("a\\ b \"c\\\"d\"", ["a b", "c\"d"]), ("", []), ("  ", []), ("a ''", ["a", ""]),
            // A quote within a word is a letter; after a closing quote the word continues.
            ("x\"y\"z", ["x\"y\"z"]), ("pa\"ss 'w", ["pa\"ss", "w"]), ("\\'a'", ["'a'"]),
            ("'it'\"'\"'s'", ["it's"]), ("'a'b\"c d", ["ab\"c", "d"]),
            // An open quote ends with the line.
            ("a 'it is", ["a", "it is"]), ("a \"b", ["a", "b"]), ("a '", ["a", ""]),
            ("# a b", ["#", "a", "b"]), ("'DOMAIN\\user'", ["DOMAIN\\user"]),
        ] as [(String, [String])]
    )
    func `a line is split into words`(line: String, words: [String]) {
        #expect(Tool.words(of: Array(line.utf8)) == words.map { Array($0.utf8) })
    }
}
