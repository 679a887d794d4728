package import KSDigests
internal import Foundation
package import KSFiles
internal import KSWire

/// Who may make an account here.
package enum Registration: String, Sendable, CaseIterable {
    case open
    /// Anyone with a code of `sync-server invite`.
    case invite
    case closed
}

/// One-time codes, each an empty file that is named by the code's hash.
///
/// Reading the directory reveals no code, and the command can add one while the server runs.
package struct Invitations: Sendable {
    private static let codeByteCount = 15

    /// The directory of the files, created with the first code.
    let directory: String

    package init(directory: String) {
        self.directory = directory
    }

    package func make(random: any RandomSource) throws(FileError) -> String {
        let code = Base64URL.encode(random.bytes(Self.codeByteCount))
        try DataDirectory(path: directory).create()
        try putBack(code)
        return code
    }

    /// Whether the code is valid and unused.
    func has(_ code: String) -> Bool {
        unsafe access(path(of: code), F_OK) == 0
    }

    /// Marks the code as used; false if there is no such code, or it was used meanwhile.
    func take(_ code: String) -> Bool {
        unsafe unlink(path(of: code)) == 0
    }

    /// Makes a code valid again whose account was not created.
    func putBack(_ code: String) throws(FileError) {
        try ReplacementFile.write([], to: path(of: code))
    }

    private func path(of code: String) -> String {
        directory + "/" + Base64URL.encode(SHA256.hash(Array(code.utf8)))
    }
}
