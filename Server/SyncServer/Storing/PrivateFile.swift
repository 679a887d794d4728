internal import Foundation

/// Small files that nobody but the server's user may read.
enum PrivateFile {
    /// Writes the file whole: a crash leaves what was there, or the new one.
    static func write(_ bytes: [UInt8], to path: String) throws(DataDirectoryError) {
        let temporaryPath = path + ".new"
        // It may be left over from a crash; when it cannot be removed, opening it fails below.
        _ = unsafe unlink(temporaryPath)
        let descriptor = unsafe open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notWritable }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor,
                    buffer.baseAddress?.advanced(by: written),
                    bytes.count - written
                )
            }
            guard count > 0 else { throw .notWritable }
            written += count
        }
        guard fsync(descriptor) == 0, unsafe rename(temporaryPath, path) == 0 else {
            throw .notWritable
        }
        // Until then a power cut may bring back what was there before.
        let folder = unsafe open(
            URL(filePath: path).deletingLastPathComponent().path,
            O_RDONLY | O_DIRECTORY | O_CLOEXEC
        )
        guard folder >= 0 else { throw .notWritable }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .notWritable }
    }

    static func read(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map(Array.init)
    }
}
