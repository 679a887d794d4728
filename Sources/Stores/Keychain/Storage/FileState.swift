internal import Glibc

/// Which file or folder a path leads to, and whether its owner may use it.
package struct FileState: Sendable {
    private let device: UInt
    private let inode: UInt
    let ownerMayRead: Bool
    let ownerMayWrite: Bool

    /// Nil if the path leads nowhere or is not absolute, like that of a keychain in memory.
    package init?(path: String) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        ownerMayRead = status.st_mode & S_IRUSR != 0
        ownerMayWrite = status.st_mode & S_IWUSR != 0
    }

    package func isSameFile(as other: FileState) -> Bool {
        device == other.device && inode == other.inode
    }
}
