import Foundation
import KSTestSupport
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Keychains beside the login keychain, and the files that are imported and exported there.
    struct FurtherKeychainTests {
        private func withDevice(
            _ body: (World, Device) async throws -> Void
        ) async throws {
            try await World.with { world in
                let device = world.device("A")
                try await device.startDaemon()
                try await body(world, device)
            }
        }

        private func expect(
            _ device: Device,
            _ line: [String],
            status: Int32 = 0,
            _ output: String? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let result = try await device.run(line)
            #expect(result.status == status, "\(line): \(result)", sourceLocation: sourceLocation)
            guard let output else { return }
            #expect(result.output == output, "\(line)", sourceLocation: sourceLocation)
        }

        private func add(_ account: String, _ password: String, _ keychain: String) -> [String] {
            ["add-generic-password", "-s", "s", "-a", account, "-w", password, keychain]
        }

        @Test
        func `a keychain has a password, a lock and items of its own`() async throws {
            try await withDevice { world, device in
                let path = world.path("other.keychain")
                for name in ["one", path] {
                    try await expect(device, ["create-keychain", "-p", "pw", name])
                    try await expect(device, ["create-keychain", "-p", "pw", name], status: 48)
                    try await expect(device, add("a", "in " + name, name))
                    try await expect(device, ["lock-keychain", name])
                    let find = ["find-generic-password", "-s", "s", "-w", name]
                    try await expect(device, find, status: 36, "")
                    try await expect(device, add("b", "x", name), status: 36)
                    try await expect(device, ["unlock-keychain", "-p", "no", name], status: 51)
                    try await expect(device, ["unlock-keychain", "-p", "pw", name])
                    try await expect(device, find, "in \(name)\n")
                }
                // The item is not in the login keychain, and is found only by naming its own.
                let find = ["find-generic-password", "-s", "s", "-w"]
                try await expect(device, find, status: 44)
                try await expect(device, ["list-keychains", "-s", "login", "one"])
                try await expect(device, find, "in one\n")
                try await expect(
                    device,
                    ["list-keychains"],
                    "    \"\(device.loginKeychain)\"\n    \"\(device.home)/keychains/one-db\"\n"
                )
                try await expect(device, ["delete-keychain", "one", path])
                #expect(!FileManager.default.fileExists(atPath: path))
                try await expect(device, ["list-keychains"], "    \"\(device.loginKeychain)\"\n")
                try await expect(device, find + ["one"], status: 44)
                try await expect(device, ["show-keychain-info", "one"], status: 50)
            }
        }

        @Test
        func `a keychain survives a power cut, locked and unreadable`() async throws {
            try await withDevice { world, device in
                try await expect(device, ["create-keychain", "-p", "pw", "one"])
                try await expect(device, add("account-of-ada", "a secret of hers", "one"))
                try await device.restartDaemonAfterKill()
                let find = ["find-generic-password", "-s", "s", "-w", "one"]
                try await expect(device, find, status: 36)
                try await expect(device, ["unlock-keychain", "-p", "pw", "one"])
                try await expect(device, find, "a secret of hers\n")
                for text in ["account-of-ada", "a secret of hers"] {
                    #expect(try World.files(below: device.home, holding: text).isEmpty)
                }
            }
        }

        @Test
        func `the default keychain gets items of commands that name none`() async throws {
            try await withDevice { _, device in
                try await expect(device, ["create-keychain", "-p", "", "one"])
                try await expect(device, ["default-keychain", "-s", "one"])
                try await expect(
                    device,
                    ["default-keychain"],
                    "    \"\(device.home)/keychains/one-db\"\n"
                )
                try await expect(device, ["add-generic-password", "-s", "s", "-a", "a", "-w", "x"])
                let find = ["find-generic-password", "-s", "s", "-w"]
                try await expect(device, find + ["one"], "x\n")
                try await expect(device, find + ["login"], status: 44)
                // As on macOS (errSecWrPerm); the default is unchanged.
                let missing = try await device.run(["default-keychain", "-s", "missing"])
                #expect(missing.status == 195 && missing.output.isEmpty, "\(missing)")
                #expect(missing.errors.hasPrefix("security: SecKeychainSetDefault: "))
                #expect(missing.errors.contains("/keychains/missing-db does not exist"))
                try await expect(device, find + ["one"], "x\n")
                let add = ["add-generic-password", "-a", "a", "-w", "y", "-s"]
                try await expect(device, add + ["another"])
                try await expect(device, ["default-keychain", "-s", "login"])
                try await expect(device, ["default-keychain", "-s"])
                try await expect(device, ["default-keychain"], status: 37)
                try await expect(
                    device,
                    ["add-generic-password", "-s", "s", "-a", "b"],
                    status: 37
                )
                // Further keychains are local.
                let synced = ["add-generic-password", "--sync", "-s", "t", "-a", "a", "one"]
                try await expect(device, synced, status: 206)
            }
        }

        @Test
        func `settings and password of a keychain are changed`() async throws {
            try await withDevice { _, device in
                try await expect(device, ["create-keychain", "-p", "old", "one"])
                try await expect(device, ["set-keychain-settings", "-lut", "60", "one"])
                let info = try await device.run(["show-keychain-info", "one"])
                #expect(
                    info.errors == "Keychain \"one\" lock-on-sleep use-lock-interval timeout=60s\n"
                )
                let change = ["set-keychain-password", "-o", "old", "-p", "new", "one"]
                try await expect(device, change)
                try await expect(device, change, status: 51)
                try await expect(device, ["lock-keychain", "-a"])
                try await expect(device, ["show-keychain-info", "one"], status: 36)
                try await expect(device, ["unlock-keychain", "-p", "old", "one"], status: 51)
                try await expect(device, ["unlock-keychain", "-p", "new", "one"])
            }
        }

        @Test
        func `a keychain locks itself when nobody uses it`() async throws {
            try await withDevice { _, device in
                try await expect(device, ["create-keychain", "-p", "pw", "one"])
                try await expect(device, add("a", "x", "one"))
                try await expect(device, ["set-keychain-settings", "-t", "1", "one"])
                // Reading the settings does not count as use.
                var status: Int32 = 0
                for _ in 0..<5 where status != 36 {
                    await pause(milliseconds: 1500)
                    status = try await device.run(["show-keychain-info", "one"]).status
                }
                #expect(status == 36)
            }
        }

        @Test
        func `a file that is not a keychain is not changed`() async throws {
            try await withDevice { world, device in
                let text = try world.write(
                    "not a database at all, and longer than a header. ",
                    to: "x"
                )
                for line in [
                    ["unlock-keychain", "-p", "pw", text],
                    ["find-generic-password", "-s", "s", text],
                    ["delete-keychain", text], ["create-keychain", "-p", "pw", text],
                ] {
                    let result = try await device.run(line)
                    let isTaken = line[0] == "create-keychain"
                    #expect(result.status == (isTaken ? 48 : 49), "\(line): \(result)")
                }
                let left = try String(contentsOfFile: text, encoding: .utf8)
                #expect(left.hasPrefix("not a database"))
                let database = device.home + "/keychain.db"
                try await expect(device, ["unlock-keychain", "-p", "x", database], status: 49)
                try await expect(
                    device,
                    ["unlock-keychain", "-p", "x", "/nowhere/at/all"],
                    status: 50
                )
                try await expect(device, ["delete-keychain", "login"], status: 52)
            }
        }

        // MARK: Files with keys

        @Test
        func `an identity is imported, found and exported`() async throws {
            try await withDevice { world, device in
                let bundle = world.path("in.p12")
                let data = Data(
                    base64Encoded: KeyFixtures.bundle,
                    options: .ignoreUnknownCharacters
                )
                try #require(data).write(to: URL(filePath: bundle))
                try await expect(device, ["create-keychain", "-p", "pw", "k"])
                try await expect(device, ["import", bundle, "-k", "k", "-P", "no"], status: 1, "")
                let take = ["import", bundle, "-k", "k", "-P", "geheim", "-T", "/usr/bin/codesign"]
                try await expect(device, take, "1 identity imported.\n")
                try await expect(device, take, status: 1, "")
                let line = "  1) 95BC09E0B329CCDE88C89358B63B75381098BA06 \"Ada Lovelace\""
                let identities = try await device.run(["find-identity", "k"])
                #expect(
                    identities.output.hasPrefix("\nPolicy: X.509 Basic\n  Matching identities\n")
                )
                #expect(identities.output.contains(line))
                try await expect(
                    device,
                    ["find-certificate", "-c", "Ada", "-p", "k"],
                    KeyFixtures.certificate + "\n"
                )
                let out = world.path("out.p12")
                let export = ["export", "-k", "k", "-t", "identities", "-f", "pkcs12", "-P", "neu"]
                let exported = try await device.run(export + ["-o", out])
                #expect(exported.status == 0)
                #expect(exported.errors.hasSuffix(" bytes written to \(out)\n"))
                try await expect(device, ["delete-identity", "-c", "Ada Lovelace", "k"])
                try await expect(device, ["find-key", "k"], status: 1)
                try await expect(device, ["delete-certificate", "-c", "Ada", "k"], status: 1)
                let again = ["import", out, "-k", "k", "-P", "neu"]
                try await expect(device, again, "1 identity imported.\n")
            }
        }

        @Test
        func `PEM files are imported, and exported in the requested form`()
            async throws
        {
            try await withDevice { world, device in
                let file = try world.write(
                    KeyFixtures.certificate + "\n" + KeyFixtures.p256 + "\n" + KeyFixtures.rsa
                        + "\n",
                    to: "all.pem"
                )
                try await expect(
                    device,
                    ["import", file],
                    "2 keys imported.\n1 certificate imported.\n"
                )
                let keys = try await device.run(["find-key", "-t", "private"])
                #expect(keys.output.split(separator: "class: 0x00000010 \n").count == 3)
                let certificates = ["export", "-t", "certs", "-f", "x509", "-p"]
                try await expect(device, certificates, KeyFixtures.certificate + "\n")
                let old = try await device.run(["export", "-t", "privKeys", "-f", "openssl"])
                #expect(old.output == KeyFixtures.p256 + "\n" + KeyFixtures.rsaPKCS1 + "\n")
                let sealed = try await device.run(["export", "-t", "privKeys", "-P", "pw"])
                #expect(sealed.output.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
                try await expect(device, ["export", "-f", "pkcs7"], status: 1, "")
                let encrypted = try world.write(KeyFixtures.p256PKCS8Encrypted, to: "enc.pem")
                let missing = try await device.run(["import", encrypted])
                #expect(missing.status == 1)
                let nothing = try world.write("hello\n", to: "none.pem")
                try await expect(device, ["import", nothing], status: 1, "")
            }
        }

        @Test
        func `commands come from standard input, and the tool may be called security`() async throws
        {
            try await withDevice { world, device in
                let lines = """
                    create-keychain -p "a b" k
                    add-generic-password -s 'my site' -a me -w "x\\"y" k
                    find-generic-password -s my\\ site -w k
                    find-generic-password -s nothing k
                    """
                let result = try await device.run(["-i"], input: lines)
                #expect(result.status == 44)
                #expect(result.output == "x\"y\n")
                #expect(result.errors.hasSuffix("find-generic-password: returned -25300\n"))
                let link = world.path("security")
                try FileManager.default.createSymbolicLink(
                    atPath: link,
                    withDestinationPath: Programs.path("keychain")
                )
                let linked = try await RunningProgram(
                    link,
                    ["--home", device.home, "find-generic-password", "-s", "my site", "-w", "k"],
                    folder: world.folder
                ).result()
                #expect(linked.output == "x\"y\n")
            }
        }
    }
}
