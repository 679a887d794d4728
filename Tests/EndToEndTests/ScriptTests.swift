import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The shell scripts that a newcomer runs first.
    struct ScriptTests {
        private static let scripts: String = {
            let tests = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
            return tests.deletingLastPathComponent().path + "/scripts/"
        }()

        private func makeProgram(_ path: String, _ lines: String) throws {
            try Data(("#!/bin/sh\n" + lines + "\n").utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        // MARK: install-packages

        /// A machine without some packages; its programs record their arguments.
        private struct Machine {
            var missing: [String] = []
            var userID = 0
            var hasSudo = true
            /// The exit statuses of `sudo` and `apt-get`.
            var sudoStatus = 0
            var installStatus = 0
            var isDebian = true
        }

        /// - Returns: how the script ended, and the calls that change the system.
        private func install(
            on machine: Machine
        ) async throws -> (result: ProgramResult, calls: [String]) {
            try await World.with { world in
                let folder = world.path("bin")
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
                // Only these, so that no program of this machine is called instead.
                for name in ["bash", "sh", "cat"] {
                    try FileManager.default.createSymbolicLink(
                        atPath: folder + "/" + name,
                        withDestinationPath: "/bin/" + name
                    )
                }
                let log = try world.write("", to: "calls")
                try makeProgram(
                    folder + "/apt-get",
                    "echo apt-get \"$@\" >>\(log); exit \(machine.installStatus)"
                )
                try makeProgram(folder + "/id", "echo \(machine.userID)")
                if machine.hasSudo {
                    try makeProgram(
                        folder + "/sudo",
                        """
                        echo "sudo $1" >>\(log)
                        [ \(machine.sudoStatus) -eq 0 ] || exit \(machine.sudoStatus)
                        [ "$1" != -n ] || shift
                        exec "$@"
                        """
                    )
                }
                if machine.isDebian {
                    try makeProgram(
                        folder + "/dpkg-query",
                        """
                        for package; do :; done
                        case " \(machine.missing.joined(separator: " ")) " in
                            *" $package "*) exit 1 ;;
                        esac
                        printf installed
                        """
                    )
                }
                let result = try await RunningProgram(
                    Self.scripts + "install-packages",
                    [],
                    folder: world.folder,
                    environment: ["PATH": folder]
                ).result()
                let calls = try String(contentsOfFile: log, encoding: .utf8)
                return (result, calls.split(separator: "\n").map(String.init))
            }
        }

        private static let update = "apt-get update"
        private static let install = "apt-get install -y --no-install-recommends"

        @Test
        func `with all packages present, nothing is installed or printed`() async throws {
            for userID in [0, 1000] {
                let (result, calls) = try await install(on: Machine(userID: userID))
                #expect(result.status == 0)
                #expect(result.output.isEmpty && result.errors.isEmpty, "\(result)")
                #expect(calls.isEmpty)
            }
        }

        @Test
        func `exactly the missing packages are installed`() async throws {
            let missing = ["git", "zlib1g-dev"]
            let root = try await install(on: Machine(missing: missing))
            #expect(root.result.status == 0, "\(root)")
            #expect(root.calls == [Self.update, Self.install + " git zlib1g-dev"])
            // Without a terminal, as here, sudo must not ask for a password.
            let user = try await install(on: Machine(missing: missing, userID: 1000))
            #expect(user.result.status == 0, "\(user)")
            #expect(user.calls == ["sudo -n", Self.update, Self.install + " git zlib1g-dev"])
        }

        @Test
        func `packages that cannot be installed are named, with the command`() async throws {
            let cases = [
                Machine(missing: ["libssl-dev"], userID: 1000, hasSudo: false),
                Machine(missing: ["libssl-dev"], userID: 1000, sudoStatus: 1),
                Machine(missing: ["libssl-dev"], installStatus: 100),
            ]
            for machine in cases {
                let (result, calls) = try await install(on: machine)
                #expect(result.status == 1, "\(machine): \(result)")
                #expect(
                    result.errors.contains("could not be installed from here: libssl-dev\n"),
                    "\(machine): \(result)"
                )
                #expect(
                    result.errors.contains("\(Self.update) && \(Self.install) libssl-dev\n"),
                    "\(machine): \(result)"
                )
                #expect(calls.contains(Self.update) == (machine.userID == 0))
            }
        }

        @Test
        func `on another system than Debian the needed packages are named`() async throws {
            let (result, calls) = try await install(on: Machine(isDebian: false))
            #expect(result.status == 0)
            #expect(result.errors.contains("This is not a Debian system"), "\(result)")
            #expect(calls.isEmpty)
        }

        // MARK: up

        private static func client(
            _ arguments: [String],
            in world: World
        ) async throws -> ProgramResult {
            try await RunningProgram("sync-client", arguments, folder: world.folder).result()
        }

        /// The script uses its own folder, so the test copies it.
        @Test
        func `make up starts a server and a daemon, and make down stops them`() async throws {
            try await World.with { world in
                let (scripts, bin) = (world.path("scripts"), world.path("bin"))
                let files = FileManager.default
                for folder in [scripts, bin] {
                    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
                }
                try files.copyItem(atPath: Self.scripts + "up", toPath: scripts + "/up")
                // The script calls Swift only to ask where the programs are.
                try makeProgram(bin + "/swift", "echo '\(Programs.folder)'")
                func up(
                    _ arguments: String...,
                    listen: String = "127.0.0.1:0"
                ) async throws -> ProgramResult {
                    try await RunningProgram(
                        "/bin/bash",
                        [scripts + "/up"] + arguments,
                        folder: world.folder,
                        environment: ["PATH": bin + ":/usr/bin:/bin", "LISTEN": listen]
                    ).result()
                }
                let first = try await up()
                #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
                let home = world.folder + "/.build/try/laptop"
                #expect(first.output.contains("export KEYCHAIN_SYNC_HOME=\(home)\n"), "\(first)")
                let running = world.processIDs
                #expect(running.count == 2)
                // The daemon answers, and the server answers the daemon.
                let synced = try await Self.client(["sync", "--home", home], in: world)
                #expect(synced.status == 0, "\(synced)")
                // The printed command adds the second device.
                let start = try #require(first.output.range(of: "sync-client login"))
                let end = try #require(first.output.range(of: "\n\n`make down`"))
                let login = String(first.output[start.lowerBound..<end.lowerBound])
                let phone = try await RunningProgram(
                    "/bin/sh",
                    ["-c", login],
                    folder: world.folder,
                    environment: ["PATH": Programs.folder + ":/usr/bin:/bin"]
                ).result()
                #expect(phone.status == 0, "\(phone)")
                let phoneHome = world.folder + "/.build/try/phone"
                let phoneStop = try await Self.client(["stop", "--home", phoneHome], in: world)
                #expect(phoneStop.status == 0, "\(phoneStop)")
                // A daemon that has answered may take a moment to end.
                #expect(await eventually { world.processIDs == running })
                // A repeated call starts nothing.
                let second = try await up()
                #expect(second.status == 0, "\(second)")
                #expect(await eventually { world.processIDs == running })

                let stopped = try await up("--stop")
                #expect(stopped.output == "The daemon and the server are stopped.\n", "\(stopped)")
                #expect(stopped.status == 0)
                #expect(await eventually { world.processIDs.isEmpty })
                // The device has the server's first address.
                let elsewhere = try await up(listen: "127.0.0.1:1")
                #expect(elsewhere.status == 2)
                #expect(elsewhere.errors.contains("Leave LISTEN out"), "\(elsewhere)")
                #expect(world.processIDs.isEmpty)
                let third = try await up()
                #expect(third.status == 0, "\(third)")
                let again = try await Self.client(["sync", "--home", home], in: world)
                #expect(again.status == 0, "\(again)")
                #expect(try await up("--stop").status == 0)
            }
        }
    }
}
