/// Finds a slip in the name of an option.
///
/// A parser that misses an option or an argument reports that first, although the slip is the
/// reason.
package enum UnknownOption {
    /// Names the first option of a command line that the command's help does not have.
    ///
    /// - Returns: nil if the help has all.
    package static func sentence(_ words: some Sequence<String>, help: String) -> String? {
        let known = help.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
            .filter { $0.hasPrefix("--") }
        let typed = words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { word in String(word.prefix { $0 != "=" }) }
        guard let unknown = typed.first(where: { !known.contains($0) }) else { return nil }
        return "Unknown option '\(unknown.printable)'." + hint(at: unknown, among: known)
    }

    /// A sentence about a word that names no command.
    package static func sentence(command word: String, among known: [String]) -> String {
        "There is no command '\(word.printable)'." + hint(at: word, among: known)
    }

    private static func hint(at word: String, among known: [String]) -> String {
        let near = known.map { (name: $0, distance: $0.difference(from: word).count) }
            .min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= 2 ? " Did you mean '\($0.name)'?" : nil } ?? ""
    }
}
