import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The search list, the default keychain and the login keychain.
    struct KeychainListTests {
        private func add(_ password: String, _ keychain: String) -> [String] {
            ["add-generic-password", "-s", "s", "-a", "a", "-w", password, keychain]
        }

        @Test
        func `with an empty search list nothing is found`() async throws {
            try await World.withDevice { _, device in
                try await device.expect(add("pw", "login"))
                try await device.expect(["list-keychains", "-s"], output: "", errors: "")
                try await device.expect(["list-keychains"], output: "", errors: "")
                let find = ["find-generic-password", "-w"]
                try await device.expect(find, status: 44, output: "")
                try await device.expect(["dump-keychain"], output: "", errors: "")
                try await device.expect(find + ["login"], output: "pw\n")
                try await device.expect(["list-keychains", "-s", "login"])
                try await device.expect(find, output: "pw\n")
            }
        }

        @Test
        func `a keychain outside of the search list is dumped if it is named`() async throws {
            try await World.withDevice { _, device in
                try await device.expect(["create-keychain", "-p", "pw", "one"])
                try await device.expect(add("first", "login"))
                try await device.expect(add("second", "one"))
                let listed = try await device.run(["dump-keychain", "-d"])
                #expect(listed.status == 0)
                #expect(listed.output.contains("data:\n\"first\"\n"))
                #expect(!listed.output.contains("second"))
                let named = try await device.run(["dump-keychain", "-d", "one"])
                #expect(named.status == 0)
                #expect(
                    named.output.hasPrefix("keychain: \"\(device.home)/keychains/one-db\"\n"),
                    "\(named)"
                )
                #expect(named.output.contains("data:\n\"second\"\n"))
                #expect(!named.output.contains("first"))
            }
        }

        @Test
        func `a list that cannot be read is named by every command that needs it`() async throws {
            try await World.withDevice { world, device in
                try await device.expect(["create-keychain", "-p", "pw", "one"])
                try await device.expect(add("pw", "login"))
                let list = device.home + "/keychains.json"
                try Data("[".utf8).write(to: URL(filePath: list))
                let item = ["-s", "s", "-a", "a"]
                for line in [
                    ["find-generic-password"] + item, ["delete-generic-password"] + item,
                    ["add-generic-password", "-w", "x"] + item,
                    ["add-generic-password", "-U", "-w", "x"] + item, ["list-keychains"],
                    ["default-keychain"], ["default-keychain", "-s", "one"], ["dump-keychain"],
                    ["lock-keychain"], ["show-keychain-info"], ["find-certificate"], ["find-key"],
                    ["find-identity"], ["export"], ["delete-keychain", "one"],
                ] {
                    let result = try await device.run(line)
                    let status: Int32 =
                        switch line[0] {
                        case "list-keychains", "dump-keychain", "export": 1
                        default: 49
                        }
                    #expect(result.status == status, "\(line): \(result)")
                    #expect(result.errors.hasPrefix("security: "), "\(line): \(result)")
                    #expect(result.errors.contains(", keychains.json, "), "\(line): \(result)")
                    #expect(result.errors.hasSuffix(".\n"), "\(line): \(result)")
                }
                // Named keychains need no list; and no call has replaced the unreadable one.
                let find = ["find-generic-password", "-w"] + item
                try await device.expect(find + ["login"], output: "pw\n")
                try await device.expect(["unlock-keychain", "-p", "pw", "one"])
                #expect(try String(contentsOfFile: list, encoding: .utf8) == "[")
                try FileManager.default.removeItem(atPath: list)
                try await device.expect(find, output: "pw\n")
            }
        }

        @Test
        func `only the user's preferences exist`() async throws {
            try await World.withDevice { _, device in
                for domain in ["system", "common", "dynamic", "s"] {
                    let line = ["default-keychain", "-d", domain]
                    try await device.expect(line, status: 37, output: "")
                }
                for command in ["default-keychain", "login-keychain", "list-keychains"] {
                    let result = try await device.run([command, "-d", "x"])
                    #expect(result.status == 2 && result.output.isEmpty)
                    #expect(result.errors.hasPrefix("Usage: \(command) "), "\(result)")
                }
                let user = ["default-keychain", "-d", "u"]
                try await device.expect(user, output: "    \"\(device.loginKeychain)\"\n")
            }
        }

        @Test
        func `no window asks for a new keychain's password`() async throws {
            try await World.withDevice { _, device in
                try await device.expect(["create-keychain", "-P", "x"], status: 1, output: "")
                try await device.expect(["show-keychain-info", "x"], status: 50)
                let files = try FileManager.default.subpathsOfDirectory(atPath: device.home)
                #expect(!files.contains { $0.contains("keychains/x") })
            }
        }

        @Test
        func `locking the default keychain leaves the others open`() async throws {
            try await World.withDevice { _, device in
                for name in ["two", "three"] {
                    try await device.expect(["create-keychain", "-p", "pw", name])
                }
                try await device.expect(["default-keychain", "-s", "two"])
                try await device.expect(["show-keychain-info", "two"])
                try await device.expect(["lock-keychain"], output: "", errors: "")
                try await device.expect(["show-keychain-info", "two"], status: 36)
                try await device.expect(["show-keychain-info", "three"])
                try await device.expect(["show-keychain-info", "login"])
            }
        }

        @Test
        func `the login keychain is locked, and opened with the device's passcode`() async throws {
            try await World.withDevice { world, device in
                try await device.expect(add("pw", "login"))
                let passcode = try world.write("2580\n", to: "passcode")
                let set = try await device.client("passcode", "set", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                let find = ["find-generic-password", "-s", "s", "-w"]
                try await device.expect(find, output: "pw\n")
                try await device.expect(["lock-keychain", "login"])
                try await device.expect(find, status: 36, output: "", errors: "")
                try await device.expect(
                    ["unlock-keychain", "-p", "2581", "login"],
                    status: 51,
                    output: "",
                    errors: "security: SecKeychainUnlock login:"
                        + " The user name or passphrase you entered is not correct.\n"
                )
                try await device.expect(find, status: 36, output: "")
                try await device.expect(["unlock-keychain", "-p", "2580", "login"])
                try await device.expect(find, output: "pw\n")
            }
        }
    }
}
