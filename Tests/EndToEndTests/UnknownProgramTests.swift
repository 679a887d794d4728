import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Programs whose path the daemon may not read, as for a program that is not run by root.
    struct UnknownProgramTests {
        private static let setpriv = "/usr/bin/setpriv"
        private static let nobody: UInt32 = 65534

        static var canBeAnother: Bool {
            geteuid() == 0
                && [setpriv, "/usr/bin/perl"].allSatisfy {
                    FileManager.default.isExecutableFile(atPath: $0)
                }
        }

        /// Runs a program as a user who is not root.
        private func start(
            _ program: String,
            _ arguments: [String],
            in world: World
        ) async throws -> RunningProgram {
            let user = ["--reuid", "\(Self.nobody)", "--regid", "\(Self.nobody)", "--clear-groups"]
            return try await RunningProgram(
                Self.setpriv,
                user + [program] + arguments,
                folder: world.folder
            )
        }

        @Test(.enabled(if: canBeAnother, "only root runs programs as another user"))
        func
            `keychain is identified although it hides its memory, other hidden programs are not`()
            async throws
        {
            try await World.with { world in
                let files = FileManager.default
                try files.setAttributes([.posixPermissions: 0o711], ofItemAtPath: world.folder)
                // Other users may not have access to the build folder.
                let (client, keychain) = (world.path("sync-client"), world.path("keychain"))
                for path in [client, keychain] {
                    let name = URL(filePath: path).lastPathComponent
                    try await Programs.copy(name, to: path, in: world)
                    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
                }
                let home = world.path("home")
                try files.createDirectory(atPath: home, withIntermediateDirectories: false)
                try #require(unsafe chown(home, Self.nobody, Self.nobody) == 0)
                let daemon = try await start(client, ["daemon", "--home", home], in: world)
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

                // A program with another executable has an empty group of its own.
                let call = ["-e", Self.script, home + "/run/agent.sock"]
                for (isHidden, answer) in [(false, "4 -25300"), (true, "4 -34018")] {
                    let asked = try await start(
                        "/usr/bin/perl",
                        call + (isHidden ? ["\(Self.prctl)"] : []),
                        in: world
                    ).result()
                    #expect(asked.output == answer, "\(asked)")
                }
            }
        }

        /// The system call's number.
        private static var prctl: Int {
            #if arch(x86_64)
            157
            #else
            167
            #endif
        }

        /// Asks for any password, first made non-dumpable if the argument says so; prints the kind
        /// of the answer (3 result, 4 failure) and a failure's code.
        private static let script = """
            use IO::Socket::UNIX;
            syscall($ARGV[1] + 0, 4, 0, 0, 0, 0) if @ARGV > 1;
            my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
            my $text = sub { pack("N", length $_[0]) . $_[0] };
            my $call = $text->("item.find") . pack("N", 1) . $text->("class");
            my $message = pack("CCx8", 1, 1) . $call . pack("C", 6) . $text->("genp");
            print $socket $text->($message);
            $socket->flush;
            read($socket, my $reply, 18) == 18 or die;
            my ($length, $version, $kind, $id, $code) = unpack("NCCa8l>", $reply);
            print "$kind $code";
            """
    }
}
