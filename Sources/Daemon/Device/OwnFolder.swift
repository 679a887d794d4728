internal import KSFiles
internal import KSKeychain

/// The home, and which paths lead to its files: programs name files by paths, and the daemon's own
/// must not be among them.
package struct OwnFolder: Sendable {
    private static let slash = UInt8(ascii: "/")

    /// Without symbolic links.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The path that a program named, without symbolic links and other detours in its folder, so
    /// that it leads where it was seen to lead.
    ///
    /// - Throws: ``CommandFailure`` when it leads into the home, is not absolute, or goes up;
    ///   ``FileError/notRegular`` when it says of itself that it is a folder's.
    package func outside(_ named: String) throws -> String {
        // By bytes, as the system reads it: an accent behind "/" makes it another letter to Swift.
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

    /// Whether a folder is the home or below it, by its name or by what the disk says: a folder may
    /// be reached under a second name without any link, and one file system takes A for a.
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
