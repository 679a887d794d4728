/// Commands from standard input, one a line.
extension Tool {
    /// Goes on until `quit` or the end of the input.
    ///
    /// - Returns: what the last command gave; 0 after `quit`, and after a prompt that was broken
    /// off.
    func interact(_ session: Session, prompt: [UInt8], isQuiet: Bool) -> Int32 {
        let isPrompting = surroundings.isInteractive()
        var result: Int32 = 0
        while true {
            if isPrompting { surroundings.write(prompt, .error) }
            guard let line = surroundings.readLine() else { return result }
            guard let words = Self.words(of: line) else {
                say("security: quotes are opened and not closed\n", .error)
                result = Self.failed
                continue
            }
            guard let name = words.first else { continue }
            if [Array("quit".utf8), Array("exit".utf8)].contains(name) { return 0 }
            result = execute(words, session)
            if result == Self.brokenOff { return 0 }
            if result != 0, !isQuiet {
                say("\(String(decoding: name, as: UTF8.self)): returned \(result)\n", .error)
            }
        }
    }

    /// The words of a line: blanks part them except in quotes; a backslash takes what follows as it
    /// is, except in single quotes.
    ///
    /// - Returns: nil when quotes are left open.
    static func words(of line: [UInt8]) -> [[UInt8]]? {
        var words: [[UInt8]] = []
        var word: [UInt8]?
        var quote: UInt8?
        var bytes = line[...]
        while let byte = bytes.popFirst() {
            switch (byte, quote) {
            case (UInt8(ascii: "\\"), .none), (UInt8(ascii: "\\"), UInt8(ascii: "\"")):
                word = (word ?? []) + (bytes.popFirst().map { [$0] } ?? [])
            case (let byte, .some(let open)) where byte == open: quote = nil
            case (_, .some): word = (word ?? []) + [byte]
            case (UInt8(ascii: "\""), .none), (UInt8(ascii: "'"), .none):
                quote = byte
                word = word ?? []
            case (UInt8(ascii: " "), .none), (UInt8(ascii: "\t"), .none),
                (UInt8(ascii: "\r"), .none):
                if let whole = word { words.append(whole) }
                word = nil
            default: word = (word ?? []) + [byte]
            }
        }
        guard quote == nil else { return nil }
        if let word { words.append(word) }
        // A line that begins with a number sign says nothing to us.
        return words.first?.first == UInt8(ascii: "#") ? [] : words
    }
}
