import Foundation
import KSTestTerminals
import Testing

/// The whole picker, on a pseudo-terminal.
struct PickScreenTests {
    private static func start(
        items: Int = 50,
        term: String = "xterm",
        rows: Int = 12,
        columns: Int = 80
    ) throws -> PseudoTerminal {
        // Without /proc these tests cannot run.
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(filePath: tests ?? "").deletingLastPathComponent()
        return try PseudoTerminal(
            folder.appending(path: "KSTerminalProgram").path,
            ["pick", "\(items)"],
            environment: ["TERM": term],
            rows: rows,
            columns: columns
        )
    }

    @Test
    func `a day at the picker`() async throws {
        let terminal = try Self.start()
        #expect(await terminal.waits(forText: "50/50"))
        terminal.type("bank 1")
        #expect(await terminal.waits(forText: "Find: bank 1"))
        #expect(await terminal.waits(forText: " 1/50"))
        terminal.type("\r")
        #expect(await terminal.waits(forText: "Copied the password of 14"))
        terminal.type("\t")
        #expect(await terminal.waits(forText: "> user"))
        #expect(terminal.screen.text.contains("••••••••"))
        terminal.type("\u{1B}[Bs")
        #expect(await terminal.waits(forText: "> password  geheim-14"))
        terminal.type("\u{1B}[B")
        #expect(await terminal.waits(forText: "> code"))
        #expect(!terminal.screen.text.contains("geheim"))
        #expect(terminal.screen.text.contains(/code      \d{3} \d{3}  \[#+\.*\] \d+ s/))
        // The bar moves without a key.
        let shown = terminal.screen.text
        #expect(await terminal.waits { $0.screen.text != shown })
        terminal.type("gy")
        #expect(await terminal.waits(forText: "! The keychain is locked"))
        terminal.type("e")
        #expect(await terminal.waits(forText: "Changed 14."))
        #expect(terminal.screen.lines[0] == "edited 14")
        terminal.resize(rows: 10, columns: 40)
        #expect(await terminal.waits { $0.screen.lines[9] == "Changed 14." })
        #expect(terminal.screen.unknown == [])
        terminal.type("\u{1B}")
        #expect(await terminal.waits(forText: "Find:"))
        terminal.type("\u{1B}")
        #expect(await terminal.waits(forText: "50/50"))
        terminal.type("\u{1B}")
        #expect(await terminal.end() == 0)
        #expect(terminal.isRestored && !terminal.screen.isAlternate)
        // What the editor wrote; the picker itself leaves nothing.
        #expect(terminal.screen.text.trimmingCharacters(in: .newlines) == "editing 14")
    }

    @Test
    func `moving by one item sends two lines`() async throws {
        let terminal = try Self.start(items: 10_000)
        #expect(await terminal.waits(forText: "10000/10000"))
        let before = terminal.output.count
        terminal.type("\u{1B}[B")
        #expect(await terminal.waits { $0.screen.lines[2].hasPrefix(">") })
        let output = String(decoding: terminal.output[before...], as: UTF8.self)
        #expect(output.ranges(of: "\u{1B}[K").count == 2)
    }

    @Test
    func `a dumb terminal is refused with a sentence`() async throws {
        let terminal = try Self.start(term: "dumb")
        #expect(await terminal.end() == 2)
        #expect(terminal.screen.text.contains("needs a terminal with a cursor"))
    }
}
