import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The demo must fail if a step fails.
    struct DemoTests {
        /// The faults of a demo: for each faulty program, lines of a shell script that run
        /// before the real one.
        struct Faults: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// The numbers of the steps that fail.
            let failing: Set<Int>
            var client = ""
            var keychain = ""
            var server = ""
            var state = ""
            /// Programs of the system that are replaced here.
            var others: [String: String] = [:]
        }

        /// The thousand rows of its import take most of a demo's time.
        private static let importsFourRows = """
            if [ "$1" = import ]; then
                head -n 5 Examples/chrome-passwords.csv >"$TMPDIR/few.csv"
                exec "$real" import "$TMPDIR/few.csv" "$3" "$4"
            fi
            """

        private static let faults = [
            Faults(
                testDescription: "few rows, a phone without the item, an open server, a lost visit",
                failing: [1, 4, 5, 7],
                client: importsFourRows,
                keychain: """
                    case "$*" in find*delete.example.org*phone) exit 44 ;; esac
                    """,
                server: """
                    if [ "$1" = show-record ]; then
                        "$real" "$@"
                        printf '  000000  63 6f 72 72 65 63 74 20 68 6f 72 73 65 20 62 61 |x|\\n'
                        printf '  000010  74 74 65 72 79 20 73 74 61 70 6c 65 20 37       |x|\\n'
                        exit
                    fi
                    """,
                state: """
                    case "$1 $KEYCHAIN_SYNC_HOME" in 'visit '*/phone) exec "$real" show ;; esac
                    """
            ),
            Faults(
                testDescription: "a lost edit, a short history, a password in a log",
                failing: [1, 2, 3, 6],
                client: importsFourRows + """

                    case "$*" in
                    history*phone) "$real" "$@" | grep -v conflict; exit ;;
                    esac
                    """,
                keychain: """
                    case "$*" in
                    add*edit.example.org*)
                        for data in "$TMPDIR"/keychain-sync-demo.*/server; do
                            echo "$@" >>"$data/log"
                        done
                        exit ;;
                    esac
                    """
            ),
        ]

        /// A few rows instead of the thousand, and a clock that is a minute late after the last
        /// step, when the demo waits for nothing more.
        private static let late = Faults(
            testDescription: "late",
            failing: [],
            client: """
                if [ "$1" = import ]; then echo '1000 rows: in the end'; fi

                """ + importsFourRows,
            keychain: """
                case "$1" in dump*) yes 'keychain: ' | head -n 932; exit ;; esac
                """,
            others: [
                "du": #"touch "$TMPDIR/late"; exec /usr/bin/du "$@""#,
                "date": #"""
                if [ -e "$TMPDIR/late" ]; then set -- -d '61 sec' "$@"; fi
                exec /usr/bin/date "$@"
                """#,
            ]
        )

        /// Runs a demo of the built programs, some with faults.
        private func start(
            _ faults: Faults,
            in world: World,
            temporary: String,
            options: [String] = ["--debug"]
        ) async throws -> RunningProgram {
            let (scripts, bin) = (world.path("scripts"), world.path("bin"))
            for folder in [scripts, bin, temporary] {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
            }
            let root = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().path
            try FileManager.default.copyItem(
                atPath: root + "/scripts/demo",
                toPath: scripts + "/demo"
            )
            try FileManager.default.createSymbolicLink(
                atPath: world.path("Examples"),
                withDestinationPath: root + "/Examples"
            )
            func makeProgram(_ name: String, _ lines: String) throws {
                let path = bin + "/" + name
                try Data(("#!/bin/bash\n" + lines + "\n").utf8).write(to: URL(filePath: path))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755],
                    ofItemAtPath: path
                )
            }
            // The demo calls Swift only to ask where the programs are.
            try makeProgram("swift", "echo '\(bin)'")
            for (name, lines) in faults.others { try makeProgram(name, lines) }
            for (name, lines) in [
                ("sync-client", faults.client), ("keychain", faults.keychain),
                ("sync-server", faults.server), ("shared-state", faults.state),
            ] {
                try makeProgram(
                    name,
                    "real='\(Programs.path(name))'\n" + lines + "\nexec \"$real\" \"$@\""
                )
            }
            return try await RunningProgram(
                "/bin/bash",
                [scripts + "/demo"] + options,
                folder: world.folder,
                environment: ["PATH": bin + ":/usr/bin:/bin", "TMPDIR": temporary]
            )
        }

        @Test(arguments: faults)
        func `a demo with a faulty program fails, and names the step`(
            _ faults: Faults
        ) async throws {
            try await World.with { world in
                let result = try await start(faults, in: world, temporary: world.folder)
                    .result(limitSeconds: 600)
                #expect(result.status == 1, "\(result)")
                for step in 1...7 {
                    let word = faults.failing.contains(step) ? "FAILED" : "OK"
                    #expect(result.output.contains("(\(step)) \(word) "), "\(result)")
                }
                let shown = 7 - faults.failing.count
                #expect(result.output.contains("\n\(shown) of 7 shown, "), "\(result)")
                // A failed demo leaves no process and no file either.
                #expect(world.processIDs.isEmpty)
                let left = try FileManager.default.contentsOfDirectory(atPath: world.folder)
                #expect(!left.contains { $0.hasPrefix("keychain-sync-demo") })
            }
        }

        @Test
        func `a demo of the release programs that takes a minute fails, though all is shown`()
            async throws
        {
            for (options, status) in [([], 1), (["--debug"], 0)] as [([String], Int32)] {
                try await World.with { world in
                    let demo = try await start(
                        Self.late,
                        in: world,
                        temporary: world.folder,
                        options: options
                    )
                    let result = await demo.result(limitSeconds: 600)
                    #expect(result.output.contains("\n7 of 7 shown, in "), "\(result)")
                    #expect(result.errors.contains("longer than a minute."), "\(result)")
                    #expect(result.status == status, "\(options): \(result)")
                }
            }
        }

        /// A temporary folder's path may be too long for sockets below it.
        @Test(arguments: ["", "/" + String(repeating: "long", count: 25)])
        func `a demo that is interrupted leaves no process and no folder`(
            below folder: String
        ) async throws {
            try await World.with { world in
                let faults = Faults(
                    testDescription: "few rows",
                    failing: [1],
                    client: """
                        if [ "$1" = import ]; then
                            head -n 5 Examples/chrome-passwords.csv >few.csv
                            exec "$real" import few.csv "$3" "$4"
                        fi
                        """
                )
                let demo = try await start(faults, in: world, temporary: world.folder + folder)
                let hasBegun = await demo.waitForOutput(seconds: 600) { $0.contains("\n(1) ") }
                #expect(hasBegun && demo.isRunning, "\(demo.output) \(demo.errors)")
                let match = try #require(demo.output.firstMatch(of: /Setting up, in (.+)\n/))
                let work = String(match.1)
                #expect(FileManager.default.fileExists(atPath: work))
                #expect(!World.processIDs(below: work).isEmpty)
                demo.terminate()
                let end = await demo.result()
                #expect(end.status == 130, "\(end)")
                #expect(World.processIDs(below: work).isEmpty)
                #expect(!FileManager.default.fileExists(atPath: work))
            }
        }
    }
}
