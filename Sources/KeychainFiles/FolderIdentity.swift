internal import Glibc

/// What tells one folder from another, whatever its names.
package struct FolderIdentity: Equatable {
    package let device: UInt
    package let inode: UInt

    package init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }
}
