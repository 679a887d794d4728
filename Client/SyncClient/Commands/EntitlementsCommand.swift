internal import KSSecItem
package import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import Glibc

struct EntitlementsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "Shows which access groups a program gets, or all programs with an entry.",
        discussion: "The file entitlements.json of the home sets them. The daemon reads it again"
            + " whenever it has changed; this command reports mistakes in it."
    )

    @OptionGroup
    var answer: AnswerOptions

    @Argument(help: "The program's executable.")
    var program: String?

    func perform() throws {
        let file = EntitlementsFile(home: try answer.home.agentHome())
        let entitlements = try file.current()
        let paths = try program.map { [try NamedProgram.path(of: $0)] } ?? entitlements.paths
        let rows = paths.map { path in
            Row(
                path: path,
                access: entitlements.access(of: path),
                hasEntry: entitlements.hasEntry(path)
            )
        }
        answer.say(rows.flatMap(\.lines), json: .array(rows.map(\.value)))
    }

    struct Row {
        let path: String
        let access: ProgramAccess
        let hasEntry: Bool

        var value: AgentValue {
            var value: AgentDictionary = [
                "program": .string(path),
                "accessGroups": .array(access.accessGroups.map { .string($0) }),
                "seesAllGroups": .bool(access.seesAllGroups),
                "entitlements": .array(access.entitlements.sorted().map { .string($0) }),
                "hasEntry": .bool(hasEntry),
            ]
            value["keyValueStore"] = access.keyValueStore.map { .string($0) }
            return .dictionary(value)
        }

        var lines: [String] {
            let why =
                access.seesAllGroups
                ? "sees all groups" : hasEntry ? "by its entry" : "no entry: a group of its own"
            return ["\(path)  (\(why))"]
                + access.accessGroups.enumerated().map { index, group in
                    "    group        \(group)" + (index == 0 ? "  (new items)" : "")
                }
                + (access.accessGroups.isEmpty ? ["    no group: sees no items"] : [])
                + (access.keyValueStore.map { ["    store        \($0)"] } ?? [])
                + access.entitlements.sorted().map { "    entitlement  \($0)" }
        }
    }
}

/// Finds the program that a user names.
package enum NamedProgram {
    /// The path of a program; a name without a slash is searched for on `PATH`, as in a shell.
    package static func path(
        of program: String,
        search: String? = nil
    ) throws(CommandFailure) -> String {
        guard !program.contains("/") else { return EntitlementsFile.resolve(program) }
        // A program in the working directory is accepted too.
        if unsafe access(program, F_OK) == 0 { return EntitlementsFile.resolve(program) }
        guard let path = ProgramSearch.onPath(program, path: search) else {
            throw CommandFailure.usage(
                "There is no such program on PATH: give the path of \(program)."
            )
        }
        return EntitlementsFile.resolve(path)
    }
}
