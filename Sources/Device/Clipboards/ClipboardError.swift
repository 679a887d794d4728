/// Why a secret is not on the clipboard.
///
/// No case carries any of the secret.
package enum ClipboardError: Error, Hashable, Sendable {
    /// There is neither a display nor a terminal.
    case noClipboard
    /// The secret has more bytes than ``Clipboard/bytesMax``.
    case tooLarge(bytes: Int)
    /// There is nothing to copy.
    case empty
    /// No display took the secret, and there is no terminal to fall back on.
    case refused
    /// The process that keeps the clipboard could not be started; the number is errno's.
    case notStarted(errno: Int32)
    /// The process that keeps the clipboard ended without an answer.
    case noAnswer

    /// One sentence that says what is wrong and what to do.
    package var sentence: String {
        switch self {
        case .noClipboard:
            "There is no clipboard: WAYLAND_DISPLAY and DISPLAY are not set, and there is no"
                + " terminal that could pass the secret on; keychain show NAME --field password"
                + " prints it."
        case .tooLarge(let bytes):
            "The secret has \(bytes) bytes, and the clipboard takes at most"
                + " \(Clipboard.bytesMax): write it to a file instead."
        case .empty: "There is nothing to copy: the value is empty."
        case .refused:
            "The display did not take the secret: check WAYLAND_DISPLAY, DISPLAY and XAUTHORITY."
        case .notStarted(let number):
            "The process that keeps the clipboard did not start (errno \(number)): try again."
        case .noAnswer: "The process that keeps the clipboard ended early: try again."
        }
    }
}
