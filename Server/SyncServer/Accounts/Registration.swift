internal import KSDigests
internal import Foundation
internal import KSWire

/// Who may make an account here.
enum Registration: String, Sendable, CaseIterable {
    case open
    /// Whoever has a code of `sync-server invite`.
    case invite
    case closed
}

/// One-time codes: for each an empty file, named by the code's hash, so that who reads the
/// directory has no code, and the command can make one while the server runs.
struct Invitations: Sendable {
    private static let codeByteCount = 15

    /// The directory of the files; made when the first code is.
    let directory: String

    func make(random: any RandomSource) throws(DataDirectoryError) -> String {
        let code = Base64URL.encode(random.bytes(Self.codeByteCount))
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .notWritable
        }
        try putBack(code)
        return code
    }

    /// Uses the code up; false when there is no such code, or somebody was faster.
    func take(_ code: String) -> Bool {
        unsafe unlink(path(of: code)) == 0
    }

    /// Makes a code good again whose account was not made after all.
    func putBack(_ code: String) throws(DataDirectoryError) {
        try PrivateFile.write([], to: path(of: code))
    }

    private func path(of code: String) -> String {
        let hash = SHA256.hash(Array(code.utf8))
        return directory + "/" + Base64URL.encode(hash)
    }
}
