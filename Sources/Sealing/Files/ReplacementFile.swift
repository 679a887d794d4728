package import KSDigests
internal import Glibc

/// A file that takes its place only when it is whole.
///
/// Until then it has no name, where the file system knows such files: nothing of it is left when
/// the process is killed. For a moment, and on other file systems all the time, it has a hidden
/// name; what a killed process left of that kind goes when the next one writes into the folder.
package struct ReplacementFile: ~Copyable {
    private let folder: String
    private let temporaryPath: String
    private let targetPath: String
    private let replaces: Bool
    private let file: OpenFile
    private var hasTemporaryName: Bool

    /// Begins it beside its place.
    ///
    /// `target`: where it is going to be, absolute. `replaces`: whether a file there may go.
    /// `random`: for its hidden name. `isUnnamed`: false to do without unnamed files, in tests.
    package init(
        for target: String,
        replaces: Bool,
        random: any RandomSource,
        isUnnamed: Bool = true
    ) throws(ProtectedFileError) {
        let slash = target.lastIndex(of: "/") ?? target.startIndex
        let folder = slash == target.startIndex ? "/" : String(target[..<slash])
        let temporaryPath = folder + "/" + LeftoverName.make(random)
        LeftoverName.removeAll(in: folder)
        if isUnnamed, let file = try OpenFile.creatingUnnamed(in: folder) {
            self.file = file
            hasTemporaryName = false
        } else {
            file = try OpenFile.creating(temporaryPath)
            hasTemporaryName = true
        }
        self.folder = folder
        self.temporaryPath = temporaryPath
        targetPath = target
        self.replaces = replaces
        // So that nobody takes it for a leftover; a file system without locks has none either.
        _ = file.lock()
    }

    deinit {
        if hasTemporaryName { unsafe unlink(temporaryPath) }
    }

    package borrowing func write(_ bytes: [UInt8]) throws(ProtectedFileError) {
        try file.write(bytes)
    }

    /// Puts it in its place, durably.
    package mutating func finish(permissions: UInt32) throws(ProtectedFileError) {
        try file.finish(permissions: permissions)
        if replaces {
            if !hasTemporaryName {
                // Only a name can take another one's place.
                try file.link(to: temporaryPath)
                hasTemporaryName = true
            }
            guard unsafe rename(temporaryPath, targetPath) == 0 else {
                throw .unavailable(systemError: errno)
            }
            hasTemporaryName = false
        } else if hasTemporaryName {
            // Unlike a rename, a link never takes another file's place.
            guard unsafe link(temporaryPath, targetPath) == 0 else {
                throw errno == EEXIST ? .exists : .unavailable(systemError: errno)
            }
        } else {
            try file.link(to: targetPath)
        }
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .unavailable(systemError: errno) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw .unavailable(systemError: errno) }
    }
}

extension ReplacementFile {
    /// Puts bytes in the place of a file, durably, for its user alone.
    ///
    /// A crash leaves the old file or the new one, and what cannot be written the old one.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        random: any RandomSource
    ) throws(ProtectedFileError) {
        var file = try ReplacementFile(for: path, replaces: true, random: random)
        try file.write(bytes)
        try file.finish(permissions: 0o600)
    }
}

/// The hidden names of files that are not in their place yet.
enum LeftoverName {
    private static let start = ".keychain-sync-"
    private static let end = ".new"
    private static let digits = Array("0123456789abcdef".utf8)
    private static let randomBytes = 8

    static func make(_ random: any RandomSource) -> String {
        let letters = random.bytes(randomBytes).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return start + String(decoding: letters, as: UTF8.self) + end
    }

    static func matches(_ name: String) -> Bool {
        guard name.hasPrefix(start), name.hasSuffix(end) else { return false }
        let middle = name.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        return middle.count == 2 * randomBytes && middle.allSatisfy(digits.contains)
    }

    /// Removes what killed processes have left in a folder.
    ///
    /// A file that is being written holds a lock. What cannot be looked at or removed stays: it is
    /// in nobody's way.
    static func removeAll(in folder: String) {
        guard let directory = unsafe opendir(folder) else { return }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard matches(name) else { continue }
            let path = folder + "/" + name
            // One that cannot be opened is not ours to remove.
            guard let file = try? OpenFile.reading(path), file.lock() else { continue }
            unsafe unlink(path)
        }
    }
}
