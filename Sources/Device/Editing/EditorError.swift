internal import Glibc

/// Why a text could not be edited.
///
/// In every case it is as it was. The descriptions are sentences for users; no case contains
/// anything of the text.
package enum EditorError: Error, Hashable, CustomStringConvertible {
    /// No folder whose files are in memory alone belongs to the user.
    case noFolderInMemory
    /// The system refused, with this `errno`, to write or read the file.
    case file(errno: Int32)
    case notStarted(editor: String)
    /// The exit code is a shell's: above 128 for an editor that was killed.
    case failed(editor: String, exitCode: Int32)
    /// The editor has left no file.
    case fileIsGone
    case tooLong(bytesMax: Int)
    /// This process got a signal, which did not end it.
    case interrupted

    package var description: String {
        switch self {
        case .noFolderInMemory:
            "there is no folder in memory for a secret file; set XDG_RUNTIME_DIR to one, or mount "
                + "/dev/shm"
        case .file(let number):
            unsafe "cannot write or read the file to edit: \(String(cString: strerror(number)))"
        case .notStarted(let editor):
            "there is no editor \(editor); set VISUAL or EDITOR to the one to use"
        case .failed(let editor, let code) where code > 128:
            "the editor \(editor) was ended by signal \(code - 128), so nothing is changed"
        case .failed(let editor, let code):
            "the editor \(editor) failed with code \(code), so nothing is changed"
        case .fileIsGone: "the editor has left no file, so nothing is changed"
        case .tooLong(let bytesMax):
            "the text has more than \(bytesMax) bytes, so nothing is changed"
        case .interrupted: "a signal has ended the editor, so nothing is changed"
        }
    }
}
