internal import Glibc
internal import KSAgent
internal import KSSecrets

/// Hands the text to tmux, which passes it to the terminals that show it.
///
/// The paste buffer that this takes is removed at once: only the terminals keep the text. It works
/// with tmux' default `set-clipboard external`, from tmux 3.2 on.
final class TmuxClipboard: HeldClipboard {
    private let program: String
    let descriptor: Int32 = -1
    let tellsChanges = false
    private static let bufferName = "keychain-sync"

    init(program: String, text: SharedSecret) throws(ClipboardError) {
        self.program = program
        try load(text)
    }

    func serve() -> Bool { true }

    func clear() {
        do { try load(SharedSecret(bytes: [0x20])) } catch {
            // The server of tmux has ended, and cannot reach the terminals any more.
        }
    }

    private func load(_ text: SharedSecret) throws(ClipboardError) {
        let (input, textEnd) = try OpenEnd.pipe()
        let nothing = try OpenEnd.open("/dev/null", O_RDWR)
        let process = try ChildProgram.start(
            [program, "load-buffer", "-w", "-b", Self.bufferName, "-"],
            files: [input, nothing, nothing],
            isDetached: false
        )
        input.close()
        text.write(to: textEnd.number, limitMilliseconds: 3000)
        textEnd.close()
        guard ChildProgram.waitForEnd(of: process) else { throw .refused }
        let removal = try ChildProgram.start(
            [program, "delete-buffer", "-b", Self.bufferName],
            files: [nothing, nothing, nothing],
            isDetached: false
        )
        ChildProgram.waitForEnd(of: removal)
    }
}

/// Hands the text to the terminal, which tells nobody whether it took it, or still has it.
final class TerminalClipboard: HeldClipboard {
    private let terminal: Int32
    private let wrapping: TerminalWrapping

    let descriptor: Int32 = -1
    let tellsChanges = false

    /// The terminal must be open for writing as long as this lives.
    init(
        terminal: Int32,
        wrapping: TerminalWrapping,
        text: SharedSecret
    ) throws(ClipboardError) {
        (self.terminal, self.wrapping) = (terminal, wrapping)
        let sequence = TerminalSequence.setting(text, wrapping)
        guard sequence.write(to: terminal, limitMilliseconds: 3000) else { throw .refused }
    }

    func serve() -> Bool { true }

    /// Overwrites what the terminal has now; nothing happens if it was closed.
    func clear() {
        TerminalSequence.overwriting(wrapping).write(to: terminal, limitMilliseconds: 3000)
    }
}
