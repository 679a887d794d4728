import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What scripts written for `security` rely on.
    struct KeychainCommandTests {
        private func withDevice(_ body: (Device) async throws -> Void) async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                try await body(device)
            }
        }

        @Test
        func `exit codes are those of security`() async throws {
            try await withDevice { device in
                let added = try await device.keychain(
                    "add-generic-password",
                    "-s",
                    "s",
                    "-a",
                    "a",
                    "-w",
                    "secret"
                )
                #expect(added.status == 0)
                #expect(added.output + added.errors == "")

                let duplicate = try await device.keychain(
                    "add-generic-password",
                    "-s",
                    "s",
                    "-a",
                    "a",
                    "-w",
                    "other"
                )
                #expect(duplicate.status == 45)
                #expect(
                    duplicate.errors == "security: SecKeychainItemCreateFromContent (<default>): "
                        + "The specified item already exists in the keychain.\n"
                )

                let missing = try await device.keychain("find-generic-password", "-s", "other")
                #expect(missing.status == 44)
                #expect(missing.output == "")
                #expect(
                    missing.errors == "security: SecKeychainSearchCopyNext: "
                        + "The specified item could not be found in the keychain.\n"
                )

                let usage = try await device.keychain("add-generic-password", "-s", "s")
                #expect(usage.status == 2)
                #expect(usage.errors.hasPrefix("Usage: add-generic-password "))
                #expect(try await device.keychain("delete-generic-password").status == 2)
                #expect(try await device.keychain("find-generic-password", "-?").status == 2)

                let unknown = try await device.keychain("no-such-command")
                #expect(unknown.status == 1)
                #expect(
                    unknown.errors == "keychain: there is no command \"no-such-command\";"
                        + " \"keychain help\" lists all.\n"
                )
            }
        }

        @Test
        func `a secret is printed alone, or beside the attributes`() async throws {
            try await withDevice { device in
                let secrets = [("text", "a b\"c"), ("umlaut", "é!"), ("empty", "")]
                for (service, secret) in secrets {
                    let added = try await device.keychain(
                        "add-generic-password",
                        "-s",
                        service,
                        "-a",
                        "a",
                        "-w",
                        secret
                    )
                    #expect(added.status == 0)
                }
                let alone = ["text": "a b\"c\n", "umlaut": "c3a921\n", "empty": "\n"]
                let beside = [
                    "text": "password: \"a b\"c\"\n",
                    "umlaut": "password: 0xC3A921  \"\\303\\251!\"\n", "empty": "password: \n",
                ]
                for (service, _) in secrets {
                    let only = try await device.keychain(
                        "find-generic-password",
                        "-s",
                        service,
                        "-w"
                    )
                    #expect(only.output == alone[service])
                    #expect(only.errors == "")
                    let both = try await device.keychain(
                        "find-generic-password",
                        "-s",
                        service,
                        "-g"
                    )
                    #expect(both.errors == beside[service])
                    #expect(both.output.contains("    \"svce\"<blob>=\"\(service)\"\n"))
                }
            }
        }

        @Test
        func `an item's attributes are printed as a block`() async throws {
            try await withDevice { device in
                let added = try await device.keychain(
                    "add-internet-password",
                    "-s",
                    "host",
                    "-a",
                    "a",
                    "-r",
                    "http",
                    "-P",
                    "80",
                    "-p",
                    "/x",
                    "-l",
                    "label",
                    "-j",
                    "comment",
                    "-w",
                    "secret",
                    "--sync"
                )
                #expect(added.status == 0, "\(added)")
                let found = try await device.keychain("find-internet-password", "-s", "host")
                #expect(found.status == 0)
                let lines = found.output.split(separator: "\n").map(String.init)
                try #require(lines.count > 4)
                #expect(lines[0] == "keychain: \"\(device.loginKeychain)\"")
                #expect(lines[1] == "version: 512")
                #expect(lines[2] == "class: \"inet\"")
                #expect(lines[3] == "attributes:")
                for line in [
                    "    0x00000007 <blob>=\"label\"", "    \"acct\"<blob>=\"a\"",
                    "    \"atyp\"<blob>=\"dflt\"", "    \"icmt\"<blob>=\"comment\"",
                    "    \"path\"<blob>=\"/x\"",
                    "    \"port\"<uint32>=0x00000050  \"\\000\\000\\000P\"",
                    "    \"ptcl\"<uint32>=\"http\"", "    \"srvr\"<blob>=\"host\"",
                ] {
                    #expect(lines.contains(line), "no line \(line) in:\n\(found.output)")
                }
                #expect(!found.output.contains("secret"))
            }
        }

        @Test
        func `an update changes, and a deletion takes the first that matches`()
            async throws
        {
            try await withDevice { device in
                for account in ["a", "b"] {
                    let added = try await device.keychain(
                        "add-generic-password",
                        "-s",
                        "s",
                        "-a",
                        account,
                        "-w",
                        "1"
                    )
                    #expect(added.status == 0)
                }
                let updated = try await device.keychain(
                    "add-generic-password",
                    "-U",
                    "-s",
                    "s",
                    "-a",
                    "b",
                    "-w",
                    "2"
                )
                #expect(updated.status == 0)
                let found = try await device.keychain(
                    "find-generic-password",
                    "-s",
                    "s",
                    "-a",
                    "b",
                    "-w"
                )
                #expect(found.output == "2\n")
                let deleted = try await device.keychain("delete-generic-password", "-s", "s")
                #expect(deleted.status == 0)
                #expect(deleted.output.contains("    \"acct\"<blob>=\"a\"\n"))
                #expect(deleted.errors == "password has been deleted.\n")
                let left = try await device.keychain("find-generic-password", "-s", "s", "-w")
                #expect(left.output == "2\n")
                let last = try await device.keychain("delete-generic-password", "-s", "s")
                #expect(last.status == 0)
                let none = try await device.keychain("find-generic-password", "-s", "s")
                #expect(none.status == 44)
            }
        }

        @Test
        func `only the matching internet password is deleted`()
            async throws
        {
            try await withDevice { device in
                let add = ["add-internet-password", "-s", "host", "-a", "a"]
                for kind in ["http", "htps"] {
                    try await device.expect(add + ["-r", kind, "-w", kind])
                }
                let delete = ["delete-internet-password", "-s", "host"]
                let deleted = try await device.run(delete + ["-r", "htps"])
                #expect(deleted.status == 0)
                #expect(deleted.output.contains("    \"ptcl\"<uint32>=\"htps\"\n"), "\(deleted)")
                #expect(deleted.errors == "password has been deleted.\n")
                try await device.expect(delete + ["-r", "htps"], status: 44)
                let find = ["find-internet-password", "-s", "host", "-w"]
                try await device.expect(find, output: "http\n")
                try await device.expect(delete)
                try await device.expect(find, status: 44)
            }
        }

        /// Without --sync both kinds are found; of twins the newer one is shown.
        @Test
        func `of a synchronized item and a local one the newer one is found`() async throws {
            try await withDevice { device in
                let add = ["add-generic-password", "-s", "s", "-a", "ada", "-w"]
                let find = ["find-generic-password", "-s", "s", "-w"]
                try await device.save("s", "shared")
                try await device.expect(find, output: "shared\n")
                try await device.expect(
                    add + ["local"],
                    output: "",
                    errors: """
                        security: note: another item has the same service and account \
                        (synchronized). Find shows the newer one; with -U that item is changed \
                        instead of adding one.

                        """
                )
                try await device.expect(find, output: "local\n")
                #expect(try await device.password("s") == "shared")
                let dump = try await device.run(["dump-keychain"])
                #expect(dump.output.ranges(of: "    \"sync\"<uint32>=0x00000001 \n").count == 1)

                // With -U and --sync the local one becomes the synchronized one.
                try await device.expect(add + ["new", "-U", "--sync"], output: "", errors: "")
                try await device.expect(find, output: "new\n")
                #expect(try await device.password("s") == "new")
                let after = try await device.run(["dump-keychain"])
                #expect(after.output.ranges(of: "keychain: ").count == 1)
            }
        }

        @Test
        func `deleting one of two twins names the one that is left`() async throws {
            try await withDevice { device in
                let add = ["add-internet-password", "-s", "h", "-a", "a", "-w"]
                try await device.expect(add + ["imported", "-r", "htps", "--sync"])
                try await device.expect(add + ["typed"])
                let deleted = try await device.run(["delete-internet-password", "-s", "h"])
                #expect(deleted.status == 0)
                #expect(
                    deleted.errors == """
                        password has been deleted.
                        security: note: another item has the same server and account \
                        (synchronized, protocol "htps"). Find now shows that item; delete again \
                        to remove it too.

                        """
                )
                let find = ["find-internet-password", "-s", "h", "-w"]
                try await device.expect(find, output: "imported\n")
            }
        }
    }
}
