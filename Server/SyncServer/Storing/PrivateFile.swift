internal import KSFiles
internal import Foundation

/// Small files that nobody but the server's user may read.
enum PrivateFile {
    /// Writes the file whole: a crash leaves what was there, or the new one.
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
