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
        var code = ""
        // As the argument of a command it must not look like an option.
        while code.isEmpty || code.hasPrefix("-") {
            code = Base64URL.encode(random.bytes(Self.codeByteCount))
        }
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

    /// The unused ones: the first digits of each code's hash, and when it was made.
    func all() throws -> [(number: String, seconds: UInt64)] {
        try names().map { name, number in
            let attributes = try FileManager.default.attributesOfItem(
                atPath: directory + "/" + name
            )
            let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return (number, UInt64(max(0, time)))
        }.sorted { $0.seconds < $1.seconds }
    }

    /// Makes the invitation of a number void; false if there is not exactly one.
    func remove(number: String) -> Bool {
        // Without the directory there is none.
        let found = ((try? names()) ?? []).filter { $0.number == number.lowercased() }
        guard let name = found.first?.name, found.count == 1 else { return false }
        return unsafe unlink(directory + "/" + name) == 0
    }

    /// The files' names, which are the hashes of the codes, and the first digits of each.
    private func names() throws -> [(name: String, number: String)] {
        guard FileManager.default.fileExists(atPath: directory) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory).compactMap { name in
            guard let hash = Base64URL.decode(name), hash.count == SHA256.byteCount else {
                return nil
            }
            return (name, Shown.id(hash))
        }
    }

    private func path(of code: String) -> String {
        directory + "/" + Base64URL.encode(SHA256.hash(Array(code.utf8)))
    }
}
