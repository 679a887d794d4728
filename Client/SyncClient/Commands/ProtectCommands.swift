internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import Glibc
internal import KSSealing

struct ProtectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "protect",
        abstract: "Seals a file, so that only this device can open it, as its class allows.",
        discussion: """
            complete            readable while the keychain is unlocked
            unless-open         readable while it is unlocked; new files are sealed at any time
            until-first-unlock  readable after the first unlock since the daemon's start
            none                readable at any time
            """
    )

    @Argument(help: "The file, which the sealed one replaces unless -o is given.")
    var file: String

    @Option(name: .customLong("class"), help: "When it can be read.")
    var level: String

    @Option(name: [.customShort("o"), .long], help: "Write the sealed file here.")
    var output: String?

    @OptionGroup
    var home: HomeOption

    func validate() throws {
        guard FileProtection(name: level) != nil else {
            let names = FileProtection.names.map(\.name).joined(separator: ", ")
            throw ValidationError("--class takes one of \(names).")
        }
    }

    func run() throws {
        try Console.run {
            let (path, output) = try FileArguments.paths(file: file, output: output)
            _ = try home.call(ProtectFile(path: path, output: output, class: level))
        }
    }
}

struct UnprotectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unprotect",
        abstract: "Opens a file that was sealed with protect."
    )

    @Argument(help: "The sealed file, which its contents replace unless -o is given.")
    var file: String

    @Option(name: [.customShort("o"), .long], help: "Write the contents here.")
    var output: String?

    @OptionGroup
    var home: HomeOption

    func run() throws {
        try Console.run {
            let (path, output) = try FileArguments.paths(file: file, output: output)
            _ = try home.call(UnprotectFile(path: path, output: output))
        }
    }
}

enum FileArguments {
    /// Absolute paths, because the daemon has another working directory.
    static func paths(
        file: String,
        output: String?
    ) throws(CommandFailure) -> (path: String, output: String?) {
        guard let path = FileInput.resolved(file) else {
            throw CommandFailure(ProtectedFileError.unavailable(systemError: errno))
        }
        guard let output else { return (path, nil) }
        return (path, try newFilePath(output))
    }

    /// The absolute path of a new file in an existing folder.
    static func newFilePath(_ path: String) throws(CommandFailure) -> String {
        let slash = path.lastIndex(of: "/")
        let name = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
        guard !name.isEmpty, name != ".", name != ".." else {
            throw CommandFailure(.usage, "That is not the name of a file: \(path)")
        }
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = FileInput.resolved(folder) else {
            let why = AgentError.words(errno: errno)
            throw CommandFailure(.diskTrouble, "The file cannot be written (\(why)): \(path)")
        }
        return resolved == "/" ? "/" + name : resolved + "/" + name
    }
}
