internal import GRDB
internal import Glibc

extension Keychain {
    /// Whether the file may be read and written by its owner: an open file works on when it may
    /// not be any more, and what is written to one that was removed is lost.
    ///
    /// - Throws: ``KeychainError/unavailable(code:)``; nothing need be opened again once the file
    ///   is as it was.
    package func checkFile() throws(KeychainError) {
        // A keychain in memory, or on a test's own disk, has none.
        guard database.path.utf8.first == UInt8(ascii: "/") else { return }
        var status = stat()
        let isThere = unsafe stat(database.path, &status) == 0
        guard isThere, status.st_mode & (S_IRUSR | S_IWUSR) == S_IRUSR | S_IWUSR else {
            throw .unavailable(code: ResultCode.SQLITE_CANTOPEN.rawValue)
        }
    }
}
