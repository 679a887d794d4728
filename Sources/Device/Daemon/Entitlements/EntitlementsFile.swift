package import KSSecItem
package import KSAgent
internal import KSFiles
internal import Glibc
internal import Synchronization

/// Why `entitlements.json` is invalid.
///
/// Until it is repaired, programs that depend on it are refused: an error in the file must not give
/// a program more access, or less, than it should have.
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

    /// The metadata that differ if a file has changed.
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

    package init(home: AgentHome) { path = home.path + "/" + Self.name }

    /// The access of a program.
    ///
    /// - Throws: ``EntitlementsError`` if the file is invalid, unless the program is one that sees
    ///   all items without it.
    package func access(of executable: String?) throws(EntitlementsError) -> ProgramAccess {
        let own = Entitlements().access(of: executable)
        guard !own.seesAllGroups else { return own }
        return try current().access(of: executable)
    }

    /// The present contents of the file.
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
                // The next call notices a change between `stat` and reading.
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
        let bytes: [UInt8]
        do throws(FileError) {
            let file = try OpenFile.reading(regular: path, followsLinks: true)
            // The state of the opened file, not of one that has taken its name since.
            let state = try file.state()
            guard state.owner == geteuid() else {
                return .failure(fault("it belongs to another user"))
            }
            guard state.permissions & 0o022 == 0 else {
                return .failure(fault("others may write to it: chmod go-w it"))
            }
            bytes = try file.contents(bytesMax: Self.bytesMax)
        } catch {
            let reason =
                switch error {
                case .notRegular: "it is no ordinary file"
                case .system(errno: EFBIG): "it is too large"
                case .exists, .system: "it cannot be read"
                }
            return .failure(fault(reason))
        }
        do throws(EntitlementsError) {
            return .success(try Entitlements(json: bytes, resolving: Self.resolve))
        } catch {
            return .failure(fault(error.sentence))
        }
    }

    /// The path without symbolic links, as the kernel reports it for a process.
    package static func resolve(_ path: String) -> String {
        // If there is no such file, no running program has this path.
        (try? Paths.resolved(path)) ?? path
    }
}
