internal import KSMatching

/// The options and operands of a command for people: long options, and a few letters for them.
package struct WordOptions: Equatable {
    /// Which options a command takes, with the letter that stands for each, if one does.
    package struct Accepted: Sendable {
        package var flags: [String]
        package var valued: [String]
        package var letters: [Character: String]
        /// Whether `--` begins a program with its arguments; else it ends the options.
        package var takesProgram: Bool

        /// The long names.
        package var names: [String] { flags + valued }

        /// The options that may be given several times; of the home the last one counts.
        fileprivate static let repeatable: Set<String> = [
            "add", "add-address", "address", "env", "env-file", "field", "field-file", "home",
            "map", "remove", "remove-address", "secret", "set", "tag",
        ]

        package init(
            flags: [String] = [],
            valued: [String] = [],
            letters: [Character: String] = [:],
            takesProgram: Bool = false
        ) {
            self.flags = flags + ["help"]
            self.valued = valued + ["home"]
            self.letters = letters
            self.takesProgram = takesProgram
        }
    }

    package private(set) var flags: Set<String> = []
    private var values: [String: [[UInt8]]] = [:]
    package private(set) var operands: [[UInt8]] = []
    /// The program that follows `--`; nil without it.
    package private(set) var rest: [[UInt8]]?

    /// The options of a command that another program has parsed.
    package init(home: String?) {
        if let home { values["home"] = [Array(home.utf8)] }
    }

    /// - Throws: an ``EverydayFailure`` that names the word which the command does not take.
    package init(
        _ words: some Sequence<[UInt8]>,
        of command: EverydayCommand
    ) throws(EverydayFailure) {
        let accepted = command.accepted
        try parse(words, of: command, accepted)
        let repeated = values.filter { $1.count > 1 && !Accepted.repeatable.contains($0) }
        if let name = repeated.keys.min() { throw .usage("--\(name) can be given only once") }
    }

    private mutating func parse(
        _ words: some Sequence<[UInt8]>,
        of command: EverydayCommand,
        _ accepted: Accepted
    ) throws(EverydayFailure) {
        var words = Array(words)[...]
        while let word = words.popFirst() {
            if word == Array("--".utf8) {
                if accepted.takesProgram { rest = Array(words) } else { operands += words }
                return
            }
            guard word.first == UInt8(ascii: "-"), word.count > 1 else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1)
            let isLong = word.starts(with: "--".utf8)
            let typed = String(decoding: isLong ? parts[0] : word[...], as: UTF8.self)
            guard let name = Self.name(typed, accepted) else {
                let near = NearWord.find(String(typed.drop { $0 == "-" }), in: accepted.names)
                var hint = near.map { "; did you mean --\($0)?" } ?? ""
                // The first words are a program's, which has options of its own.
                if accepted.takesProgram, !operands.isEmpty {
                    hint = "; put \"--\" before the program"
                }
                throw .usage("\"keychain \(command.name)\" does not take \(typed)\(hint)")
            }
            if accepted.flags.contains(name) {
                guard !isLong || parts.count == 1 else {
                    throw .usage("\(typed) takes no value")
                }
                flags.insert(name)
            } else if isLong, word.contains(UInt8(ascii: "=")) {
                values[name, default: []].append(
                    Array(word.drop { $0 != UInt8(ascii: "=") }.dropFirst())
                )
            } else if let value = words.popFirst() {
                values[name, default: []].append(value)
            } else {
                throw .usage("\(typed) needs a value")
            }
        }
    }

    /// The whole name of an option that is typed as it is, or by its letter.
    private static func name(_ typed: String, _ accepted: Accepted) -> String? {
        if typed.hasPrefix("--") {
            let name = String(typed.dropFirst(2))
            return accepted.names.contains(name) ? name : nil
        }
        let letters = typed.dropFirst()
        guard letters.count == 1, let letter = letters.first else { return nil }
        return accepted.letters[letter]
    }

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The last value of an option.
    package subscript(name: String) -> [UInt8]? { values[name]?.last }

    package func text(_ name: String) -> String? {
        self[name].map { String(decoding: $0, as: UTF8.self) }
    }

    package func all(_ name: String) -> [[UInt8]] { values[name] ?? [] }

    package func texts(_ name: String) -> [String] {
        all(name).map { String(decoding: $0, as: UTF8.self) }
    }

    package var names: [String] { operands.map { String(decoding: $0, as: UTF8.self) } }
}
