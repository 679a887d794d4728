import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Passwords on a terminal, and from standard input without one.
    struct PromptTests {
        @Test(.enabled(if: TerminalProgram.canRun))
        func `the keychain command asks without showing what is typed`() async throws {
            try await World.withDevice { _, device in
                let create = try await TerminalProgram(device, program: "keychain", Self.create)
                try await create.answer("password for new keychain: ", "first try")
                try await create.answer("retype password for new keychain: ", "first trx")
                try await create.answer("password for new keychain: ", "of the keychain")
                try await create.answer("retype password for new keychain: ", "of the keychain")
                let created = try await create.end()
                #expect(created.contains("the passwords differ"), "\(created)")
                #expect(!created.contains("first tr"), "\(created)")
                #expect(!created.contains("of the"), "\(created)")

                let add = try await TerminalProgram(
                    device,
                    program: "keychain",
                    ["add-generic-password", "-s", "s", "-a", "a", "-w"]
                )
                try await add.answer("password data for new item: ", "of the item")
                try await add.answer("retype password for new item: ", "of the item")
                #expect(try await !add.end().contains("of the"))
                try await device.expect(
                    ["find-generic-password", "-s", "s", "-w"],
                    output: "of the item\n"
                )

                try await device.expect(["lock-keychain", "one"])
                let unlock = try await TerminalProgram(
                    device,
                    program: "keychain",
                    ["unlock-keychain", "one"]
                )
                try await unlock.answer("password to unlock one: ", "of the keychain")
                #expect(try await !unlock.end().contains("of the"))
                try await device.expect(["show-keychain-info", "one"])
            }
        }

        private static let create = ["create-keychain", "one"]

        // MARK: Signals

        @Test(.enabled(if: TerminalProgram.canRun), arguments: ["keychain", "sync-client"])
        func `a prompt that is interrupted leaves the terminal as it was`(
            program: String
        ) async throws {
            try await World.withDevice { _, device in
                let isTool = program == "keychain"
                let question = isTool ? "password for new keychain: " : "New passcode: "
                let terminal = try await TerminalProgram(
                    device,
                    program: program,
                    isTool ? Self.create : ["passcode", "set"],
                    // The shell survives the interrupt; its programs do not inherit the trap.
                    before: "trap : INT; ",
                    after: "; echo \"ended with $?\"; stty -a"
                )
                try await terminal.type("\u{3}", at: question)
                let shown = try await terminal.end()
                #expect(shown.contains("ended with 130"), "\(shown)")
                #expect(shown.contains(" echo "), "\(shown)")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun), arguments: ["TERM", "HUP"])
        func `a prompt that is ended leaves the terminal as it was`(signal: String) async throws {
            try await World.withDevice { _, device in
                let file = device.home + ".pid"
                let terminal = try await TerminalProgram(
                    device,
                    program: "keychain",
                    Self.create,
                    before: "/bin/sh -c 'echo $$ >\(file); exec \"$0\" \"$@\"' ",
                    after: "; stty -a"
                )
                try await terminal.type("", at: "password for new keychain: ")
                let number = try String(contentsOfFile: file, encoding: .utf8).dropLast()
                kill(try #require(Int32(number)), signal == "TERM" ? SIGTERM : SIGHUP)
                let shown = try await terminal.end()
                #expect(shown.contains("password for new keychain: "), "\(shown)")
                #expect(shown.contains(" echo "), "\(shown)")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `a stopped prompt asks again when it continues`() async throws {
            try await World.withDevice { _, device in
                let terminal = try await TerminalProgram(
                    device,
                    program: "keychain",
                    Self.create,
                    before: "set -m; ",
                    after: "; stty -a; echo stopped; fg"
                )
                try await terminal.type("half a pass\u{1A}", at: "password for new keychain: ")
                try await terminal.answer("password for new keychain: ", "whole", after: "stopped")
                try await terminal.answer("retype password for new keychain: ", "whole")
                let shown = try await terminal.end()
                let meanwhile = try #require(shown.components(separatedBy: "stopped\r\n").first)
                #expect(meanwhile.contains(" echo "), "\(shown)")
                #expect(!shown.contains("half a") && !shown.contains("whole"), "\(shown)")
                try await device.expect(["lock-keychain", "one"])
                try await device.expect(["unlock-keychain", "-p", "whole", "one"])
            }
        }

        // MARK: Long lines

        /// A terminal in canonical mode cuts a line at 4,095 bytes.
        private static func long(_ count: Int) -> String {
            String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        }

        @Test(.enabled(if: TerminalProgram.canRun), arguments: [4095, 4096, 20_000])
        func `a secret that is pasted at a prompt is kept whole`(count: Int) async throws {
            try await World.withDevice { _, device in
                let add = try await TerminalProgram(
                    device,
                    program: "keychain",
                    ["add-generic-password", "-s", "s", "-a", "a", "-w"]
                )
                let secret = Self.long(count)
                try await add.answer("password data for new item: ", secret)
                try await add.answer("retype password for new item: ", secret)
                #expect(try await !add.end().contains("abc"))
                let find = ["find-generic-password", "-s", "s", "-w"]
                try await device.expect(find, output: secret + "\n")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `a passcode is read whole from a prompt, or refused`() async throws {
            try await World.withDevice { _, device in
                let set = try await TerminalProgram(device, ["passcode", "set"])
                try await set.answer("New passcode: ", Self.long(4096))
                try await set.answer("Repeat it: ", Self.long(4096))
                #expect(try await set.end().contains("has a passcode now"))
                _ = try await device.client("lock")

                let unlock = try await TerminalProgram(device, ["unlock"])
                try await unlock.answer("Passcode of this device: ", Self.long(4097))
                #expect(try await unlock.end().contains("longer than 4096 bytes"))
                let right = try await TerminalProgram(device, ["unlock"])
                try await right.answer("Passcode of this device: ", Self.long(4096))
                #expect(try await right.end().contains("is unlocked"))
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `what is typed wrong at a prompt can be taken back`() async throws {
            try await World.withDevice { _, device in
                let set = try await TerminalProgram(device, ["passcode", "set"])
                try await set.answer("New passcode: ", "no\u{15}258é\u{7F}1\u{7F}0")
                try await set.answer("Repeat it: ", "2580")
                #expect(try await set.end().contains("has a passcode now"))
                let ended = try await TerminalProgram(
                    device,
                    ["passcode", "change"],
                    after: "; echo \"ended with $?\"; stty -a"
                )
                try await ended.type("\u{4}", at: "Passcode of this device: ")
                let shown = try await ended.end()
                #expect(shown.contains("Nothing was typed") && shown.contains("ended with 64"))
                #expect(shown.contains(" echo ") && shown.contains(" icanon "), "\(shown)")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `a command that a terminal cuts is ignored with a message`() async throws {
            try await World.withDevice { _, device in
                let tool = try await TerminalProgram(device, program: "keychain", ["-i"])
                let add = "add-generic-password -s s -a a -w "
                try await tool.type(add + Self.long(5000) + "\n", at: "security> ")
                try await tool.type("quit\n", at: "security> ", after: "was ignored")
                #expect(try await tool.end().contains("cannot be typed here"))
                try await device.expect(["find-generic-password", "-s", "s"], status: 44)

                let unlock = try await TerminalProgram(
                    device,
                    ["passcode", "set", "--passcode-file", "-"],
                    before: "echo ready; "
                )
                try await unlock.type(Self.long(4096) + "\n\u{4}", at: "", after: "ready")
                #expect(try await unlock.end().contains("cannot be typed here"))
                #expect(try await device.client("status").output.contains("no passcode"))
            }
        }

        // MARK: Without a terminal

        /// Runs a program without a terminal, with this text as standard input.
        private func pipe(
            _ input: String,
            to program: String,
            _ arguments: [String],
            _ device: Device,
            _ world: World
        ) async throws -> ProgramResult {
            try await RunningProgram(
                "/usr/bin/setsid",
                ["--wait", Programs.path(program)] + arguments,
                folder: world.folder,
                environment: ["KEYCHAIN_SYNC_HOME": device.home],
                input: .text(input)
            ).result()
        }

        @Test
        func `without a terminal passwords are lines of standard input`() async throws {
            try await World.withDevice { world, device in
                let created = try await pipe("pw\npw\n", to: "keychain", Self.create, device, world)
                #expect(created.status == 0, "\(created)")
                #expect(created.output.isEmpty)
                try await device.expect(["lock-keychain", "one"])
                let unlock = ["unlock-keychain", "one"]
                let wrong = try await pipe("no\n", to: "keychain", unlock, device, world)
                #expect(wrong.status == 51, "\(wrong)")
                let none = try await pipe("", to: "keychain", unlock, device, world)
                #expect(none.status == 255, "\(none)")
                #expect(none.errors.contains("there is no terminal"), "\(none)")
                let right = try await pipe("pw", to: "keychain", unlock, device, world)
                #expect(right.status == 0, "\(right)")
                #expect(right.output.isEmpty)

                let add = ["add-generic-password", "-s", "s", "-a", "a", "-w"]
                let added = try await pipe("x y\nx y\n", to: "keychain", add, device, world)
                #expect(added.status == 0, "\(added)")
                let login = ["find-generic-password", "-s", "s", "-w", "login"]
                try await device.expect(login, output: "x y\n")

                try await device.expect([
                    "add-generic-password", "-s", "s", "-a", "a", "-w", "z", "one",
                ])
                try await device.expect(["lock-keychain", "one"])
                let lines = "unlock-keychain one\npw\nfind-generic-password -s s -w one\n"
                let found = try await pipe(lines, to: "keychain", ["-i"], device, world)
                #expect(found.output == "z\n", "\(found)")
            }
        }

        @Test
        func `without a terminal a passcode is a line of standard input too`() async throws {
            try await World.withDevice { world, device in
                let set = ["passcode", "set"]
                let none = try await pipe("", to: "sync-client", set, device, world)
                #expect(none.status == 64, "\(none)")
                expectOneSentence(none, saying: "no terminal")
                let done = try await pipe("2580\n", to: "sync-client", set, device, world)
                #expect(done.status == 0, "\(done)")
                #expect(try await device.client("status").output.contains("passcode set"))
                // A new passcode is read once: the next line belongs to another command.
                let lines = "2580\n2581\nnot mine\n"
                let change = ["passcode", "change"]
                let changed = try await pipe(lines, to: "sync-client", change, device, world)
                #expect(changed.status == 0, "\(changed)")
                _ = try await device.client("lock")
                let unlock = ["unlock"]
                let old = try await pipe("2580\n", to: "sync-client", unlock, device, world)
                #expect(old.status != 0, "\(old)")
                let new = try await pipe("2581\n", to: "sync-client", unlock, device, world)
                #expect(new.status == 0, "\(new)")
            }
        }
    }
}
