internal import Glibc

/// Why a file could not be read or written.
package enum FileError: Error, Hashable {
    /// The path leads to a directory, a device or a symbolic link.
    case notRegular
    /// A file of this name exists.
    case exists
    /// The system refused, with this `errno`.
    case system(errno: Int32)

    /// The error of the system call that has just failed.
    static var ofLastCall: FileError { errno == EEXIST ? .exists : .system(errno: errno) }

    /// The system's `errno`, or the nearest one.
    package var number: Int32 {
        switch self {
        case .notRegular: ELOOP
        case .exists: EEXIST
        case .system(let number): number
        }
    }
}
