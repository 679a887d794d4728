/// The parts of a URL in an internet password's primary key.
struct WebAddress: Hashable {
    /// Apple's four characters for the protocol; nil if the URL is not a web address.
    let protocolCode: String?
    let server: String
    /// Zero if the URL has no port, or its protocol's default.
    let port: UInt16
}

/// A site as an internet password names it, from what a person types.
package struct WebSite: Equatable, Sendable {
    /// In lower case.
    package let server: String
    /// Apple's four characters for the protocol.
    package let protocolCode: String
    /// Zero for the protocol's default.
    package let port: UInt16
    /// Whether the text says more than the site, as with a path.
    package let hasMore: Bool
    /// Whether the text has no scheme, so that https is assumed.
    package let lacksScheme: Bool

    /// Nil if the text is no web address and no host with a dot.
    package init?(_ text: String) {
        guard let read = ReadAddress(text), let code = read.address.protocolCode,
            read.address.server.contains(".") || !read.lacksScheme
        else { return nil }
        server = read.address.server
        protocolCode = code
        port = read.address.port
        hasMore = read.hasMore
        lacksScheme = read.lacksScheme
    }
}

/// A web address that was read from a file.
struct ReadAddress: Hashable {
    let address: WebAddress
    /// Whether it has a path, or anything else that is not part of the key.
    let hasMore: Bool
    /// Whether it has no scheme, so that https is assumed.
    let lacksScheme: Bool
}

extension ReadAddress {
    /// Reads server, protocol and port of an `http` or `https` URL, or of a host that may have a
    /// port and a path; nil for anything else.
    ///
    /// The host is lowercased, as browsers do, so that two spellings of one site are one item.
    init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        if let end = bytes.schemeEnd {
            switch lowercased(bytes[..<end]) {
            case "https": self.init(bytes[(end + 3)...], "htps", usualPort: 443)
            case "http": self.init(bytes[(end + 3)...], "http", usualPort: 80)
            default: return nil
            }
        } else {
            guard bytes.beginsWithHost else { return nil }
            self.init(bytes[...], "htps", usualPort: 443, lacksScheme: true)
        }
    }

    private init?(
        _ rest: ArraySlice<UInt8>,
        _ code: String,
        usualPort: UInt16,
        lacksScheme: Bool = false
    ) {
        let (whole, path) = rest.splitAtPath
        // A user name in the address is dropped; the account has its own column.
        let authority = whole.lastIndex(of: UInt8(ascii: "@")).map { whole[($0 + 1)...] } ?? whole
        guard let (host, port) = hostAndPort(authority) else { return nil }
        address = WebAddress(
            protocolCode: code,
            server: lowercased(host),
            port: port == usualPort ? 0 : port
        )
        hasMore = authority.count < whole.count || !(path.isEmpty || path.elementsEqual("/".utf8))
        self.lacksScheme = lacksScheme
    }
}

extension [UInt8] {
    /// The index of the colon after a scheme, if `://` follows a word.
    fileprivate var schemeEnd: Int? {
        guard let colon = firstIndex(of: UInt8(ascii: ":")), colon > 0,
            self[(colon + 1)...].starts(with: "//".utf8),
            self[..<colon].allSatisfy({ $0.isLetterOrDigit || "+-.".utf8.contains($0) })
        else { return nil }
        return colon
    }

    /// Whether it begins with a host, which may have a port, and is the whole or has a path.
    ///
    /// A single word is a host only with a port or a path, as in `nas:5001`; `localhost` always is.
    fileprivate var beginsWithHost: Bool {
        let (authority, path) = self[...].splitAtPath
        guard let (host, port) = hostAndPort(authority) else { return false }
        if authority.first == UInt8(ascii: "[") { return true }
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            label.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) || $0 >= 0x80 }
                && label.first != UInt8(ascii: "-") && !label.isEmpty
        }
        guard areLabels else { return false }
        return labels.count > 1 || host.elementsEqual("localhost".utf8)
            || host.count > 1 && (port > 0 || path.first == UInt8(ascii: "/"))
    }
}

extension ArraySlice<UInt8> {
    /// The host with its port, and what follows it.
    fileprivate var splitAtPath: (authority: Self, path: Self) {
        let end = firstIndex { "/?#\\".utf8.contains($0) } ?? endIndex
        return (self[..<end], self[end...])
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    fileprivate var isLetterOrDigit: Bool { isDigit || isLetter }
}

private func hostAndPort(
    _ authority: ArraySlice<UInt8>
) -> (host: ArraySlice<UInt8>, port: UInt16)? {
    var host = authority
    var digits: ArraySlice<UInt8> = []
    if authority.first == UInt8(ascii: "[") {
        // The colons of an IPv6 address do not begin a port.
        guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        host = authority[(authority.startIndex + 1)..<close]
        let behind = authority[(close + 1)...]
        guard behind.isEmpty || behind.first == UInt8(ascii: ":") else { return nil }
        digits = behind.dropFirst()
    } else if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
        host = authority[..<colon]
        digits = authority[(colon + 1)...]
    }
    guard !host.isEmpty else { return nil }
    guard !digits.isEmpty else { return (host, 0) }
    guard digits.allSatisfy(\.isDigit), let port = UInt16(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return (host, port)
}

/// Lowercases only ASCII letters.
private func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return String(decoding: bytes.map { isUpper.contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
}

// MARK: Several addresses

/// The addresses of a login, in the order of its cell.
package struct AddressList {
    /// Each once; a site without a scheme has `https` before it.
    package private(set) var texts: [String] = []
    /// Whether a site had no scheme.
    package private(set) var assumesHTTPS = false

    /// More sites than a login has; a cell with more is one text.
    private static let sitesMax = 100

    /// `isSplit`: whether commas may separate several addresses.
    package init(_ cell: String, isSplit: Bool) {
        let parts = isSplit ? Self.parts(cell) : [cell[...]]
        guard parts.count <= Self.sitesMax else {
            texts = [cell]
            return
        }
        for part in parts {
            let text = part.withoutBlanksAround
            guard !text.isEmpty else { continue }
            let lacksScheme = ReadAddress(text)?.lacksScheme == true
            assumesHTTPS = assumesHTTPS || lacksScheme
            let address = lacksScheme ? "https://" + text : text
            if !texts.contains(address) { texts.append(address) }
        }
    }

    /// Splits at commas that another address follows, and at those after a bare host: a path and a
    /// query may have commas too.
    private static func parts(_ cell: String) -> [Substring] {
        var parts: [Substring] = []
        var mayHaveComma = false
        for piece in cell.split(separator: ",", omittingEmptySubsequences: false) {
            let text = piece.withoutBlanksAround
            if mayHaveComma, let last = parts.last, !beginsAddress(text) {
                parts[parts.count - 1] = cell[last.startIndex..<piece.endIndex]
            } else {
                parts.append(piece)
                mayHaveComma = ReadAddress(text).map { $0.hasMore || text.hasSuffix("/") } ?? true
            }
        }
        return parts
    }

    /// Endings of file names that look like a host's.
    private static let fileEndings: Set<String> = [
        "asp", "aspx", "cgi", "css", "htm", "html", "jpg", "js", "json", "jsp", "pdf", "php",
        "png", "txt", "xml",
    ]

    /// Whether an address begins with this text, after a path with a comma.
    private static func beginsAddress(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.schemeEnd == nil else { return true }
        guard bytes.beginsWithHost, let read = ReadAddress(text) else { return false }
        let server = read.address.server
        if server == "localhost" || bytes.first == UInt8(ascii: "[") { return true }
        let labels = server.split(separator: ".")
        guard labels.count > 1, let ending = labels.last else { return false }
        if labels.count == 4, labels.allSatisfy({ UInt8($0) != nil }) { return true }
        let isName = ending.hasPrefix("xn--") || ending.utf8.allSatisfy { !$0.isDigit }
        guard isName, ending.utf8.count > 1 else { return false }
        // `b.html` is more likely the rest of a path than another host.
        return !fileEndings.contains(String(ending))
    }
}

extension StringProtocol {
    /// The text without blanks and line ends around it.
    package var withoutBlanksAround: String {
        let blanks = Set(" \t\r\n".utf8)
        let rest = utf8.drop { blanks.contains($0) }
        let count = rest.reversed().drop { blanks.contains($0) }.count
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }
}
