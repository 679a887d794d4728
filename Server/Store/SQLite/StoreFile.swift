internal import KSFiles
internal import Glibc
internal import KSMerging

/// Operations on files that SQLite does not offer.
enum StoreFile {
    /// Makes an empty file that only its owner may read, for SQLite to fill.
    ///
    /// - Throws: ``StoreError/fileExists``.
    static func createEmpty(_ path: String) throws(StoreError) {
        do throws(FileError) {
            _ = try OpenFile.creating(path)
        } catch {
            throw failure(error.number)
        }
    }

    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Gives a file a second name, unless that name exists.
    static func link(_ path: String, to other: String) throws(StoreError) {
        guard unsafe Glibc.link(path, other) == 0 else { throw failure() }
    }

    /// Renames a file, and replaces any file that has the new name.
    static func rename(_ path: String, to other: String) throws(StoreError) {
        guard unsafe Glibc.rename(path, other) == 0 else { throw failure() }
    }

    static func removeIfPresent(_ path: String) throws(StoreError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure() }
    }

    /// Syncs a file and its name in the directory to the disk.
    static func synchronize(_ path: String) throws(StoreError) {
        do throws(FileError) {
            try OpenFile(reading: path).synchronize()
            try Paths.synchronizeFolder(of: path)
        } catch {
            throw failure(error.number)
        }
    }

    private static func failure(_ number: Int32 = errno) -> StoreError {
        switch number {
        case EEXIST: .fileExists
        case ENOENT: .notFound
        default: .storageFailed(code: -number)
        }
    }
}
