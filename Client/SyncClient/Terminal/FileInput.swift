internal import KSDaemon
internal import KSAgent
internal import KSFiles
internal import KSPrompting
internal import Glibc

/// Files that the user names.
enum FileInput {
    /// Reads a whole file; `-` is standard input.
    static func read(_ path: String, bytesMax: Int) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileError) {
            let file = try path == "-" ? OpenFile.standardInput() : OpenFile(reading: path)
            bytes = try file.contents(bytesMax: bytesMax)
        } catch .system(errno: EFBIG) {
            throw CommandFailure.usage(
                "The file \(path) is larger than \(bytesMax) bytes: name another one."
            )
        } catch {
            throw unreadable(path, error)
        }
        if path == "-", isatty(STDIN_FILENO) == 1 { try refuseCutLines(bytes) }
        return bytes
    }

    /// Refuses lines that the terminal may have cut, which it does silently.
    private static func refuseCutLines(_ bytes: [UInt8]) throws(CommandFailure) {
        guard bytes.split(separator: UInt8(ascii: "\n")).contains(where: TypedLine.mayBeCut) else {
            return
        }
        throw .usage(
            "A line of \(TypedLine.terminalBytesMax) bytes or more cannot be typed here: put it"
                + " into a file, and name that."
        )
    }

    private static func unreadable(_ path: String, _ error: FileError) -> CommandFailure {
        CommandFailure.diskTrouble(
            "The file \(path) cannot be read (\(AgentError.words(errno: error.number))): check its"
                + " name and permissions."
        )
    }

    /// An absolute path, for a process with another working directory.
    static func absolutePath(_ path: String) throws(CommandFailure) -> String {
        do throws(FileError) {
            return try Paths.resolved(path)
        } catch {
            throw unreadable(path, error)
        }
    }

    /// The absolute path of a new file in an existing folder.
    static func newFilePath(_ path: String) throws(CommandFailure) -> String {
        let name = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        guard !["", ".", ".."].contains(name) else {
            throw CommandFailure.usage("\(path) is not the name of a file: name a file.")
        }
        do throws(FileError) {
            let folder = try Paths.resolved(Paths.folder(of: path))
            return folder == "/" ? "/" + name : folder + "/" + name
        } catch {
            let why = AgentError.words(errno: error.number)
            throw CommandFailure.diskTrouble("The file cannot be written (\(why)): \(path)")
        }
    }
}
