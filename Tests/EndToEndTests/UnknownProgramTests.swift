import Foundation
import Testing

extension EndToEndTests {
    /// Programs at which the daemon may not look, as is so for one that is not run by root.
    struct UnknownProgramTests {
        private static let setpriv = "/usr/bin/setpriv"
        private static let nobody: UInt32 = 65534

        static var canBeAnother: Bool {
            geteuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv)
        }

        /// Runs a program as a user who is not root.
        private func start(
            _ program: String,
            _ arguments: [String],
            in world: World
        ) throws -> RunningProgram {
            let user = ["--reuid", "\(Self.nobody)", "--regid", "\(Self.nobody)", "--clear-groups"]
            return try RunningProgram(
                Self.setpriv,
                user + [program] + arguments,
                folder: world.folder
            )
        }

        @Test(.enabled(if: canBeAnother, "only root runs programs as another user"))
        func `keychain is known although it hides its memory, and who only hides has no groups`()
            async throws
        {
            try await World.with { world in
                let files = FileManager.default
                try files.setAttributes([.posixPermissions: 0o711], ofItemAtPath: world.folder)
                // The build's own folder may be closed to others.
                let (client, keychain) = (world.path("sync-client"), world.path("keychain"))
                let hidden = world.path("hidden")
                for (name, path, mode) in [
                    // A program that its user may run and not read is closed to debuggers as well.
                    ("sync-client", client, 0o755), ("keychain", keychain, 0o755),
                    ("sync-client", hidden, 0o711),
                ] {
                    try files.copyItem(atPath: Programs.path(name), toPath: path)
                    try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                }
                let home = world.path("home")
                try files.createDirectory(atPath: home, withIntermediateDirectories: false)
                try #require(unsafe chown(home, Self.nobody, Self.nobody) == 0)
                let daemon = try start(client, ["daemon", "--home", home], in: world)
                let isReady = await eventually {
                    files.fileExists(atPath: home + "/run/agent.sock")
                }
                try #require(isReady, "\(daemon.errors)")

                let item = ["-s", "mail", "-a", "ada", "-w"]
                let added = try await start(
                    keychain,
                    ["add-generic-password"] + item + ["pw", "--home", home],
                    in: world
                ).result()
                #expect(added.status == 0, "\(added)")
                let found = try await start(
                    keychain,
                    ["find-generic-password"] + item + ["--home", home],
                    in: world
                ).result()
                #expect(found.output == "pw\n", "\(found)")

                // Answered by "no account yet" where everything may be seen.
                let ask = ["conflicts", "--home", home]
                let known = try await start(client, ask, in: world).result()
                #expect(known.status == 1, "\(known)")
                let unknown = try await start(hidden, ask, in: world).result()
                #expect(unknown.status == 77, "\(unknown)")
            }
        }
    }
}
