internal import KSBytes
internal import Glibc

/// A file that appears at its path only when it is complete.
///
/// Until then it has no name, if the file system allows that: a killed process leaves nothing. For
/// a moment, and on other file systems all the time, it has a hidden name; the next write into the
/// folder removes such files of killed processes.
package struct ReplacementFile: ~Copyable {
    private let temporaryPath: String
    private let targetPath: String
    private let replaces: Bool
    private let file: OpenFile
    private var hasTemporaryName: Bool

    /// Begins a file in the folder of its path.
    ///
    /// `target`: the path that it gets. `replaces`: whether it may replace a file there.
    /// `isUnnamed`: false in tests that avoid unnamed files.
    package init(for target: String, replaces: Bool, isUnnamed: Bool = true) throws(FileError) {
        let folder = Paths.folder(of: target)
        let temporaryPath = folder + "/" + LeftoverName.make()
        LeftoverName.removeAll(in: folder)
        // A file without a name can get one only through this path.
        let canBeNamed = unsafe access("/proc/self/fd", X_OK) == 0
        if isUnnamed, canBeNamed, let file = try OpenFile.creatingUnnamed(in: folder) {
            self.file = file
            hasTemporaryName = false
        } else {
            file = try OpenFile.creating(temporaryPath)
            hasTemporaryName = true
        }
        self.temporaryPath = temporaryPath
        targetPath = target
        self.replaces = replaces
        // The lock shows that it is not a leftover. Without locks no file counts as a leftover.
        _ = file.lock()
    }

    deinit {
        if hasTemporaryName { unsafe unlink(temporaryPath) }
    }

    package borrowing func write(_ bytes: [UInt8]) throws(FileError) {
        try file.write(bytes)
    }

    /// Gives the file its path, durably.
    package mutating func finish(permissions: UInt32) throws(FileError) {
        try file.finish(permissions: permissions)
        if replaces {
            if !hasTemporaryName {
                // A rename needs an old name.
                try file.link(to: temporaryPath)
                hasTemporaryName = true
            }
            guard unsafe rename(temporaryPath, targetPath) == 0 else { throw .ofLastCall }
            hasTemporaryName = false
        } else if hasTemporaryName {
            // Unlike a rename, a link never replaces another file.
            guard unsafe link(temporaryPath, targetPath) == 0 else { throw .ofLastCall }
        } else {
            try file.link(to: targetPath)
        }
        try Paths.synchronizeFolder(of: targetPath)
    }

    /// Replaces a file's contents durably; only its user can access the file.
    ///
    /// A crash leaves the old file or the new one; a failed write leaves the old one.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        var file = try ReplacementFile(for: path, replaces: true)
        try file.write(bytes)
        try file.finish(permissions: 0o600)
    }
}

/// The hidden names of files that are not complete yet.
package enum LeftoverName {
    private static let start = ".keychain-sync-"
    private static let end = ".new"
    private static let randomBytes = 8

    /// A new name; it need not be secret, nor repeatable, since a simulation has no files.
    static func make() -> String {
        let bytes = (0..<randomBytes).map { _ in UInt8.random(in: .min ... .max) }
        return start + String(hexadecimal: bytes) + end
    }

    package static func matches(_ name: String) -> Bool {
        guard name.hasPrefix(start), name.hasSuffix(end) else { return false }
        let middle = name.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        return middle.count == 2 * randomBytes
            && middle.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// Removes the files that killed processes have left in a folder.
    ///
    /// A file that is being written holds a lock. A file that cannot be examined or removed stays:
    /// it does no harm.
    static func removeAll(in folder: String) {
        guard let directory = unsafe opendir(folder) else { return }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard matches(name) else { continue }
            let path = folder + "/" + name
            // A file that cannot be opened belongs to somebody else.
            guard let file = try? OpenFile.reading(regular: path), file.lock() else { continue }
            unsafe unlink(path)
        }
    }
}
