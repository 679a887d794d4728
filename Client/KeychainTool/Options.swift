internal import KSBytes

/// Which options a command takes.
package struct OptionLetters {
    /// Options with a value.
    package let valued: String
    package var flags = ""
    /// Options of `valued` that may come last without a value: then the tool asks for the password.
    var asking = ""
    /// Options with two values, both of which are ignored.
    package var paired = ""
    /// The command's long options besides `--home`, which every command has.
    package var words: [LongOption] = []
}

/// A long option that only some commands take.
package enum LongOption {
    /// `--sync`.
    case synchronizable
    /// `--class LEVEL`.
    case protection

    /// As it is typed.
    var text: String {
        switch self {
        case .synchronizable: "--sync"
        case .protection: "--class"
        }
    }
}

/// The command line does not match the command's usage.
struct UsageError: Error, Equatable {
    /// A long option that the command does not take, with what somebody may have meant.
    var unknown: String?
}

/// A command's parsed options and operands.
///
/// Flags may be joined (`-gw`) and may include their value (`-aNAME`). `--` or the first word
/// that is not an option ends them. The subscript gives the last of several values.
struct Options: Equatable {
    private(set) var values: [UInt8: [[UInt8]]] = [:]
    private(set) var flags: Set<UInt8> = []
    private(set) var asksPassword = false
    private(set) var operands: [[UInt8]] = []
    /// `--sync`.
    private(set) var isSynchronizable = false
    /// `--home DIR`.
    private(set) var home: String?
    /// `--class LEVEL`, of a file to protect.
    private(set) var protection: String?

    /// Parses a command's arguments; for some commands, the first one may be a file.
    init(_ arguments: ArraySlice<[UInt8]>, of command: CommandDescription) throws(UsageError) {
        var rest = arguments
        let isOption = arguments.first?.first == UInt8(ascii: "-")
        let file = command.mayBeginWithFile && !isOption ? rest.popFirst() : nil
        // A negative status code is not an option.
        if command.name == "error" { rest = ["--"].map { Array($0.utf8) } + rest }
        try self.init(rest, letters: command.letters)
        if let file { operands.insert(file, at: 0) }
    }

    init(_ arguments: ArraySlice<[UInt8]>, letters: OptionLetters) throws(UsageError) {
        var rest = arguments
        while let word = rest.first, word.first == UInt8(ascii: "-"), word.count > 1 {
            rest = rest.dropFirst()
            if word == Array("--".utf8) { break }
            if word.starts(with: Array("--".utf8)) {
                try readLong(String(decoding: word, as: UTF8.self), &rest, letters)
            } else {
                try readLetters(word.dropFirst(), &rest, letters)
            }
        }
        operands = Array(rest)
    }

    private mutating func readLong(
        _ word: String,
        _ rest: inout ArraySlice<[UInt8]>,
        _ letters: OptionLetters
    ) throws(UsageError) {
        if word == "--sync", letters.words.contains(.synchronizable) {
            isSynchronizable = true
            return
        }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let next =
            parts.count == 1
            ? rest.popFirst().map { String(decoding: $0, as: UTF8.self) } : String(parts[1])
        let name = String(parts[0])
        switch name {
        case "--class" where letters.words.contains(.protection): protection = try given(next)
        case "--home": home = try given(next)
        default:
            let help = "--home" + letters.words.map { " \($0.text)" }.joined()
            throw UsageError(unknown: UnknownOption.sentence([word], help: help))
        }
    }

    private func given(_ value: String?) throws(UsageError) -> String {
        guard let value else { throw UsageError() }
        return value
    }

    private mutating func readLetters(
        _ word: ArraySlice<UInt8>,
        _ rest: inout ArraySlice<[UInt8]>,
        _ letters: OptionLetters
    ) throws(UsageError) {
        var word = word
        while let letter = word.popFirst() {
            if letters.flags.utf8.contains(letter) {
                flags.insert(letter)
                continue
            }
            if letters.paired.utf8.contains(letter) {
                guard word.isEmpty, rest.count >= 2 else { throw UsageError() }
                rest = rest.dropFirst(2)
                return
            }
            guard letters.valued.utf8.contains(letter) else { throw UsageError() }
            if !word.isEmpty {
                values[letter, default: []].append(Array(word))
            } else if let value = rest.popFirst() {
                values[letter, default: []].append(value)
            } else if letters.asking.utf8.contains(letter) {
                asksPassword = true
            } else {
                throw UsageError()
            }
            return
        }
    }

    /// The operands as text.
    var names: [String] { operands.map { String(decoding: $0, as: UTF8.self) } }

    /// The last value of a flag.
    subscript(letter: Character) -> [UInt8]? { all(letter).last }

    /// The values of a flag that may be given more than once.
    func all(_ letter: Character) -> [[UInt8]] {
        letter.asciiValue.flatMap { values[$0] } ?? []
    }

    func has(_ flag: Character) -> Bool {
        flag.asciiValue.map { flags.contains($0) } ?? false
    }
}
