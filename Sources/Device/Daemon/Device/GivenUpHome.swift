package import KSAgent
internal import KSFiles
internal import Glibc
internal import KSSealing

/// Gives up the keychain of a home whose keys cannot be opened any more.
///
/// Its files move into a folder of the home, which is a home of its own: a user who remembers the
/// passcode after all opens it there. The next daemon begins an empty keychain.
package enum GivenUpHome {
    /// The database first: without it, and with its keys, a daemon refuses to start.
    private static let files =
        ["keychain.db", "keychain.db-wal", "keychain.db-shm"]
        + KeyFileName.allCases.map(\.rawValue)

    /// Moves the files; a call that was cut off is completed by the next one.
    ///
    /// No daemon may run in the home, and none can start meanwhile.
    /// - Returns: the path of the folder.
    /// - Throws: ``CommandFailure`` if a daemon runs, or the disk fails.
    package static func giveUp(_ home: AgentHome) throws(CommandFailure) -> String {
        do throws(AgentError) {
            let lock = try AgentLock(home: home)
            defer { lock.noteEnd() }
            return try moveFiles(of: home)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func moveFiles(of home: AgentHome) throws(AgentError) -> String {
        let present = files.filter { exists(home.path + "/" + $0) }
        var number = 1
        // Those of a call that was cut off are in the last folder, and are not here any more.
        while present.contains(where: { exists("\(folder(number, in: home))/\($0)") }) {
            number += 1
        }
        let path = folder(number, in: home)
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system(errno: errno)
        }
        for file in present {
            guard unsafe rename(home.path + "/" + file, path + "/" + file) == 0 else {
                throw .system(errno: errno)
            }
        }
        do throws(FileError) {
            try Paths.synchronizeFolder(of: path + "/" + files[0])
            try Paths.synchronizeFolder(of: path)
        } catch {
            throw .system(errno: error.number)
        }
        return path
    }

    private static func folder(_ number: Int, in home: AgentHome) -> String {
        "\(home.path)/given-up-\(number)"
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }
}
