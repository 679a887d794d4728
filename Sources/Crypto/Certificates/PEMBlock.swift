/// One block of a PEM text, with its BEGIN and END lines (RFC 7468).
package struct PEMBlock: Equatable, Sendable {
    /// The block's label, such as CERTIFICATE or PRIVATE KEY.
    package let label: String
    /// The block with its two lines, unchanged.
    package let text: String

    /// All blocks of a text, in their order; other text is ignored.
    ///
    /// - Throws: ``OpenSSLError/tooLarge``; ``OpenSSLError/malformed`` when a block does
    /// not end.
    package static func blocks(in text: String) throws(OpenSSLError) -> [PEMBlock] {
        guard text.utf8.count <= textBytesMax else { throw .tooLarge }
        var blocks: [PEMBlock] = []
        var open: (label: String, lines: [Substring])?
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if var block = open {
                block.lines.append(trimmed)
                open = block
                guard let label = label(of: trimmed, after: "-----END ") else { continue }
                guard label == block.label else { throw .malformed }
                let whole = block.lines.joined(separator: "\n") + "\n"
                blocks.append(PEMBlock(label: label, text: whole))
                open = nil
            } else if let label = label(of: trimmed, after: "-----BEGIN ") {
                open = (label, [trimmed])
            }
        }
        guard open == nil else { throw .malformed }
        return blocks
    }

    /// Enough for a few hundred certificates.
    package static let textBytesMax = 4 << 20

    private static func label(of line: Substring, after beginning: String) -> String? {
        var end = line
        while end.last?.isWhitespace == true { end.removeLast() }
        guard end.hasPrefix(beginning), end.hasSuffix("-----"),
            end.utf8.count >= beginning.utf8.count + 5
        else { return nil }
        return String(end.dropFirst(beginning.count).dropLast(5))
    }
}
