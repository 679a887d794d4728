import Foundation
import Glibc
import KSClipboards
import KSSecrets
import KSTestTerminals
import Testing

struct ClipboardTests {
    private static let program = Built.path("KSTerminalProgram")

    private static func terminal(
        _ text: String,
        seconds: Int,
        _ environment: [String: String]
    ) throws -> PseudoTerminal {
        try PseudoTerminal(program, ["copy", text, "\(seconds)"], environment: environment)
    }

    @Test
    func `what cannot be copied is refused with a sentence`() {
        let clipboard = Clipboard(holder: ["/bin/false"], environment: [:])
        let large = SharedSecret(count: Clipboard.bytesMax + 1) { (_: inout MutableRawSpan) in }
        #expect(throws: ClipboardError.tooLarge(bytes: 65_537)) { try clipboard.copy(large) }
        #expect(throws: ClipboardError.empty) { try clipboard.copy(SharedSecret(bytes: [])) }
        #expect(ClipboardError.tooLarge(bytes: 65_537).sentence.contains("at most 65536"))
    }

    @Test
    func `a holder that cannot be started, or ends, is reported`() {
        let environment = ["DISPLAY": ":4711"]
        let secret = SharedSecret(bytes: [65])
        let missing = Clipboard(holder: ["/nowhere"], environment: environment)
        #expect(throws: ClipboardError.notStarted(errno: ENOENT)) { try missing.copy(secret) }
        let ending = Clipboard(holder: ["/bin/true"], environment: environment)
        for count in [1, Clipboard.bytesMax] {
            let secret = SharedSecret(bytes: [UInt8](repeating: 65, count: count))
            #expect(throws: ClipboardError.noAnswer) { try ending.copy(secret) }
        }
    }

    @Test
    func `a display that does not answer is refused, and the terminal is tried then`() async throws
    {
        let none = try Self.terminal("geheim", seconds: 60, ["DISPLAY": ":4711", "TERM": "dumb"])
        #expect(await none.end() == 1)
        #expect(none.screen.text.contains("did not take the secret"))
        let some = try Self.terminal("geheim", seconds: 1, ["DISPLAY": ":4711", "TERM": "xterm"])
        #expect(await some.end() == 0)
        #expect(some.screen.text.contains("copied by terminal"))
    }

    @Test
    func `a terminal gets the text, and a space once the time is over`() async throws {
        let terminal = try Self.terminal("geheim", seconds: 1, ["TERM": "xterm"])
        #expect(await terminal.end() == 0)
        let text = "\u{1B}]52;c;Z2VoZWlt\u{7}"
        #expect(terminal.text.contains(text))
        let isOverwritten = await terminal.waits { terminal in
            terminal.text.hasSuffix("\u{1B}]52;c;IA==\u{7}")
        }
        #expect(isOverwritten)
    }

    @Test
    func `a text is not overwritten in the time of one before it`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let terminals = (0..<2).map { _ in unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY) }
        defer { terminals.forEach { close($0) } }
        func copy(_ index: Int) throws -> LatestCopy {
            try #require(LatestCopy(terminal: terminals[index], privateFolder: folder.path))
        }
        let first = try copy(0)
        #expect(first.isLatest)
        let elsewhere = try copy(1)
        #expect(first.isLatest)
        let second = try copy(0)
        #expect(!first.isLatest && second.isLatest && elsewhere.isLatest)
        second.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        #expect(LatestCopy(terminal: terminals[0], privateFolder: nil) == nil)
    }
}

/// The programs that are built beside the tests.
enum Built {
    static func path(_ name: String) -> String {
        // Without /proc these tests cannot run.
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(filePath: tests ?? CommandLine.arguments[0]).deletingLastPathComponent()
        return folder.appending(path: name).path
    }
}
