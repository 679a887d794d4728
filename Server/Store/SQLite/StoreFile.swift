internal import Glibc

/// The few things about files that SQLite does not do for us.
enum StoreFile {
    /// Makes an empty file that only its owner may read, for SQLite to fill.
    static func createEmptyIfMissing(_ path: String) throws(StoreError) {
        do {
            try createEmpty(path)
        } catch .fileExists {
            return
        }
    }

    /// - Throws: ``StoreError/fileExists``.
    static func createEmpty(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        close(descriptor)
    }

    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Gives a file a second name, unless something has that name.
    static func link(_ path: String, to other: String) throws(StoreError) {
        guard unsafe Glibc.link(path, other) == 0 else { throw failure() }
    }

    /// Renames over whatever had the name.
    static func rename(_ path: String, to other: String) throws(StoreError) {
        guard unsafe Glibc.rename(path, other) == 0 else { throw failure() }
    }

    static func removeIfPresent(_ path: String) throws(StoreError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure() }
    }

    /// Puts a file and its directory's entry for it onto the disk.
    static func synchronize(_ path: String) throws(StoreError) {
        try synchronize(path, flags: O_RDONLY)
        try synchronize(directory(of: path), flags: O_RDONLY | O_DIRECTORY)
    }

    private static func synchronize(_ path: String, flags: Int32) throws(StoreError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure() -> StoreError {
        switch errno {
        case EEXIST: .fileExists
        case ENOENT: .notFound
        default: .storageFailed(code: -errno)
        }
    }
}
