import Foundation
import Glibc
import KSTestTerminals
import Testing

/// With a program on a pseudo-terminal.
struct TerminalScreenTests {
    private static func start(_ term: String = "xterm") throws -> PseudoTerminal {
        // Without /proc these tests cannot run.
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(filePath: tests ?? "").deletingLastPathComponent()
        return try PseudoTerminal(
            folder.appending(path: "KSTerminalProgram").path,
            ["screen"],
            environment: ["TERM": term, "SWIFT_BACKTRACE": "enable=no"],
            rows: 10,
            columns: 40
        )
    }

    private static func expectRestored(_ terminal: PseudoTerminal, text: String) {
        #expect(terminal.isRestored)
        #expect(!terminal.screen.isAlternate)
        #expect(terminal.screen.isCursorVisible && terminal.screen.isWrapping)
        #expect(!terminal.screen.isPasteBracketed)
        #expect(terminal.screen.text.trimmingCharacters(in: .whitespacesAndNewlines) == text)
    }

    @Test
    func `keys and sizes arrive, and nothing is left on the screen`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "size 10x40"))
        #expect(terminal.screen.isAlternate && !terminal.screen.isWrapping)
        #expect(terminal.screen.row == 1 && terminal.screen.column == 5)
        #expect(!terminal.isRestored)
        terminal.type("\u{1B}[A")
        #expect(await terminal.waits(forText: "last up"))
        terminal.type("\u{1B}")
        #expect(await terminal.waits(forText: "last escape"))
        terminal.type("\u{1B}[200~pasted text\u{1B}[201~")
        #expect(await terminal.waits(forText: "last paste(\"pasted text\")"))
        terminal.resize(rows: 7, columns: 30)
        #expect(await terminal.waits(forText: "size 7x30"))
        terminal.type("q")
        #expect(await terminal.end() == 0)
        Self.expectRestored(terminal, text: "returned")
    }

    @Test
    func `the terminal is restored after an error`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "last none"))
        terminal.type("t")
        #expect(await terminal.end() == 3)
        Self.expectRestored(terminal, text: "thrown")
    }

    @Test
    func `the terminal is restored after a crash`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "last none"))
        terminal.type("c")
        let status = try #require(await terminal.end())
        #expect([-SIGILL, -SIGTRAP].contains(status))
        #expect(terminal.isRestored && !terminal.screen.isAlternate)
        #expect(terminal.screen.isCursorVisible)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func `a signal ends the program after the terminal is restored`(number: Int32) async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "last none"))
        terminal.send(number)
        #expect(await terminal.end() == -number)
        Self.expectRestored(terminal, text: "")
    }

    @Test
    func `Ctrl-C ends the program`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "last none"))
        terminal.type("\u{3}")
        #expect(await terminal.end() == -SIGINT)
        Self.expectRestored(terminal, text: "")
    }

    @Test
    func `a stopped program gives the screen back until it is continued`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "last none"))
        terminal.send(SIGSTOP)
        #expect(await terminal.waits { $0.isStopped })
        terminal.send(SIGCONT)
        terminal.type("x")
        #expect(await terminal.waits(forText: "last character(\"x\")"))
        // The kernel does not stop an orphaned group by SIGTSTP, so the program goes on at once.
        let before = terminal.output.count
        terminal.send(SIGTSTP)
        #expect(
            await terminal.waits { terminal in
                let output = String(decoding: terminal.output[before...], as: UTF8.self)
                return output.contains("\u{1B}[?1049l") && output.contains("\u{1B}[?1049h")
            }
        )
        terminal.type("y")
        #expect(await terminal.waits(forText: "last character(\"y\")"))
        terminal.type("q")
        #expect(await terminal.end() == 0)
        Self.expectRestored(terminal, text: "returned")
    }

    @Test
    func `another program may use the screen in between`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "last none"))
        terminal.type("s")
        #expect(
            await terminal.waits {
                String(decoding: $0.output, as: UTF8.self).contains("suspended")
            }
        )
        terminal.type("x")
        #expect(await terminal.waits(forText: "last character(\"x\")"))
        #expect(terminal.screen.isAlternate)
        terminal.type("q")
        #expect(await terminal.end() == 0)
        Self.expectRestored(terminal, text: "suspended\nreturned")
    }

    @Test
    func `a closed terminal ends the program`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "last none"))
        terminal.hangUp()
        #expect(await terminal.end() == -SIGHUP)
    }

    @Test
    func `a dumb terminal is refused with a sentence`() async throws {
        let terminal = try Self.start("dumb")
        #expect(await terminal.end() == 2)
        #expect(terminal.screen.text.contains("needs a terminal with a cursor"))
    }
}
