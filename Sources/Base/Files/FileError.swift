internal import Glibc

/// Why a file could not be read or written.
package enum FileError: Error, Hashable {
    /// It is a directory, a device or a symbolic link.
    case notRegular
    /// There is a file of this name already.
    case exists
    /// The system refused; the number is errno's.
    case system(errno: Int32)

    /// What the call says that has just failed.
    static var ofLastCall: FileError { errno == EEXIST ? .exists : .system(errno: errno) }

    /// The system's number, or the one that comes nearest.
    package var number: Int32 {
        switch self {
        case .notRegular: ELOOP
        case .exists: EEXIST
        case .system(let number): number
        }
    }
}
