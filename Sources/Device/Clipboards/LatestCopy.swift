internal import Glibc
internal import KSCLinux

/// Notes in a file which process has given a terminal its last text.
///
/// A terminal does not tell that its clipboard has changed. Without this, a text would be
/// overwritten in the time of the one that was copied before it.
package struct LatestCopy {
    private let path: String
    private let mark: String

    /// TIOCGDEV, the device of a terminal, also of one opened as `/dev/tty`; Swift does not import
    /// the macro.
    private static let getDevice: UInt = 0x8004_5432
    private static let markBytesMax = 64

    /// Notes that this process is the last one; nil if there is no private folder, or no terminal.
    package init?(terminal: Int32, privateFolder: String?) {
        var device: UInt32 = 0
        guard let privateFolder, unsafe ioctl(terminal, Self.getDevice, &device) == 0 else {
            return nil
        }
        path = "\(privateFolder)/keychain-sync-clipboard-\(device)"
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        // A process id alone may come again.
        mark = "\(getpid()) \(time.tv_sec).\(time.tv_nsec)"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe open(path, flags, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let bytes = Array(mark.utf8)
        guard unsafe write(file, bytes, bytes.count) == bytes.count else { return nil }
    }

    /// Whether no other process has noted itself since.
    package var isLatest: Bool {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        // Somebody has tidied up, which says nothing about the terminal.
        guard file >= 0 else { return true }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.markBytesMax)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == mark
    }

    /// Removes the note, once the text was overwritten.
    package func remove() { unsafe unlink(path) }
}
