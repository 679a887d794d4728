internal import Foundation
internal import KSClipboards
internal import KSScreens
internal import KSSecrets

/// What tests start on a pseudo-terminal or with a display.
@main
enum TerminalProgram {
    static func main() {
        let words = CommandLine.arguments
        switch words.dropFirst().first {
        case "hold": exit(ClipboardHolder.run(environment: ProcessInfo.processInfo.environment))
        case "copy" where words.count == 4: copy(words[2], seconds: UInt32(words[3]) ?? 1)
        case "screen": screen()
        case "pick" where words.count == 3: Demonstration.run(count: Int(words[2]) ?? 0)
        default: exit(64)
        }
    }

    /// Copies a text that is no secret, and prints how.
    private static func copy(_ text: String, seconds: UInt32) {
        let clipboard = Clipboard(
            holder: ["/proc/self/exe", "hold"],
            environment: ProcessInfo.processInfo.environment
        )
        do throws(ClipboardError) {
            let receipt = try clipboard.copy(
                SharedSecret(bytes: Array(text.utf8)),
                seconds: seconds
            )
            print("copied by \(receipt.kind)")
        } catch {
            print(error.sentence)
            exit(1)
        }
    }

    /// Shows the size and the last key; a few keys make it fail in ways that tests want.
    private static func screen() {
        struct Failure: Error {}
        do {
            try TerminalScreen.run(environment: ProcessInfo.processInfo.environment) { screen in
                var last = "none"
                while true {
                    let size = "\(screen.rows)x\(screen.columns)"
                    let lines = [StyledLine("size \(size)", .bold), StyledLine("last \(last)")]
                    screen.show(Frame(lines: lines, cursor: .init(row: 1, column: 5)))
                    switch screen.nextEvent() {
                    case .key(.character("q")), .ended: return
                    case .key(.character("t")): throw Failure()
                    case .key(.character("c")): fatalError("wanted by the test")
                    case .key(.character("s")):
                        screen.suspended { print("suspended", terminator: "\r\n") }
                    case .key(let key): last = "\(key)"
                    case .resized, .timeOver: break
                    }
                }
            }
            print("returned")
        } catch let error as ScreenError {
            print(error.sentence)
            exit(2)
        } catch {
            print("thrown")
            exit(3)
        }
    }
}
