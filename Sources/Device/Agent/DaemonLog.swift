internal import Glibc

/// The part of a log that a daemon writes from a moment on.
struct DaemonLog {
    /// The prefix of the reason why a daemon ended, as of a command's error on a terminal.
    private static let start = "sync-client: "
    private static let bytesMax = 4096

    private let path: String
    private let size: Int

    /// Notes the size of the log now.
    init(path: String) {
        self.path = path
        var status = stat()
        size = unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The last line since then, without its prefix, if it says why the daemon has ended.
    var lastWord: String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // Without a readable log there is no reason.
        guard file >= 0 else { return nil }
        defer { close(file) }
        let end = Int(lseek(file, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: Self.bytesMax)
        let begin = max(size, end - Self.bytesMax, 0)
        let count = unsafe pread(file, &bytes, bytes.count, off_t(begin))
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        guard let line = text.split(separator: "\n").last, line.hasPrefix(Self.start) else {
            return nil
        }
        return String(line.dropFirst(Self.start.count))
    }
}
