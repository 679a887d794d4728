package import KSAgent
internal import Glibc
internal import Synchronization

/// Why `entitlements.json` does not count.
///
/// While it does not, programs that would need it are refused: a slip must not give a program more,
/// or less, than it should have.
package struct EntitlementsError: Error, Equatable {
    package let sentence: String
}

/// The file `entitlements.json` of a home, read again whenever it has changed.
package final class EntitlementsFile: Sendable {
    package static let name = "entitlements.json"
    private static let bytesMax = 1 << 20

    private let path: String
    private let state = Mutex(State())

    private struct State {
        var version: Version?
        var contents: Result<Entitlements, EntitlementsError> = .success(Entitlements())
    }

    /// By what a file is seen to have changed.
    private struct Version: Equatable {
        let device: UInt
        let inode: UInt
        let size: Int
        let changed: [Int]

        init(_ status: stat) {
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            changed = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                status.st_ctim.tv_nsec,
            ]
        }
    }

    package init(home: AgentHome) {
        path = home.path + "/" + Self.name
    }

    /// What a program gets.
    ///
    /// - Throws: ``EntitlementsError`` when the file says nothing that could be relied on, and the
    /// program is none that sees all anyway.
    package func access(of executable: String?) throws(EntitlementsError) -> ProgramAccess {
        let own = Entitlements().access(of: executable)
        guard !own.seesAllGroups else { return own }
        return try current().access(of: executable)
    }

    /// What the file says now.
    package func current() throws(EntitlementsError) -> Entitlements {
        try state.withLock { state in
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                state.version = nil
                state.contents =
                    errno == ENOENT
                    ? .success(Entitlements()) : .failure(fault("it cannot be read"))
                return state.contents
            }
            let version = Version(status)
            if state.version != version {
                // A change between looking and reading is seen at the next look.
                state.version = version
                state.contents = read()
            }
            return state.contents
        }.get()
    }

    private func fault(_ sentence: String) -> EntitlementsError {
        EntitlementsError(sentence: "\(path): \(sentence).")
    }

    private func read() -> Result<Entitlements, EntitlementsError> {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return .failure(fault("it cannot be read")) }
        defer { close(file) }
        // Of the file that was opened, not of what bears its name by now.
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failure(fault("it is no ordinary file"))
        }
        guard status.st_uid == geteuid() else {
            return .failure(fault("it belongs to another user"))
        }
        guard status.st_mode & 0o022 == 0 else {
            return .failure(fault("others may write to it: chmod go-w it"))
        }
        guard status.st_size <= Self.bytesMax else { return .failure(fault("it is too large")) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0, bytes.count <= Self.bytesMax else {
                return .failure(fault("it cannot be read"))
            }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        do throws(LocatedJSON.Fault) {
            return .success(try Entitlements(json: bytes, resolving: Self.resolve))
        } catch {
            return .failure(
                EntitlementsError(sentence: "\(path), line \(error.line): \(error.sentence).")
            )
        }
    }

    /// The path without symbolic links, as the kernel says it of a process.
    package static func resolve(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
