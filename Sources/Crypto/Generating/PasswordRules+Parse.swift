extension PasswordRules {
    /// Reads rules, and never fails, because a site's faulty rules must not stop anybody.
    ///
    /// As in Apple's reader, a fault within a rule discards all rules, a fault between rules the
    /// rest, the lowest limit of several counts, and 0 is no limit.
    package init(_ text: String) {
        var reader = RulesReader(text)
        do throws(RulesFault) {
            try reader.readRules()
        } catch {
            if error.discardsAll { reader.rules = PasswordRules() }
            reader.rules.fault = error.sentence
        }
        self = reader.rules
    }
}

/// Why reading ends early.
private struct RulesFault: Error {
    let discardsAll: Bool
    let sentence: String
}

private struct RulesReader {
    private let text: [UInt8]
    private var position = 0
    var rules = PasswordRules()

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private func fault(_ sentence: String, all: Bool = true) -> RulesFault {
        RulesFault(discardsAll: all, sentence: sentence + ".")
    }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x0C, 0x0A, 0x0D, 0x09].contains(byte) { position += 1 }
    }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Letters and hyphens.
    private mutating func word() -> String {
        let start = position
        while let byte = next, ASCII.lower.contains(byte | 0x20) || byte == UInt8(ascii: "-") {
            position += 1
        }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    mutating func readRules() throws(RulesFault) {
        skipBlanks()
        while next != nil {
            let name = word()
            guard !name.isEmpty else {
                throw fault("A rule begins with its name, such as required", all: false)
            }
            guard skip(":") else { throw fault("After \(name) a colon is missing") }
            skipBlanks()
            if let byte = next, byte != UInt8(ascii: ";") { try readValue(of: name) }
            skipBlanks()
            guard next == nil || skip(";") else {
                throw fault("After the value of \(name) a semicolon is missing")
            }
            skipBlanks()
        }
    }

    private mutating func readValue(of name: String) throws(RulesFault) {
        func least(_ old: Int?, _ new: Int) -> Int? { new == 0 ? old : min(old ?? new, new) }
        switch name {
        case "required":
            let set = try classes()
            if !set.isEmpty { rules.required.append(set) }
        case "allowed": rules.allowed.formUnion(try classes())
        case "max-consecutive": rules.maxConsecutive = least(rules.maxConsecutive, try integer())
        case "maxlength": rules.maxLength = least(rules.maxLength, try integer())
        case "minlength":
            let value = try integer()
            if value > 0 { rules.minLength = max(rules.minLength ?? value, value) }
        default: throw fault("\(name) is not the name of a rule")
        }
    }

    private mutating func integer() throws(RulesFault) -> Int {
        let start = position
        while let byte = next, ASCII.digits.contains(byte) { position += 1 }
        // Nine digits fit any integer; a greater length is as impossible as this one.
        let digits = String(decoding: text[start..<position].prefix(9), as: UTF8.self)
        guard let value = Int(digits) else { throw fault("A number is missing") }
        return value
    }

    /// The union of classes between commas.
    private mutating func classes() throws(RulesFault) -> Set<UInt8> {
        var result: Set<UInt8> = []
        repeat {
            skipBlanks()
            result.formUnion(next == UInt8(ascii: "[") ? customClass() : try namedClass())
            skipBlanks()
        } while skip(",")
        return result
    }

    private mutating func namedClass() throws(RulesFault) -> Set<UInt8> {
        let name = word()
        switch name.lowercased() {
        case "lower": return ASCII.lower
        case "upper": return ASCII.upper
        // Apple's article writes the plural, the reader the singular.
        case "digit", "digits": return ASCII.digits
        case "special": return ASCII.symbols.union([ASCII.space])
        // What is generated is ASCII, also where a site accepts more.
        case "ascii-printable", "unicode": return ASCII.printable
        case "": throw fault("A class of characters is missing")
        default: throw fault("\(name) is not a class of characters")
        }
    }

    /// The characters in brackets.
    ///
    /// A hyphen counts at the beginning only, and a bracket that closes at the end only; characters
    /// outside of ASCII are skipped. A class without its end is empty.
    private mutating func customClass() -> Set<UInt8> {
        position += 1
        let start = position
        let bracket = UInt8(ascii: "]")
        var result: Set<UInt8> = []
        while let byte = next, byte != bracket {
            let isHyphenInside = byte == UInt8(ascii: "-") && position > start
            if ASCII.printable.contains(byte), !isHyphenInside { result.insert(byte) }
            if !ASCII.printable.contains(byte) || isHyphenInside {
                rules.fault = "A custom class has ASCII characters, and a hyphen at its beginning."
            }
            position += 1
        }
        guard next != nil else {
            rules.fault = "A custom class is not closed."
            return []
        }
        position += 1
        if skip("]") { result.insert(bracket) }
        return result
    }
}
