package import KSSecItem
package import KSAgent
internal import KSFiles
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
        var version: [Int]?
        var contents: Result<Entitlements, EntitlementsError> = .success(Entitlements())
    }

    /// By what a file is seen to have changed.
    private static func version(_ status: stat) -> [Int] {
        [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino),
            status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
            status.st_ctim.tv_nsec,
        ]
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
            let version = Self.version(status)
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
        let bytes: [UInt8]
        do throws(FileError) {
            let file = try OpenFile.reading(regular: path, followsLinks: true)
            // Of the file that was opened, not of what bears its name by now.
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

    /// The path without symbolic links, as the kernel says it of a process.
    package static func resolve(_ path: String) -> String {
        // Nothing is there yet, and nothing that runs is meant.
        (try? Paths.resolved(path)) ?? path
    }
}
