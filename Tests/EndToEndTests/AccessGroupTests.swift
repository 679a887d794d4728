import Foundation
import Testing

extension EndToEndTests {
    /// Which program may see what: the daemon knows by the executable of whoever calls.
    struct AccessGroupTests {
        /// The same program at another place is another one to the daemon.
        private func otherProgram(_ world: World) throws -> String {
            let folder = URL(filePath: world.folder).resolvingSymlinksInPath().path
            try FileManager.default.copyItem(
                atPath: Programs.path("sync-client"),
                toPath: folder + "/other"
            )
            return folder + "/other"
        }

        private func entitle(_ device: Device, _ program: String, _ groups: String) throws {
            let text = """
                {
                  "programs": { "\(program)": { "keychain-access-groups": \(groups) } }
                }
                """
            let path = device.home + "/entitlements.json"
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }

        @Test
        func `an entry counts from the next call on, and a slip shuts out`() async throws {
            try await World.with { world in
                let device = world.device("A")
                try await device.startDaemon()
                let other = try otherProgram(world)
                // What only those who see all may ask for, answered by "no account yet" then.
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
                #expect(slip.errors.contains("entitlements.json, line 2: "), "\(slip)")
                // The commands beside the daemon need no entry.
                #expect(try await device.client("conflicts").status == 1)
            }
        }

        @Test
        func `a command shows what a program gets`() async throws {
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
                #expect(slip.errors.contains("line 2: \"relative\" should be an absolute path."))
            }
        }
    }
}
