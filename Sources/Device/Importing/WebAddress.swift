/// The parts of a URL in an internet password's primary key.
struct WebAddress: Hashable {
    /// Apple's four characters for the protocol; nil if the URL is not a web address.
    let protocolCode: String?
    let server: String
    /// Zero if the URL has no port, or its protocol's default.
    let port: UInt16
}

extension WebAddress {
    /// Reads server, protocol and port of `http` and `https` URLs; any other URL is a server as a
    /// whole.
    ///
    /// The host is lowercased, as browsers do, so that two spellings of one site are one item.
    init(url: String) {
        self = Self.web(url) ?? WebAddress(protocolCode: nil, server: url, port: 0)
    }

    private static func web(_ url: String) -> WebAddress? {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[(colon + 1)...].starts(with: "//".utf8)
        else { return nil }
        let code: String
        let usualPort: UInt16
        switch lowercased(bytes[..<colon]) {
        case "https": (code, usualPort) = ("htps", 443)
        case "http": (code, usualPort) = ("http", 80)
        default: return nil
        }
        let rest = bytes[(colon + 3)...]
        let end = rest.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        // A user name in the address is dropped; the account has its own column.
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            authority = authority[(at + 1)...]
        }
        guard let (host, port) = hostAndPort(authority) else { return nil }
        return WebAddress(
            protocolCode: code,
            server: lowercased(host),
            port: port == usualPort ? 0 : port
        )
    }

    private static func hostAndPort(
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
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        return (host, port)
    }

    /// Lowercases only ASCII letters.
    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: bytes.map { isUpper.contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
