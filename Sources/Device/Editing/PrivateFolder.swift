internal import Glibc
internal import KSAgent
internal import KSCLinux
internal import KSRunning

/// A new folder that only its user can access, removed with all that is in it.
///
/// If the process is killed, a ``FolderRemover`` removes it. The folder is locked while this value
/// exists: of a machine that lost its power only the lock is gone, and ``removeLeftovers(in:)``
/// recognizes the folder by that.
struct PrivateFolder: ~Copyable {
    private static let namePrefix = "keychain-edit-"
    /// Another process may take the folder for a leftover before it is locked.
    private static let triesMax = 3

    let path: String
    private let descriptor: Int32
    private let remover: FolderRemover?

    /// Makes the folder in an existing one.
    init(in parent: String) throws(EditorError) {
        for _ in 0..<Self.triesMax {
            var template = Array((parent + "/" + Self.namePrefix + "XXXXXX").utf8CString)
            guard unsafe mkdtemp(&template) != nil else { throw .file(errno: errno) }
            let path = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
            guard let descriptor = Self.lock(path) else { continue }
            var status = stat()
            if unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                self.path = path
                self.descriptor = descriptor
                remover = FolderRemover(of: path)
                return
            }
            close(descriptor)
        }
        throw .file(errno: EBUSY)
    }

    deinit {
        Self.remove(path, descriptor)
        remover?.end()
    }

    /// The folders whose files are in memory alone and that belong to the user, best first.
    ///
    /// Such memory can be swapped out, as all memory can.
    static func parents(runtime: String?, shared: String) -> [String] {
        let own = [runtime].compactMap(\.self).filter { path in
            var status = stat()
            return unsafe path.hasPrefix("/") && stat(path, &status) == 0
                && status.st_uid == geteuid()
        }
        return (own + [shared]).filter { path in
            unsafe keychain_is_in_memory(path) == 1 && access(path, W_OK | X_OK) == 0
        }
    }

    /// Removes the folders of processes that have ended without doing so.
    static func removeLeftovers(in parent: String) {
        let descriptor = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for name in names(in: descriptor) where name.hasPrefix(namePrefix) {
            let path = parent + "/" + name
            if let descriptor = lock(path) { remove(path, descriptor) }
        }
        if descriptor >= 0 { close(descriptor) }
    }

    /// - Returns: nil if it is no folder of this user, or if a process has locked it.
    private static func lock(_ path: String) -> Int32? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe open(path, flags)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        {
            return descriptor
        }
        close(descriptor)
        return nil
    }

    /// Closes the descriptor too.
    private static func remove(_ path: String, _ descriptor: Int32) {
        empty(descriptor)
        unsafe rmdir(path)
        close(descriptor)
    }

    /// Follows no link.
    private static func empty(_ folder: Int32) {
        for name in names(in: folder) where unsafe unlinkat(folder, name, 0) != 0 {
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let inner = unsafe openat(folder, name, flags)
            guard inner >= 0 else { continue }
            empty(inner)
            close(inner)
            unsafe unlinkat(folder, name, AT_REMOVEDIR)
        }
    }

    private static func names(in folder: Int32) -> [String] {
        let copy = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let listing = unsafe fdopendir(copy) else { return [] }
        defer { unsafe closedir(listing) }
        unsafe rewinddir(listing)
        var names: [String] = []
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

/// A small process that removes a folder when this process has ended, in whatever way.
private struct FolderRemover {
    private let processID: Int32
    /// The system closes it at the end of this process.
    private let pipe: Int32

    /// Nil if it cannot be started: the next edit removes what is left then.
    init?(of folder: String) {
        guard let ends = Pipe() else { return nil }
        defer { close(ends.reading) }
        do throws(ChildProgram.NotStarted) {
            processID = try ChildProgram.start(
                ["/bin/sh", "-c", "read -r line; exec rm -rf -- \"$0\"", folder],
                files: [
                    .descriptor(ends.reading), .path("/dev/null", flags: O_WRONLY),
                    .path("/dev/null", flags: O_WRONLY),
                ],
                isDetached: true
            )
        } catch {
            close(ends.writing)
            return nil
        }
        pipe = ends.writing
    }

    /// Waits for its end; the folder is gone by then.
    func end() {
        close(pipe)
        while waitpid(processID, nil, 0) < 0, errno == EINTR {}
    }
}
