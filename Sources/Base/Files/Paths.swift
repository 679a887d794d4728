internal import Glibc

/// Paths as the system resolves them.
package enum Paths {
    /// The folder of a path's last name.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The absolute path, without symbolic links, of an existing file or folder.
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

    /// Syncs a new or changed name to the disk, so that a power cut cannot undo it.
    package static func synchronizeFolder(of path: String) throws(FileError) {
        let folder = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            // A folder that may be written but not read cannot be synced.
            if errno == EACCES { return }
            throw .ofLastCall
        }
        defer { close(folder) }
        // Some file systems cannot sync a folder, and answer EINVAL.
        guard fsync(folder) == 0 || errno == EINVAL else { throw .ofLastCall }
    }
}
