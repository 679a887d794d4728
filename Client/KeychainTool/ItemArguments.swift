internal import KSAgent
internal import KSBytes

/// A value that must have four characters has another number of them.
struct FourCharactersError: Error, Equatable {
    let given: [UInt8]

    var message: [UInt8] {
        var message = Array("Error: four-character types must be exactly 4 characters long.\n".utf8)
        if given.count == 3 {
            message += Array("(Try \"".utf8) + given + Array(" \" instead of \"".utf8) + given
            message += Array("\")\n".utf8)
        }
        return message
    }
}

/// What an item command's options say, as the daemon wants to hear it.
enum ItemArguments {
    /// The attributes that make an item of its class the one it is.
    static func keyNames(of itemClass: ItemClass) -> [String] {
        switch itemClass {
        case .genericPassword: ["acct", "svce"]
        case .internetPassword: ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"]
        case .certificate: ["ctyp", "issr", "slnr"]
        case .key: ["kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat"]
        }
    }

    /// The options' attributes.
    static func attributes(
        _ options: Options,
        _ itemClass: ItemClass
    ) throws(FourCharactersError) -> AgentDictionary {
        var attributes: AgentDictionary = [:]
        let texts: [(Character, String)] =
            switch itemClass {
            case .genericPassword: [("s", "svce")]
            case .internetPassword: [("s", "srvr"), ("d", "sdmn"), ("p", "path")]
            case .certificate, .key: []
            }
        for (letter, name) in texts + [("a", "acct"), ("l", "labl"), ("D", "desc"), ("j", "icmt")] {
            if let bytes = options[letter] { attributes[name] = text(bytes) }
        }
        for (letter, name) in [("c", "crtr"), ("C", "type")] as [(Character, String)] {
            guard let code = try fourCharacters(options[letter]) else { continue }
            attributes[name] = .integer(code.reduce(0) { $0 << 8 | Int64($1) })
        }
        switch itemClass {
        case .genericPassword:
            if let generic = options["G"] { attributes["gena"] = .data(generic) }
        case .internetPassword:
            if let code = try fourCharacters(options["r"]) {
                attributes["ptcl"] = text(code)
            }
            if let code = try fourCharacters(options["t"]) {
                attributes["atyp"] = text(code)
            }
            if let port = options["P"] { attributes["port"] = .integer(number(port)) }
        case .certificate, .key: break
        }
        return attributes
    }

    /// What to look for: with a whole key nothing else counts.
    static func criteria(
        _ attributes: AgentDictionary,
        _ itemClass: ItemClass
    ) -> AgentDictionary {
        var key: AgentDictionary = [:]
        for name in keyNames(of: itemClass) {
            guard let value = attributes[name] else { return attributes }
            key[name] = value
        }
        return key
    }

    /// What an update looks by: of the key's attributes those that are given.
    ///
    /// A password that was added with more, such as a protocol or a port, is found all the same.
    static func match(_ attributes: AgentDictionary, _ itemClass: ItemClass) -> AgentDictionary {
        var key: AgentDictionary = [:]
        for name in keyNames(of: itemClass) { key[name] = attributes[name] }
        return key
    }

    /// Text as text, and bytes that are none as they are, lest they be changed.
    static func text(_ bytes: [UInt8]) -> AgentValue {
        String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .data(bytes)
    }

    private static func fourCharacters(
        _ bytes: [UInt8]?
    ) throws(FourCharactersError) -> [UInt8]? {
        guard let bytes else { return nil }
        guard bytes.count == 4 else { throw FourCharactersError(given: bytes) }
        return bytes
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
        // As there: the nearest number of 64 bits, of which the lower 32 are kept.
        let text = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
        let value = Int64(text) ?? (isNegative ? .min : .max)
        return Int64(Int32(truncatingIfNeeded: value))
    }

    /// Bytes of hexadecimal digits, an odd number of them led by a zero; nil when they are none.
    static func bytes(hexadecimal: [UInt8]) -> [UInt8]? {
        let zero = hexadecimal.count.isMultiple(of: 2) ? [] : [UInt8(ascii: "0")]
        return [UInt8](hexadecimal: zero + hexadecimal)
    }
}
