import Foundation
import Glibc
import KSTestTerminals
import Testing

/// With a real X server and the programs that people paste with.
@Suite(.enabled(if: VirtualDisplay.canRun, "Xvfb, xauth and xclip are not installed"))
struct X11ClipboardTests {
    private static func copy(_ text: String, seconds: Int, on display: VirtualDisplay) async throws
    {
        let terminal = try PseudoTerminal(
            Built.path("KSTerminalProgram"),
            ["copy", text, "\(seconds)"],
            environment: display.environment
        )
        #expect(await terminal.end() == 0)
        #expect(terminal.screen.text == "copied by x11" + String(repeating: "\n", count: 23))
        // The terminal is closed here, and the text stays.
    }

    @Test
    func `a secret can be pasted after its terminal was closed`() async throws {
        let display = try VirtualDisplay()
        try await Self.copy("geheim-ü", seconds: 60, on: display)
        #expect(display.paste("UTF8_STRING") == "geheim-ü")
        #expect(display.paste("text/plain;charset=utf-8") == "geheim-ü")
        #expect(display.paste("x-kde-passwordManagerHint") == "secret")
        let targets = [
            "TARGETS", "TIMESTAMP", "x-kde-passwordManagerHint", "UTF8_STRING",
            "text/plain;charset=utf-8",
        ]
        #expect(display.paste("TARGETS") == targets.joined(separator: "\n") + "\n")
        // Latin-1 is another text.
        #expect(display.paste("STRING") == nil)
        #expect(display.paste("UTF8_STRING", selection: "primary") == nil)
    }

    @Test
    func `a secret is gone once its time is over`() async throws {
        let display = try VirtualDisplay()
        try await Self.copy("geheim", seconds: 1, on: display)
        #expect(await display.waits { $0.paste("TARGETS") == nil })
    }

    @Test
    func `old programs get ASCII as STRING`() async throws {
        let display = try VirtualDisplay()
        try await Self.copy("geheim", seconds: 60, on: display)
        for target in ["STRING", "TEXT", "text/plain"] {
            #expect(display.paste(target) == "geheim")
        }
        #expect(display.paste("MULTIPLE") == nil)
    }

    @Test
    func `the longest secret is pasted whole`() async throws {
        let display = try VirtualDisplay()
        let text = String(repeating: "geheim-", count: 9362) + "xy"
        #expect(text.utf8.count == 65_536)
        try await Self.copy(text, seconds: 60, on: display)
        #expect(display.paste("UTF8_STRING") == text)
    }

    @Test
    func `the text of another program is left alone`() async throws {
        let display = try VirtualDisplay()
        try await Self.copy("geheim", seconds: 1, on: display)
        display.copy("other")
        // xclip returns before its copy in the background is heard by the server.
        #expect(await display.waits { $0.paste("UTF8_STRING") == "other" })
        // By then a second holder, started later for the same time, has ended.
        let second = try VirtualDisplay()
        try await Self.copy("geheim", seconds: 1, on: second)
        #expect(await second.waits { $0.paste("TARGETS") == nil })
        #expect(display.paste("UTF8_STRING") == "other")
    }

    @Test
    func `a wrong cookie is refused`() async throws {
        let display = try VirtualDisplay()
        var environment = display.environment
        environment["XAUTHORITY"] = "/dev/null"
        let terminal = try PseudoTerminal(
            Built.path("KSTerminalProgram"),
            ["copy", "geheim", "60"],
            environment: environment
        )
        #expect(await terminal.end() == 1)
        #expect(terminal.screen.text.contains("did not take the secret"))
    }
}
