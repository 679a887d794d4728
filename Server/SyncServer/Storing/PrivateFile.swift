internal import KSFiles
internal import Foundation

/// Small files that only the server's user may read.
enum PrivateFile {
    /// Replaces the file as a whole: after a crash it has its old or its new contents.
    static func write(_ bytes: [UInt8], to path: String) throws(DataDirectoryError) {
        do {
            try ReplacementFile.write(bytes, to: path)
        } catch {
            throw .notWritable
        }
    }

    static func read(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map(Array.init)
    }
}
