internal import KSAgent

extension ItemArguments {
    private static let uses: [(letter: Character, name: String)] = [
        ("e", "encr"), ("d", "decr"), ("r", "drve"), ("s", "sign"), ("v", "vrfy"), ("w", "wrap"),
        ("u", "unwp"),
    ]

    /// What the options say of a key.
    static func keyAttributes(_ options: Options) throws(UsageError) -> AgentDictionary {
        var attributes: AgentDictionary = [:]
        if let label = options["a"] { attributes["klbl"] = .data(label) }
        if let name = options["l"] { attributes["labl"] = text(name) }
        for (letter, name) in uses where options.has(letter) {
            attributes[name] = 1
        }
        if let type = options["t"].map({ String(decoding: $0, as: UTF8.self) }) {
            let types = ["public", "private", "symmetric"]
            guard !type.isEmpty, let index = types.firstIndex(where: { $0.hasPrefix(type) }) else {
                throw UsageError()
            }
            attributes["kcls"] = .integer(Int64(index))
        }
        return attributes
    }
}
