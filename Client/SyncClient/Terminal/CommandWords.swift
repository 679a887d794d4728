package import ArgumentParser
package import KSDaemon

/// Finds what is wrong with a command line before its options are read.
package enum CommandWords {
    /// Refuses bytes that are not UTF-8: Swift would replace them with other characters.
    static func checkText() throws(CommandFailure) {
        for place in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = unsafe CommandLine.unsafeArgv[place],
                unsafe String(validatingCString: bytes) == nil
            else { continue }
            throw .usage("Argument \(place) is not valid UTF-8: \(CommandLine.arguments[place])")
        }
    }

    /// Refuses a first word that names no command, and suggests the nearest one.
    package static func check(
        _ words: ArraySlice<String>,
        of parent: CommandConfiguration = SyncClient.configuration
    ) throws(CommandFailure) {
        let commands = parent.subcommands.map { $0.configuration }
        guard !commands.isEmpty, let word = words.first, !word.hasPrefix("-"), word != "help"
        else { return }
        if let command = commands.first(where: { $0.commandName == word }) {
            return try check(words.dropFirst(), of: command)
        }
        let near = commands.compactMap(\.commandName)
            .map { (name: $0, distance: $0.difference(from: word).count) }
            .min { $0.distance < $1.distance }
        var sentence = "\(parent.commandName ?? "") has no command \(word)."
        if let near, near.distance <= 2 { sentence += " Did you mean \(near.name)?" }
        throw .usage(sentence + " --help lists all.")
    }

    /// The command that these words begin with.
    static func command(
        _ words: ArraySlice<String>,
        of parent: any ParsableCommand.Type = SyncClient.self
    ) -> any ParsableCommand.Type {
        let configuration = parent.configuration
        if let named = configuration.subcommands.first(where: {
            $0.configuration.commandName == words.first
        }) {
            return command(words.dropFirst(), of: named)
        }
        return configuration.defaultSubcommand.map { command(words, of: $0) } ?? parent
    }
}
