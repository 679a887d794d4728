internal import KSEveryday

/// Commands from standard input, one a line.
extension Tool {
    /// Runs commands until `quit` or the end of the input.
    ///
    /// - Returns: the last command's status; 0 after `quit` and after a cancelled prompt.
    func interact(_ session: Session, prompt: [UInt8], isQuiet: Bool) -> Int32 {
        let isPrompting = surroundings.isInteractive
        var result: Int32 = 0
        while true {
            if isPrompting { surroundings.write(prompt, to: .error) }
            let line: [UInt8]
            do throws(Failure) {
                guard let next = try surroundings.readLine() else { return result }
                line = next
            } catch {
                report(error)
                result = error.status
                continue
            }
            let words = Self.words(of: line)
            // An empty line counts as a successful command.
            result = 0
            guard let name = words.first else { continue }
            if [Array("quit".utf8), Array("exit".utf8)].contains(name) { return 0 }
            result = execute(words, session)
            if result == Self.brokenOff { return 0 }
            if result != 0, !isQuiet {
                say("\(String(decoding: name, as: UTF8.self)): returned \(result)\n", .error)
            }
        }
    }

    /// The words of a line, separated by blanks.
    ///
    /// A quote opens at the beginning of a word, or right after a closed quote; elsewhere it is an
    /// ordinary character, as in `pa"ss`. It ends at the next quote of its kind, or at the end of
    /// the line. A backslash escapes the next byte, except in single quotes.
    package static func words(of line: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = []
        // Goes into `words` only when it ends, so that a long word is not copied for each byte.
        var word: [UInt8] = []
        var isInWord = false
        var quote: UInt8?
        var mayOpen = true
        var bytes = line[...]
        while let byte = bytes.popFirst() {
            switch (byte, quote) {
            case (UInt8(ascii: "\\"), .none), (UInt8(ascii: "\\"), UInt8(ascii: "\"")):
                if let next = bytes.popFirst() { word.append(next) }
                isInWord = true
                mayOpen = false
            case (let byte, .some(let open)) where byte == open:
                quote = nil
                mayOpen = true
            case (UInt8(ascii: "\""), .none) where mayOpen,
                (UInt8(ascii: "'"), .none) where mayOpen:
                quote = byte
                isInWord = true
            case (UInt8(ascii: " "), .none), (UInt8(ascii: "\t"), .none),
                (UInt8(ascii: "\r"), .none):
                if isInWord { words.append(word) }
                word = []
                isInWord = false
                mayOpen = true
            default:
                word.append(byte)
                isInWord = true
                mayOpen = false
            }
        }
        if isInWord { words.append(word) }
        return words
    }
}
