internal import KSFiles
internal import KSKeychain

/// The home directory, which refuses paths to its own files: a program must not have the daemon
/// read or write those.
package struct OwnFolder: Sendable {
    private static let slash = UInt8(ascii: "/")

    /// Without symbolic links.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The path that a program named, with the symbolic links of its folder resolved, so that the
    /// daemon uses the path that was checked.
    ///
    /// - Throws: ``CommandFailure`` if the path leads into the home, is not absolute, or contains
    ///   `..`; ``FileError/notRegular`` if its last part is empty, `.` or `..`.
    package func outside(_ named: String) throws -> String {
        // By bytes, like the system: to Swift, "/" with a combining accent is another character.
        let words = named.utf8.split(separator: Self.slash, omittingEmptySubsequences: false)
        guard named.utf8.first == Self.slash, !named.utf8.contains(0), let last = words.last
        else { throw CommandFailure.malformedCall }
        let name = String(decoding: last, as: UTF8.self)
        guard !["", ".", ".."].contains(name) else { throw FileError.notRegular }
        guard !words.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw CommandFailure.malformedCall
        }
        let above = named.utf8.prefix(upTo: last.startIndex)
        let folder = try Paths.resolved(String(decoding: above, as: UTF8.self))
        let file = (folder == "/" ? "" : folder) + "/" + name
        guard !isHome(file), !isInHome(folder) else {
            throw CommandFailure.usage(
                "Files of the home directory are the keychain's own: name another file."
            )
        }
        return file
    }

    private func isHome(_ file: String) -> Bool {
        file.utf8.elementsEqual(path.utf8)
    }

    /// Whether a folder is the home or below it, by path or by file identity: with a bind mount or
    /// a case-insensitive file system, a folder has more than one path.
    private func isInHome(_ folder: String) -> Bool {
        if isHome(folder) || folder.utf8.starts(with: (path + "/").utf8) { return true }
        guard let home = FileState(path: path) else { return false }
        var above = folder[...]
        while !above.isEmpty {
            if FileState(path: String(above))?.isSameFile(as: home) == true { return true }
            guard let slash = above.utf8.lastIndex(of: Self.slash) else { break }
            above = above[..<slash]
        }
        return false
    }
}
