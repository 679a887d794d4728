import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Which program may see which items: the daemon identifies callers by their executable.
    struct AccessGroupTests {
        /// The same program at another place is another one to the daemon.
        private func otherProgram(
            _ world: World,
            named name: String = "other"
        ) async throws -> String {
            let folder = URL(filePath: world.folder).resolvingSymlinksInPath().path
            try await Programs.copy("sync-client", to: folder + "/" + name, in: world)
            return folder + "/" + name
        }

        private func entitle(_ device: Device, _ program: String, _ groups: String) throws {
            try entitle(device, [(program, groups)])
        }

        private func entitle(
            _ device: Device,
            _ programs: [(path: String, groups: String)]
        ) throws {
            let entries = programs.map { program in
                "\"\(program.path)\": { \"keychain-access-groups\": \(program.groups) }"
            }
            let text = """
                {
                  "programs": { \(entries.joined(separator: ", ")) }
                }
                """
            let path = device.home + "/entitlements.json"
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }

        @Test
        func `an entry takes effect at the next call, and a mistake locks programs out`()
            async throws
        {
            try await World.with { world in
                let device = world.device("A")
                try await device.startDaemon()
                let other = try await otherProgram(world)
                // Only a program that sees all groups gets as far as "no account yet".
                let ask = { try await device.start(other, ["conflicts"]).result() }
                let own = try await ask()
                #expect(own.status == 77, "\(own)")
                try entitle(device, other, "[\"mine\", \"*\"]")
                let all = try await ask()
                #expect(all.status == 1, "\(all)")
                try entitle(device, other, "[\"mine\"]")
                #expect(try await ask().status == 77)
                try entitle(device, other, "\"*\"")
                let slip = try await ask()
                #expect(slip.status != 0)
                #expect(slip.errors.contains("entitlements.json: programs: "), "\(slip)")
                // The commands beside the daemon need no entry.
                #expect(try await device.client("conflicts").status == 1)
            }
        }

        @Test
        func `a command shows a program's groups`() async throws {
            try await World.with { world in
                let device = world.device("A")
                try await device.startDaemon()
                try entitle(device, "/opt/app", "[\"one\", \"two\"]")
                let listed = try await device.client("entitlements", "--json")
                #expect(
                    listed.output == """
                        [{"accessGroups":["one","two"],"entitlements":[],"hasEntry":true,\
                        "program":"/opt/app","seesAllGroups":false}]

                        """
                )
                let own = try await device.client("entitlements", "/opt/without")
                #expect(
                    own.output == """
                        /opt/without  (no entry: a group of its own)
                            group        exe:/opt/without  (new items)

                        """
                )
                let keychain = try await device.client("entitlements", Programs.path("keychain"))
                #expect(keychain.output.contains("(sees all groups)"))
                try entitle(device, "relative", "[]")
                let slip = try await device.client("entitlements")
                #expect(slip.status == 1)
                #expect(
                    slip.errors.contains(
                        "entitlements.json: \"relative\" should be an absolute path."
                    )
                )
            }
        }

        // MARK: What programs see of each other's items

        /// A line of `rpc` about generic passwords.
        private func line(_ function: String, _ fields: String) -> String {
            #"{"fn":"\#(function)","query":{"kSecClass":"kSecClassGenericPassword",\#(fields)}}"#
        }

        private func add(_ account: String, _ fields: String = "") -> String {
            line(
                "SecItemAdd",
                #""kSecAttrService":"s","kSecAttrAccount":"\#(account)","#
                    + #""kSecValueData":{"$data":"utf8:pw"}\#(fields)"#
            )
        }

        private func find(_ account: String, _ fields: String = "") -> String {
            line(
                "SecItemCopyMatching",
                #""kSecAttrAccount":"\#(account)","kSecReturnData":true\#(fields)"#
            )
        }

        private func group(_ name: String) -> String { #","kSecAttrAccessGroup":"\#(name)""# }

        /// The status of each of a program's calls.
        private func statuses(
            _ device: Device,
            _ program: String,
            _ lines: [String]
        ) async throws -> [Int] {
            let input = lines.joined(separator: "\n") + "\n"
            let result = try await device.start(program, ["rpc"], input: input).result()
            try #require(result.status == 0, "\(result)")
            return result.output.matches(of: /"status":(-?[0-9]+)/).compactMap { Int($0.1) }
        }

        @Test
        func `programs do not see each other's items, unless an entry says so`() async throws {
            try await World.withDevice { world, device in
                let one = try await otherProgram(world, named: "one")
                let two = try await otherProgram(world, named: "two")
                #expect(try await statuses(device, one, [add("a"), find("a")]) == [0, 0])
                let foreign = group("exe:" + one)
                #expect(
                    try await statuses(
                        device,
                        two,
                        [
                            find("a"), find("a", foreign), add("b", foreign),
                            line("SecItemDelete", #""kSecAttrAccount":"a""#),
                            line("SecItemDelete", #""kSecAttrAccount":"a""# + foreign),
                            add("b", group("shared")),
                            // The same key in another group is another item.
                            add("a"), find("a"),
                        ]
                    ) == [-25300, -34018, -34018, -25300, -34018, -34018, 0, 0]
                )
                // Items of `keychain` are in its own group, and it sees all groups.
                try await device.expect(
                    ["add-generic-password", "-s", "s", "-a", "tool", "-w", "pw"]
                )
                #expect(try await statuses(device, one, [find("tool")]) == [-25300])
                try await device.expect(
                    ["find-generic-password", "-a", "a", "-w"],
                    output: "pw\n"
                )

                try entitle(device, [(one, #"["one", "shared"]"#), (two, #"["two", "shared"]"#)])
                #expect(
                    try await statuses(device, one, [add("c", group("shared")), add("d")])
                        == [0, 0]
                )
                #expect(
                    try await statuses(
                        device,
                        two,
                        [find("c"), find("d"), find("d", group("one")), find("a")]
                    ) == [0, -25300, -34018, -25300]
                )
                // An entry without a group gives none, not a group of its own.
                try entitle(device, [(two, "[]")])
                #expect(
                    try await statuses(device, two, [add("e"), find("c"), find("e")])
                        == [-34018, -34018, -34018]
                )
                #expect(try await statuses(device, one, [find("a"), find("c")]) == [0, -25300])
            }
        }
    }
}
