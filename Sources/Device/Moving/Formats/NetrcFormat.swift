// ~/.netrc, which ftp, curl, wget, git and many libraries read, and Emacs's .authinfo.
//
// Programs take the first entry that fits, so the order of the file is the order of the entries.

extension EntryFormat {
    static let netrc = EntryFormat(
        name: Netrc.name,
        isFormat: { Netrc.isFile($0.bytes) },
        read: { file throws(MovingError) in try Netrc.read(file.bytes) },
        write: nil
    )
}

enum Netrc {
    static let name = "netrc"
    private static let bytesMax = 8 << 20

    fileprivate static let userWords: Set = ["login", "user"]
    fileprivate static let passwordWords: Set = ["password", "passwd"]
    fileprivate static let keywords =
        userWords.union(passwordWords).union(["machine", "default", "account", "macdef", "port"])

    /// Whether the first words are those of an entry: no header of a table is.
    static func isFile(_ bytes: [UInt8]) -> Bool {
        var scanner = NetrcScanner(Array(bytes.prefix(1 << 16)))
        guard let first = scanner.keyword() else { return false }
        switch first {
        case "machine":
            // A table may have the columns machine, login and password.
            guard let machine = scanner.value()?.text, !keywords.contains(machine) else {
                return false
            }
            guard let next = scanner.keyword() else { return true }
            return keywords.contains(next)
        case "default": return scanner.keyword().map(keywords.contains) ?? false
        case "macdef": return scanner.value() != nil && scanner.isAtLineEnd
        default: return false
        }
    }

    static func read(_ bytes: [UInt8]) throws(MovingError) -> ReadEntries {
        guard bytes.count <= bytesMax else { throw .fileTooLarge(format: name, max: bytesMax) }
        var reader = NetrcReader(bytes)
        return try reader.read()
    }
}

/// Reads one entry after the other.
private struct NetrcReader {
    private var scanner: NetrcScanner
    private var result = ReadEntries(format: Netrc.name)
    private var notes = NoteList()
    private var logins = LoginList()
    /// The entry that is being read; nil before the first.
    private var entry: Entry?
    private var port = ""

    init(_ bytes: [UInt8]) { scanner = NetrcScanner(bytes) }

    mutating func read() throws(MovingError) -> ReadEntries {
        while let word = scanner.keyword() {
            try notes.check()
            if word == "machine" || word == "default" {
                try begin(word)
            } else if word == "macdef" {
                skipMacro()
            } else if entry == nil || !Netrc.keywords.contains(word) {
                // A word that is not known may be a part of a secret: it is not repeated.
                noteRow("line \(scanner.line) has a word that is no part of an entry")
            } else {
                take(word)
            }
        }
        try finish()
        result.entries = logins.entries
        result.notes = notes.notes
        return result
    }

    private mutating func begin(_ word: String) throws(MovingError) {
        try finish()
        guard result.count < EntryFormat.entriesMax else {
            throw .tooManyEntries(max: EntryFormat.entriesMax)
        }
        var next = Entry()
        notes.begin(result.count + 1, "")
        if word == "default" {
            next.title = "netrc default"
            notes.rename(next.title)
            notes.add(.otherForm, "the entry for every other machine", "is called \(next.title)")
        } else if let machine = value("the machine") {
            next.title = machine
            notes.rename(machine)
        }
        entry = next
    }

    private mutating func take(_ word: String) {
        if Netrc.passwordWords.contains(word) {
            guard let value = scanner.value() else { return noteMissing(word) }
            guard entry?.secret == nil else { return noteSecond(word) }
            entry?.secret = value.bytes
            if value.isOpen {
                notes.add(
                    .otherForm,
                    "the password",
                    "begins with a quotation mark that does not end, and is kept as it is written"
                )
            } else if !value.isQuoted, value.bytes.contains(UInt8(ascii: "\\")) {
                notes.add(
                    .otherForm,
                    "the password",
                    "keeps its backslashes, as curl does; wget and Python drop them"
                )
            }
            return
        }
        guard let text = value("the \(word)") else { return noteMissing(word) }
        if Netrc.userWords.contains(word) {
            guard entry?.userName.isEmpty == true else { return noteSecond(word) }
            entry?.userName = text
        } else if word == "port" {
            port = text
        } else {
            guard entry?.fields.isEmpty == true else { return noteSecond(word) }
            entry?.fields.append(.init("account", "secret", text: text))
        }
    }

    private mutating func value(_ part: String) -> String? {
        guard let value = scanner.value() else { return nil }
        if value.text == nil {
            notes.add(.otherForm, part, "is no text, and is repaired")
        }
        return String(decoding: value.bytes, as: UTF8.self)
    }

    /// Ends the present entry.
    private mutating func finish() throws(MovingError) {
        guard var entry else { return }
        self.entry = nil
        if entry.title != "netrc default" {
            let isNumber = !port.isEmpty && port.utf8.allSatisfy(\.isDigit)
            entry.addresses = [.init(entry.title + (isNumber ? ":\(port)" : ""))]
        }
        if !port.isEmpty, !port.utf8.allSatisfy(\.isDigit) || entry.addresses.isEmpty {
            entry.fields.append(.init("port", text: port))
        }
        port = ""
        guard entry.secret != nil || !entry.userName.isEmpty || !entry.fields.isEmpty else {
            result.count += 1
            return notes.add(.noPassword)
        }
        guard try logins.add(entry) != nil else { return }
        result.count += 1
        result.numbers.append(result.count)
    }

    /// A macro ends at an empty line.
    private mutating func skipMacro() {
        let line = scanner.line
        scanner.skipMacro()
        if entry == nil {
            noteRow("the macro on line \(line) is for ftp alone")
        } else {
            notes.add(.partNotHeld, "the macro on line \(line)")
        }
    }

    /// What belongs to no entry has a number of its own.
    private mutating func noteRow(_ detail: String) {
        guard entry == nil else {
            return notes.add(.partNotHeld, "a word on line \(scanner.line), which is not known")
        }
        result.count += 1
        notes.begin(result.count, "")
        notes.add(.row, "", detail)
    }

    private mutating func noteMissing(_ word: String) {
        notes.add(.partNotHeld, "the \(word), which has no value")
    }

    private mutating func noteSecond(_ word: String) {
        notes.add(.partNotHeld, "a second \(word) on line \(scanner.line)")
    }
}

/// The words of a .netrc, in quotes or without.
private struct NetrcScanner {
    struct Value {
        let bytes: [UInt8]
        var isQuoted = false
        /// It begins with a quotation mark that does not end.
        var isOpen = false

        var text: String? { String(validating: bytes, as: UTF8.self) }
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The line of the last word, from 1.
    private(set) var line = 1
    private static let newline = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// The next word in the place of a keyword, where `#` begins a comment.
    mutating func keyword() -> String? {
        while true {
            skipBlanks()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "#") else { break }
            while index < bytes.count, bytes[index] != Self.newline { index += 1 }
        }
        return value().map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// The next word; nil at the end.
    mutating func value() -> Value? {
        skipBlanks()
        guard index < bytes.count else { return nil }
        if bytes[index] == Self.quote {
            let start = index
            if let quoted = quoted() { return Value(bytes: quoted, isQuoted: true) }
            index = start
            return Value(bytes: plain(), isOpen: true)
        }
        return Value(bytes: plain())
    }

    /// Whether nothing but blanks is left on the line.
    var isAtLineEnd: Bool {
        bytes[index...].first { !" \t\r".utf8.contains($0) }.map { $0 == Self.newline } ?? true
    }

    /// Skips the lines up to the next empty one.
    mutating func skipMacro() {
        var isEmpty = false
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == Self.newline {
                line += 1
                if isEmpty { return }
                isEmpty = true
            } else if !" \t\r".utf8.contains(byte) {
                isEmpty = false
            }
        }
    }

    private mutating func skipBlanks() {
        while index < bytes.count, bytes[index] <= UInt8(ascii: " ") {
            if bytes[index] == Self.newline { line += 1 }
            index += 1
        }
    }

    private mutating func plain() -> [UInt8] {
        let start = index
        while index < bytes.count, bytes[index] > UInt8(ascii: " ") { index += 1 }
        return Array(bytes[start..<index])
    }

    /// Escapes as curl takes them; nil if the line ends before the quotation.
    private mutating func quoted() -> [UInt8]? {
        var text: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != Self.newline {
            let byte = bytes[index]
            index += 1
            if byte == Self.quote { return text }
            guard byte == Self.backslash, index < bytes.count else {
                text.append(byte)
                continue
            }
            switch bytes[index] {
            case UInt8(ascii: "n"): text.append(Self.newline)
            case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
            default: text.append(bytes[index])
            }
            index += 1
        }
        return nil
    }
}
