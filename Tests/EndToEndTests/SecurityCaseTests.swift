import Foundation
import KSTestPrograms
import Testing

/// The known answers of `security`, case by case, from the `macos-cli` rows of the facts.
extension EndToEndTests {
    struct SecurityCaseTests {
        struct Case: CustomStringConvertible {
            let id: String
            var setup: [[String]] = []
            let call: [String]
            let status: Int32
            var output: Text = .exactly("")
            var errors: Text = .exactly("")

            var description: String { id }
        }

        /// The expected text of a stream.
        enum Text {
            case exactly(String)
            case begins(String)
            case attributeBlock

            func fits(_ text: String) -> Bool {
                switch self {
                case .exactly(let whole): text == whole
                case .begins(let start): text.hasPrefix(start)
                case .attributeBlock:
                    text.hasPrefix("keychain: \"")
                        && text.contains("\nversion: 512\nclass: \"genp\"\n")
                        && text.contains("\nattributes:\n    0x00000007 <blob>=")
                }
            }
        }

        private static let add = ["add-generic-password", "-a", "acc", "-s", "svc"]
        private static let pw = add + ["-w", "pw", "t.keychain"]

        static let cases = [
            Case(
                id: "cli-1",
                call: ["find-generic-password", "-s", "nope", "t.keychain"],
                status: 44,
                errors: .exactly(
                    "security: SecKeychainSearchCopyNext:"
                        + " The specified item could not be found in the keychain.\n"
                )
            ),
            Case(
                id: "cli-2",
                setup: [pw],
                call: pw,
                status: 45,
                errors: .exactly(
                    "security: SecKeychainItemCreateFromContent (t.keychain):"
                        + " The specified item already exists in the keychain.\n"
                )
            ),
            Case(
                id: "cli-7",
                setup: [add + ["-w", "pä", "t.keychain"]],
                call: ["find-generic-password", "-s", "svc", "-g", "t.keychain"],
                status: 0,
                output: .attributeBlock,
                errors: .exactly("password: 0x70C3A4  \"p\\303\\244\"\n")
            ),
            Case(
                id: "cli-8",
                setup: [add + ["-X", "C3A4", "t.keychain"]],
                call: ["find-generic-password", "-s", "svc", "-g", "t.keychain"],
                status: 0,
                output: .attributeBlock,
                errors: .exactly("password: 0xC3A4 \n")
            ),
            Case(
                id: "cli-9",
                call: ["delete-generic-password", "t.keychain"],
                status: 2,
                errors: .begins("Usage: delete-generic-password ")
            ),
            Case(
                id: "cli-10",
                setup: [pw],
                call: ["delete-generic-password", "-s", "svc", "t.keychain"],
                status: 0,
                output: .attributeBlock,
                errors: .exactly("password has been deleted.\n")
            ),
            Case(
                id: "cli-11",
                call: ["no-such-command"],
                status: 1,
                errors: .exactly("security: unknown command \"no-such-command\"\n")
            ),
            Case(
                id: "cli-12",
                call: ["add-generic-password", "-a", "acc", "t.keychain"],
                status: 2,
                errors: .begins("Usage: add-generic-password ")
            ),
            Case(
                id: "cli-13",
                call: ["unlock-keychain", "-p", "wrong", "t.keychain"],
                status: 51,
                errors: .exactly(
                    "security: SecKeychainUnlock t.keychain:"
                        + " The user name or passphrase you entered is not correct.\n"
                )
            ),
            Case(
                id: "cli-14",
                call: ["show-keychain-info", "t.keychain"],
                status: 0,
                errors: .exactly("Keychain \"t.keychain\" lock-on-sleep timeout=300s\n")
            ),
            Case(
                id: "cli-16",
                call: ["error", "-25300"],
                status: 1,
                output: .begins("Error: 0xFFFF9D2C -25300 ")
            ),
            Case(
                id: "cli-17",
                call: add + ["-X", "zz", "t.keychain"],
                status: 2,
                errors: .begins(
                    "security: Unable to convert password data (-X must specify valid hex digits)"
                        + "\nUsage: add-generic-password "
                )
            ),
            Case(
                id: "cli-18",
                call: add + ["-c", "abc", "t.keychain"],
                status: 1,
                errors: .begins("Error: four-character types must be exactly 4 characters long.\n")
            ),
        ]

        /// The rows of commands are not run with the other cases, but here.
        @Test
        func `every known case of a command is run`() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Device/SecItemCaseTests/Vectors/secitem-cases.jsonl")
            struct Row: Decodable {
                let id: String
                let platform: String
            }
            let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
            let known = rows.filter { $0.platform == "macos-cli" }.map(\.id)
            #expect(known.count > 10)
            #expect(Self.cases.map(\.id) == known)
        }

        /// One keychain for all cases: each begins by making a new one.
        @Test
        func `every known case is answered as security answers it`() async throws {
            try await World.with { world in
                let device = world.device("A")
                try await device.startDaemon()
                let security = try world.linkSecurity()
                for known in Self.cases {
                    let created = try await device.run([
                        "create-keychain", "-p", "pw", "t.keychain",
                    ])
                    #expect(created.status == 0, "\(created)")
                    for line in known.setup {
                        let result = try await device.run(line)
                        #expect(result.status == 0, "\(known.id): \(result)")
                    }
                    let result = try await RunningProgram(
                        security,
                        ["--home", device.home] + known.call,
                        folder: world.folder
                    ).result()
                    #expect(result.status == known.status, "\(known.id): \(result)")
                    #expect(known.output.fits(result.output), "\(known.id): \(result)")
                    #expect(known.errors.fits(result.errors), "\(known.id): \(result)")
                    #expect(try await device.run(["delete-keychain", "t.keychain"]).status == 0)
                }
            }
        }
    }
}

extension World {
    /// Makes a link to `keychain` under the name of macOS's tool, and gives its path.
    func linkSecurity() throws -> String {
        let path = path("security")
        try FileManager.default.createSymbolicLink(
            atPath: path,
            withDestinationPath: Programs.path("keychain")
        )
        return path
    }
}

extension Device {
    /// `keychain` with `--home` before the command, so that any command takes it.
    func run(_ line: [String], input: String? = nil) async throws -> ProgramResult {
        try await start("keychain", ["--home", home] + line, input: input, namesHome: false)
            .result()
    }
}
