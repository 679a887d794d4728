import KSAgent
import Testing

import KSKeychainTool

/// Certificates, keys and identities, as they are printed.
struct CertificateCommandTests {
    private static func certificate(_ label: String) -> AgentValue {
        [
            "class": "cert", "attributes": ["labl": .string(label)], "keychain": "/k",
            "sha1": .data([0xAB, 0x01]), "sha256": .data([0xCD]), "emails": ["a@b", "c@d"],
            "pem": "-----BEGIN\n",
        ]
    }

    private let two = FakeDaemon(.success([Self.certificate("One"), Self.certificate("Two")]))

    @Test
    func `the first certificate is shown, or all`() {
        let first = run(["find-certificate", "-c", "n", "-e", "a@b", "k"], daemon: two)
        #expect(first.status == 0)
        #expect(first.output.contains("class: 0x80001000 \n"))
        #expect(first.output.contains("\"labl\"<blob>=\"One\""))
        #expect(!first.output.contains("Two"))
        #expect(two.arguments == ["name": "n", "email": "a@b", "keychains": ["k"]])
        #expect(run(["find-certificate", "-a"], daemon: two).output.contains("Two"))
    }

    @Test
    func `hashes, addresses and PEM are printed on request`() {
        let outcome = run(["find-certificate", "-Zmp"], daemon: two)
        #expect(
            outcome.output == """
                SHA-256 hash: CD
                SHA-1 hash: AB01
                email addresses: a@b, c@d
                -----BEGIN

                """
        )
        let missing = run(["find-certificate"], daemon: FakeDaemon(failing: -25300))
        #expect(missing.status == 44)
        #expect(missing.error.hasPrefix("security: SecKeychainSearchCopyNext: "))
    }

    @Test
    func `find-certificate -a without a match exits with 44`() {
        for line in [["find-certificate", "-a", "-c", "x"], ["find-certificate", "-ap"]] {
            let none = run(line, daemon: FakeDaemon(failing: -25300))
            #expect(none.status == 44 && none.output.isEmpty)
            #expect(none.error.hasPrefix("security: SecKeychainSearchCopyNext: "))
        }
        let locked = run(["find-certificate", "-a"], daemon: FakeDaemon(failing: -25308))
        #expect(locked.status == 36 && !locked.error.isEmpty)
    }

    @Test
    func `identities are listed twice, or only the valid ones`() {
        let daemon = FakeDaemon(
            .success([
                ["sha1": .data([0xAA]), "label": "Ada", "standing": "valid"],
                ["sha1": .data([0xBB]), "label": "Old", "standing": "expired"],
                ["sha1": .data([0xCC]), "label": "New", "standing": "notYetValid"],
            ])
        )
        let all = run(["find-identity", "-p", "codesigning"], daemon: daemon)
        #expect(all.status == 0)
        #expect(daemon.arguments == ["policy": "codesigning"])
        #expect(
            all.output == """

                Policy: Code Signing
                  Matching identities
                  1) AA "Ada"
                  2) BB "Old" (CSSMERR_TP_CERT_EXPIRED)
                  3) CC "New" (CSSMERR_TP_CERT_NOT_VALID_YET)
                     3 identities found

                  Valid identities only
                  1) AA "Ada"
                     1 valid identities found

                """
        )
        let valid = run(["find-identity", "-v"], daemon: daemon)
        #expect(valid.output == "  1) AA \"Ada\"\n     1 valid identities found\n")
        #expect(daemon.arguments == ["policy": "basic"])
        _ = run(["find-identity", "-p", "ssl-server", "-s", "example.com"], daemon: daemon)
        #expect(daemon.arguments == ["policy": "ssl-server", "host": "example.com"])
        let other = run(["find-identity", "-s", "x", "-p", "basic", "-p", "other"], daemon: daemon)
        #expect(other.status == 2 && other.output.isEmpty)
        let none = run(["find-identity", "-v"], daemon: FakeDaemon(.success([])))
        #expect(none.output == "     0 valid identities found\n")
        #expect(none.status == 0)
    }

    @Test
    func `each policy has a block, after the name that is searched for`() {
        let daemon = FakeDaemon(.success([["sha1": .data([0xAA]), "label": "Ada"]]))
        let line = ["find-identity", "-v", "-p", "ssl-server", "-s", "example.com", "-p", "smime"]
        let both = run(line, daemon: daemon)
        #expect(
            both.output == """
                Looking for identities matching "example.com"
                     0 valid identities found
                     0 valid identities found

                """
        )
        #expect(
            daemon.allArguments == [
                ["policy": "ssl-server", "host": "example.com"],
                ["policy": "smime", "host": "example.com"],
            ]
        )
        let titles = run(["find-identity", "-p", "codesigning", "-p", "basic"], daemon: daemon)
            .output.split(separator: "\n").filter { $0.hasPrefix("Policy: ") }
        #expect(titles == ["Policy: Code Signing", "Policy: X.509 Basic"])
        let locked = FakeDaemon(failing: -25308)
        #expect(run(["find-identity", "-p", "eap", "-p", "basic"], daemon: locked).status == 36)
        #expect(locked.calls.count == 1)
    }

    @Test
    func `keys are found by kind and by use`() {
        let daemon = FakeDaemon(
            .success([["class": "keys", "attributes": ["kcls": 0]], ["class": "keys"]])
        )
        let outcome = run(["find-key", "-t", "priv", "-l", "n", "-s", "-d", "k"], daemon: daemon)
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "keychain: ").count == 2)
        #expect(outcome.output.contains("class: 0x0000000F \n"))
        #expect(
            daemon.arguments == [
                "class": "keys", "keychains": ["k"],
                "attributes": ["kcls": 1, "labl": "n", "sign": 1, "decr": 1],
            ]
        )
        #expect(run(["find-key", "-t", "x"], daemon: daemon).status == 2)
        let none = run(["find-key"], daemon: FakeDaemon(failing: -25300))
        #expect(none.status == 1)
        #expect(
            none.error
                == "security: SecItemCopyMatching:"
                + " The specified item could not be found in the keychain.\n"
        )
    }

    @Test
    func `a certificate is deleted by its name or its hash`() {
        let daemon = FakeDaemon()
        #expect(run(["delete-certificate", "-c", "Ada", "k"], daemon: daemon).status == 0)
        #expect(
            daemon.arguments
                == ["name": "Ada", "identity": false, "keychains": ["k"]]
        )
        let hash = String(repeating: "Ab", count: 20)
        #expect(run(["delete-identity", "-Z", hash, "-t"], daemon: daemon).status == 0)
        #expect(daemon.arguments["hash"] == .data([UInt8](repeating: 0xAB, count: 20)))
        #expect(daemon.arguments["identity"] == true)
        #expect(run(["delete-certificate"], daemon: daemon).status == 2)
        #expect(run(["delete-certificate", "-Z", "ab"], daemon: daemon).status == 2)
        let missing = run(["delete-identity", "-c", "x"], daemon: FakeDaemon(failing: -25300))
        #expect(missing.status == 1)
        #expect(missing.error == "security: Unable to delete identity matching \"x\"\n")
        let several = run(["delete-certificate", "-c", "x"], daemon: FakeDaemon(failing: -25259))
        #expect(several.status == 1)
        #expect(several.error.contains("\"x\" is ambiguous"))
    }
}

/// Imports and exports.
struct TransferCommandTests {
    private static let file: [String: [UInt8]] = ["in.p12": [1, 2, 3]]

    @Test(
        arguments: [
            (["identities": 1, "keys": 0, "certificates": 0], "1 identity imported.\n"),
            (["identities": 2, "keys": 1], "2 identities imported.\n1 key imported.\n"),
            (["keys": 2, "certificates": 1], "2 keys imported.\n1 certificate imported.\n"),
            (["certificates": 3], "3 certificates imported.\n"),
        ] as [(AgentValue, String)]
    )
    func `imported items are counted`(counts: AgentValue, words: String) {
        let daemon = FakeDaemon(.success(counts))
        let outcome = run(
            [
                "import", "in.p12", "-k", "sub/k", "-P", "pw", "-f", "pkcs12", "-t", "agg", "-A",
                "-T", "/bin/x", "-a", "name", "value", "-x",
            ],
            daemon: daemon,
            files: Self.file
        )
        #expect(outcome.status == 0)
        #expect(outcome.output == words)
        #expect(daemon.calls == ["keychains.import"])
        #expect(
            daemon.arguments == [
                "file": .data([1, 2, 3]), "keychain": "/cwd/sub/k", "format": "pkcs12",
                "kind": "agg", "passphrase": .data([0x70, 0x77]), "extractable": false,
            ]
        )
    }

    @Test
    func `a passphrase is asked for when the file needs one`() {
        let daemon = FakeDaemon { _, arguments in
            arguments["passphrase"] == .data([0x70, 0x77])
                ? .success(["keys": 1]) : .failure(.failed(AgentFailure(code: -25260, status: "")))
        }
        let typed = run(["import", "in.p12"], daemon: daemon, typing: ["pw"], files: Self.file)
        #expect(typed.status == 0)
        #expect(typed.prompts == ["passphrase for in.p12: "])
        #expect(typed.error.isEmpty)
        #expect(run(["import", "in.p12"], daemon: daemon, files: Self.file).status == 1)
        let given = run(["import", "in.p12", "-P", "x"], daemon: daemon, files: Self.file)
        #expect(given.status == 1)
        #expect(given.error.contains("Passphrase is required"))
    }

    @Test
    func `an import without any item exits with 1`() {
        let none = run(["import", "in.p12"], daemon: FakeDaemon(failing: -25300), files: Self.file)
        #expect(none.status == 1)
        #expect(none.error == "security: No keychain items found\n")
        let wrong = run(
            ["import", "in.p12"],
            daemon: FakeDaemon(failing: -25264),
            files: Self.file
        )
        #expect(wrong.status == 1)
        #expect(
            wrong.error == "security: SecKeychainItemImport:"
                + " MAC verification failed during PKCS12 import (wrong password?)\n"
        )
        let missing = run(["import", "nope"], files: Self.file)
        #expect(missing.status == 1)
        #expect(missing.error == "security: Error reading infile nope: No such file or directory\n")
    }

    @Test
    func `further words after the options are ignored`() {
        let daemon = FakeDaemon(.success(["keys": 1]))
        let line = ["import", "in.p12", "-T", "/bin/a", "/bin/b", "-k", "other"]
        #expect(run(line, daemon: daemon, files: Self.file).output == "1 key imported.\n")
        #expect(daemon.arguments == ["file": .data([1, 2, 3]), "extractable": true])
        let answer = AgentValue.dictionary(["file": .data([7]), "leftOut": 0])
        let export = run(["export", "-t", "certs", "x"], daemon: FakeDaemon(.success(answer)))
        #expect(export.output == "\u{7}")
    }

    @Test(arguments: [
        ["import"], ["import", "in.p12", "-f", "word"],
        ["import", "in.p12", "-t", "x"], ["export", "-f", "word"], ["export", "-t", "x"],
        ["add-certificates"],
    ])
    func `a wrong command line shows the usage`(line: [String]) {
        let outcome = run(line, files: Self.file)
        #expect(outcome.status == 2)
        #expect(outcome.error.hasPrefix("Usage: \(line[0]) "))
    }

    @Test
    func `an export goes to the file, and its size is printed`() {
        let daemon = FakeDaemon(.success(["file": .data([9, 8, 7])]))
        let outcome = run(
            ["export", "-k", "k", "-t", "certs", "-f", "x509", "-p", "-o", "out"],
            daemon: daemon
        )
        #expect(outcome.status == 0)
        #expect(outcome.files["out"] == [9, 8, 7])
        #expect(outcome.error == "...3 bytes written to out\n")
        #expect(
            daemon.arguments
                == ["keychains": ["k"], "kind": "certs", "format": "x509", "armoured": true]
        )
        #expect(run(["export", "-o", "/full/x"], daemon: daemon).status == 1)
        #expect(Array(run(["export"], daemon: daemon).output.utf8) == [9, 8, 7])
    }

    @Test(arguments: [(1, "1 key was"), (2, "2 keys were")])
    func `an export prints how many keys it leaves out`(count: Int64, words: String) {
        let answer: AgentValue = ["file": .data([9]), "leftOut": .integer(count)]
        let outcome = run(["export"], daemon: FakeDaemon(.success(answer)))
        #expect(outcome.status == 0)
        #expect(Array(outcome.output.utf8) == [9])
        #expect(outcome.error.hasPrefix("security: \(words) left out: "))
    }

    @Test
    func `PKCS 12 needs a passphrase, typed twice`() {
        let daemon = FakeDaemon(.success(["file": .data([])]))
        #expect(run(["export", "-f", "pkcs12"], daemon: daemon, typing: ["pw", "pw"]).status == 0)
        #expect(daemon.arguments["passphrase"] == .data([0x70, 0x77]))
        #expect(run(["export", "-f", "pkcs12", "-P", "x"], daemon: daemon).status == 0)
        #expect(run(["export", "-f", "pkcs12"], daemon: daemon).status == 1)
    }

    @Test
    func `certificates of several files are added`() {
        let daemon = FakeDaemon(.success(["certificates": 1]))
        let outcome = run(
            ["add-certificates", "-k", "k", "in.p12", "in.p12"],
            daemon: daemon,
            files: Self.file
        )
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(daemon.calls.count == 2)
        #expect(daemon.arguments["kind"] == "cert")
    }

    @Test
    func `a certificate that cannot be added does not stop the others`() {
        let daemon = FakeDaemon(failing: -25299)
        let named = run(
            ["add-certificates", "-k", "sub/k", "nope", "in.p12", "in.p12"],
            daemon: daemon,
            files: Self.file
        )
        #expect(named.status == 1)
        #expect(
            named.error == """
                security: Error reading infile nope: No such file or directory
                security: in.p12: already in sub/k
                security: in.p12: already in sub/k

                """
        )
        #expect(daemon.calls.count == 2)
        let unnamed = run(["add-certificates", "in.p12"], daemon: daemon, files: Self.file)
        #expect(unnamed.error == "security: in.p12: already in default keychain\n")
        let full = run(
            ["add-certificates", "in.p12"],
            daemon: FakeDaemon(failing: -25291),
            files: Self.file
        )
        #expect(full.status == 1)
        #expect(full.error.hasPrefix("security: SecCertificateAddToKeychain: "))
    }
}

/// Files that are sealed in place.
struct ProtectCommandTests {
    @Test
    func `a file is protected under a class, and unprotected`() {
        let daemon = FakeDaemon()
        #expect(run(["protect", "f", "--class", "complete"], daemon: daemon).status == 0)
        #expect(daemon.calls == ["file.protect"])
        #expect(daemon.arguments == ["path": "/cwd/f", "class": "complete"])
        #expect(run(["protect", "--class=none", "-o", "/x", "./f"], daemon: daemon).status == 0)
        #expect(daemon.arguments == ["path": "/cwd/f", "class": "none", "output": "/x"])
        #expect(run(["unprotect", "/a/f", "-o", "g"], daemon: daemon).status == 0)
        #expect(daemon.arguments == ["path": "/a/f", "output": "/cwd/g"])
        let refused = FakeDaemon(.failure(.failed(AgentFailure(code: 75, status: "Locked."))))
        let outcome = run(["unprotect", "f"], daemon: refused)
        #expect(outcome.status == 75)
        #expect(outcome.error == "security: Locked.\n")
    }

    @Test(arguments: [
        ["protect", "f"], ["protect", "f", "--class", "x"], ["protect", "--class", "none"],
        ["unprotect"], ["unprotect", "f", "g"], ["unprotect", "f", "--class", "none"],
    ])
    func `a wrong command line shows the usage`(line: [String]) {
        #expect(run(line).status == 2)
    }
}
