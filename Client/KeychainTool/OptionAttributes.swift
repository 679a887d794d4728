internal import KSEveryday
internal import KSAgent
internal import KSBytes

/// An option that names an attribute.
struct AttributeOption {
    /// The form in which the daemon gets the option's value.
    enum Form: Equatable {
        /// Text, or data where it is not UTF-8.
        case text
        case data
        /// A number, as C's `atoi` reads it.
        case number
        /// Four characters, as a number.
        case code
        /// Four characters, as text.
        case letters
        /// 1: the option has no value.
        case flag
        /// The index of the first word that begins with the value.
        case choice([String])
    }

    let letter: Character
    let attribute: String
    let form: Form
}

/// The attributes that the options of an item command stand for, as the daemon's calls take them.
enum OptionAttributes {
    /// The options' attributes.
    ///
    /// - Throws: ``Failure`` for a code of more or fewer than four characters, and ``UsageError``
    ///   for a word outside the choices.
    static func attributes(_ options: Options, _ itemClass: ToolClass) throws -> AgentDictionary {
        var attributes: AgentDictionary = [:]
        for option in itemClass.options {
            if option.form == .flag, options.has(option.letter) {
                attributes[option.attribute] = 1
            } else if let given = options[option.letter] {
                attributes[option.attribute] = try value(given, option.form)
            }
        }
        return attributes
    }

    private static func value(_ given: [UInt8], _ form: AttributeOption.Form) throws -> AgentValue {
        switch form {
        case .text: return text(given)
        case .data: return .data(given)
        case .number: return .integer(number(given))
        case .code:
            return .integer(try fourCharacters(given).reduce(0) { $0 << 8 | Int64($1) })
        case .letters: return text(try fourCharacters(given))
        case .flag: return 1
        case .choice(let words):
            let typed = String(decoding: given, as: UTF8.self)
            guard !typed.isEmpty, let index = words.firstIndex(where: { $0.hasPrefix(typed) })
            else { throw UsageError() }
            return .integer(Int64(index))
        }
    }

    /// The attributes to search by: only the key's if all of them are given, otherwise all.
    static func criteria(_ attributes: AgentDictionary, _ itemClass: ToolClass) -> AgentDictionary {
        let key = match(attributes, itemClass)
        return key.count == itemClass.keyNames.count ? key : attributes
    }

    /// The attributes by which an update finds its item: those of the key that are given.
    ///
    /// They also find a password that was added with more, such as a protocol or a port.
    static func match(_ attributes: AgentDictionary, _ itemClass: ToolClass) -> AgentDictionary {
        var key: AgentDictionary = [:]
        for name in itemClass.keyNames { key[name] = attributes[name] }
        return key
    }

    /// Valid UTF-8 becomes a string; other bytes stay data.
    static func text(_ bytes: [UInt8]) -> AgentValue {
        String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .data(bytes)
    }

    private static func fourCharacters(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        guard bytes.count != 4 else { return bytes }
        var message = Array("Error: four-character types must be exactly 4 characters long.\n".utf8)
        if bytes.count == 3 {
            message += Array("(Try \"".utf8) + bytes + Array(" \" instead of \"".utf8) + bytes
            message += Array("\")\n".utf8)
        }
        throw Failure(message: message)
    }

    /// The number at the beginning, as C's `atoi` reads it: blanks, a sign and digits.
    ///
    /// Anything else is 0.
    static func number(_ bytes: [UInt8]) -> Int64 {
        let blanks = Set("\t\n\u{B}\u{C}\r ".utf8)
        var rest = bytes.drop { blanks.contains($0) }
        let sign = rest.first
        let isNegative = sign == UInt8(ascii: "-")
        if isNegative || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty else { return 0 }
        // As in C: the lower 32 bits of the nearest 64-bit number.
        let text = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
        let value = Int64(text) ?? (isNegative ? .min : .max)
        return Int64(Int32(truncatingIfNeeded: value))
    }

    /// The bytes of hexadecimal digits, with a zero before an odd number; nil for other characters.
    static func bytes(hexadecimal: [UInt8]) -> [UInt8]? {
        let zero = hexadecimal.count.isMultiple(of: 2) ? [] : [UInt8(ascii: "0")]
        return [UInt8](hexadecimal: zero + hexadecimal)
    }
}
