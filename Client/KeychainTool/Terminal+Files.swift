internal import KSFiles
internal import Glibc

// Files that commands read and write.
extension Terminal {
    /// Writes a file; a new one can be read by its user alone, since there may be keys in it.
    ///
    /// It takes its place when it is whole: on a full disk what was there stays. What is no
    /// ordinary file, or not the user's alone, is written where it is.
    static func write(_ bytes: [UInt8], toFile path: String) throws(FileError) {
        // Where a link leads to, so that the link stays.
        let place = resolve(path) ?? path
        var status = stat()
        let isThere = unsafe lstat(place, &status) == 0
        if isThere {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
                status.st_uid == geteuid(), unsafe access(place, W_OK) == 0
            else { return try overwrite(place, bytes) }
        }
        do throws(FileError) {
            var file = try ReplacementFile(for: place, replaces: true)
            try file.write(bytes)
            try file.finish(permissions: isThere ? status.st_mode & 0o777 : 0o600)
        } catch .system(errno: EACCES) where isThere {
            // In a folder where nothing can be made, a file may be written all the same.
            try overwrite(place, bytes)
        }
    }

    private static func overwrite(_ path: String, _ bytes: [UInt8]) throws(FileError) {
        try OpenFile.overwriting(path).write(bytes)
    }

    /// Reads a whole file; none that is handed to the daemon may be larger than a message.
    static func read(_ path: String) throws(FileError) -> [UInt8] {
        try OpenFile(reading: path).contents(bytesMax: 16 << 20)
    }

    /// A path without symbolic links; nil where nothing is.
    static func resolve(_ path: String) -> String? {
        // The call that uses the path reports why the file is missing.
        try? Paths.resolved(path)
    }

    static var workingDirectory: String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}

extension FileError {
    var text: String { unsafe String(cString: strerror(number)) }
}
