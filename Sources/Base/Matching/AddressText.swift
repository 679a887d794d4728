/// What can be the address of a login: a host or a URL.
package enum AddressText {
    /// What no host has.
    ///
    /// Paths in the world have some of these, although RFC 3986 excludes them.
    private static let excluded = Set("<>\"{}|\\^`".unicodeScalars)

    /// Whether a text is one: it has no blanks or control characters, a host or a name behind its
    /// scheme, and if it has a port, a possible one.
    package static func isAddress(_ text: String) -> Bool {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            let category = scalar.properties.generalCategory
            return category != .control && category != .format
        }
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        return isPlain && !text.contains(where: \.isWhitespace)
            && rest.contains { $0.isLetter || $0.isNumber } && hasPossibleHost(rest)
    }

    private static func hasPossibleHost(_ rest: Substring) -> Bool {
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.unicodeScalars.contains(where: excluded.contains) else { return false }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
        guard hasPairedBrackets(host ?? authority) else { return false }
        // The colons of an IPv6 address do not begin a port.
        let end = (host ?? authority).split(separator: "]", omittingEmptySubsequences: false).last
        guard let end, let colon = end.lastIndex(of: ":") else { return true }
        let digits = end[end.index(after: colon)...]
        return digits.isEmpty || digits.allSatisfy(\.isNumber) && UInt16(digits) ?? 0 > 0
    }

    /// Whether brackets stand around an IPv6 address at the beginning, or nowhere.
    private static func hasPairedBrackets(_ host: Substring) -> Bool {
        guard host.contains(where: { "[]".contains($0) }) else { return true }
        guard host.first == "[", let end = host.firstIndex(of: "]") else { return false }
        let (inside, behind) = (host[..<end].dropFirst(), host[end...].dropFirst())
        return inside.contains(":") && (behind.isEmpty || behind.first == ":")
            && inside.allSatisfy { $0.isHexDigit || ":.%".contains($0) || $0.isLetter }
            && !behind.contains { "[]".contains($0) }
    }
}
