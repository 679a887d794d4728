internal import Glibc

/// What the system says of paths.
package enum Paths {
    /// The folder in which a path's last name stands.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The absolute path without symbolic links of something that is there.
    ///
    /// - Throws: ``FileError/system(errno:)``, with EILSEQ for a path that is not UTF-8.
    package static func resolved(_ path: String) throws(FileError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw .ofLastCall }
        defer { unsafe free(resolved) }
        guard let text = unsafe String(validatingCString: resolved) else {
            throw .system(errno: EILSEQ)
        }
        return text
    }

    /// Puts a new name, or a changed one, onto the disk: a power cut does not undo it any more.
    package static func synchronizeFolder(of path: String) throws(FileError) {
        let folder = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            // A folder that may be written but not read can only be trusted.
            if errno == EACCES { return }
            throw .ofLastCall
        }
        defer { close(folder) }
        // What a file system says that has no such thing.
        guard fsync(folder) == 0 || errno == EINVAL else { throw .ofLastCall }
    }
}
