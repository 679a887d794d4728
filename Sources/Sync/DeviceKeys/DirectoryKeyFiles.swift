package import KSSealing
internal import KSFiles
internal import Glibc

/// Files in a directory that only their owner can read.
package struct DirectoryKeyFiles: KeyFileStorage {
    /// Far more than any key file has; a larger file under such a name is not read into memory.
    private static let fileBytesMax = 64 << 10

    private let path: String

    /// `path`: of a directory that exists.
    package init(path: String) {
        self.path = path
    }

    package func read(_ name: KeyFileName) throws(SealingError) -> [UInt8]? {
        let state: OpenFile.State
        let bytes: [UInt8]
        do throws(FileError) {
            let file = try OpenFile.reading(regular: filePath(name))
            state = try file.state()
            bytes = try file.contents(bytesMax: Self.fileBytesMax)
        } catch .system(errno: ENOENT) {
            return nil
        } catch .notRegular, .system(errno: EFBIG) {
            throw .keyFileDamaged(name)
        } catch {
            throw .keyFileUnavailable(name, systemError: error.number)
        }
        guard state.owner == geteuid(), state.permissions & 0o077 == 0 else {
            throw .keyFileOpenToOthers(name)
        }
        return bytes
    }

    package func replace(_ name: KeyFileName, with bytes: [UInt8]) throws(SealingError) {
        do throws(FileError) {
            try ReplacementFile.write(bytes, to: filePath(name))
        } catch {
            throw .keyFileUnavailable(name, systemError: error.number)
        }
    }

    private func filePath(_ name: KeyFileName) -> String {
        path + "/" + name.rawValue
    }
}
