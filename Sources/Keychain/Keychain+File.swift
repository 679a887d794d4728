internal import GRDB
internal import Glibc

extension Keychain {
    /// Whether the file may be read and written by its owner, and is the one that was opened: an
    /// open file works on when it may not be any more, and what is written to one that was removed
    /// or replaced is lost.
    ///
    /// - Throws: ``KeychainError/unavailable(code:)``, or ``KeychainError/readOnly`` when it can
    ///   only be read; nothing need be opened again once the file is as it was.
    package func checkFile() throws(KeychainError) {
        guard let opened else { return }
        guard let file = FileState(path: database.path), file.isSameFile(as: opened),
            file.ownerMayRead
        else {
            throw .unavailable(code: ResultCode.SQLITE_CANTOPEN.rawValue)
        }
        guard file.ownerMayWrite else { throw .readOnly }
    }
}

/// What tells one file of a keychain from another, and from one that its owner may not use.
package struct FileState {
    private let device: UInt
    private let inode: UInt
    let ownerMayRead: Bool
    let ownerMayWrite: Bool

    /// Nil where there is no file, as of a keychain in memory.
    package init?(path: String) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        ownerMayRead = status.st_mode & S_IRUSR != 0
        ownerMayWrite = status.st_mode & S_IWUSR != 0
    }

    func isSameFile(as other: FileState) -> Bool {
        device == other.device && inode == other.inode
    }
}
