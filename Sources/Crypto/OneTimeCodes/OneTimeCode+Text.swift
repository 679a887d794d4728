extension OneTimeCode {
    /// Reads what a site shows: an otpauth URL, `steam://` with a secret, or the bare secret.
    ///
    /// A secret is Base32 in any case, with blanks, hyphens and padding or without. Of a URL with a
    /// parameter twice, the first one counts; parameters that say nothing about codes are dropped.
    /// Source: the page "Key Uri Format" of Google Authenticator's wiki.
    package init(_ text: String) throws(OneTimeCodeError) {
        let text = text.trimmed
        guard let (scheme, rest) = text.splitOnce("://") else {
            if text.lowercased().hasPrefix("otpauth:") { throw .otherAddress }
            try self.init(secret: try Base32.bytes(text))
            return
        }
        switch scheme.lowercased() {
        case "otpauth":
            let (path, query) = rest.splitOnce("?") ?? (rest, "")
            let (type, label) = path.splitOnce("/") ?? (path, "")
            switch type.lowercased() {
            case "totp": try self.init(label: label, query: query)
            case "hotp": throw .counterBased
            default: throw .otherAddress
            }
        case "steam": try self.init(secret: try Base32.bytes(rest), isSteam: true)
        case "otpauth-migration": throw .migration
        default: throw .otherAddress
        }
    }

    private init(label: Substring, query: Substring) throws(OneTimeCodeError) {
        var values: [String: String] = [:]
        for part in query.prefix(while: { $0 != "#" }).split(separator: "&") {
            let (name, value) = part.splitOnce("=") ?? (part, "")
            let key = name.lowercased()
            if values[key] == nil {
                values[key] = String(value.map { $0 == "+" ? " " : $0 }).percentDecoded.trimmed
            }
        }
        guard let secret = values["secret"] else { throw .secretMissing }
        let (issuer, account) = Self.names(label)
        try self.init(
            secret: try Base32.bytes(secret),
            issuer: values["issuer"].flatMap { $0.isEmpty ? nil : $0 } ?? issuer,
            account: account,
            algorithm: try Self.algorithm(values["algorithm"]),
            digits: try Self.number(values["digits"], Self.digitsDefault, or: .digits),
            periodSeconds: try Self.number(values["period"], Self.periodDefault, or: .period),
            isSteam: values["encoder"]?.lowercased() == "steam"
        )
    }

    /// The issuer and the account of a label, with a colon between them, which may be encoded.
    private static func names(_ label: Substring) -> (String?, String) {
        if let (issuer, account) = label.splitOnce(":") {
            return (issuer.percentDecoded.trimmed, account.percentDecoded.trimmed)
        }
        let decoded = label.percentDecoded
        guard let (issuer, account) = decoded.splitOnce(":") else { return (nil, decoded.trimmed) }
        return (String(issuer).trimmed, String(account).trimmed)
    }

    /// Understands `SHA-256`, `sha256` and `HmacSHA256` too.
    private static func algorithm(_ name: String?) throws(OneTimeCodeError) -> Algorithm {
        guard let name, !name.isEmpty else { return .sha1 }
        var plain = name.uppercased().filter { $0 != "-" && $0 != "_" }
        if plain.hasPrefix("HMAC") { plain.removeFirst("HMAC".count) }
        guard let algorithm = Algorithm(rawValue: plain) else { throw .algorithm }
        return algorithm
    }

    private static func number(
        _ text: String?,
        _ usual: Int,
        or error: OneTimeCodeError
    ) throws(OneTimeCodeError) -> Int {
        guard let text, !text.isEmpty else { return usual }
        guard let number = Int(text) else { throw error }
        return number
    }

    /// The form in which the secret is stored: an otpauth URL, the usual values left out.
    ///
    /// It reads back as an equal value. Steam's codes have `encoder=steam`, as in KeePassXC.
    package var url: String {
        let name = account?.percentEncoded(keeping: "@") ?? ""
        // The colon keeps one within the account from being taken for the issuer's.
        let hasColon = issuer != nil || account?.contains(":") == true
        let label = hasColon ? (issuer?.percentEncoded() ?? "") + ":" + name : name
        var query = "secret=" + Base32.text(secret)
        if let issuer { query += "&issuer=" + issuer.percentEncoded() }
        if isSteam {
            query += "&encoder=steam"
        } else {
            if algorithm != .sha1 { query += "&algorithm=" + algorithm.rawValue }
            if digits != Self.digitsDefault { query += "&digits=\(digits)" }
            if periodSeconds != Self.periodDefault { query += "&period=\(periodSeconds)" }
        }
        return "otpauth://totp/\(label)?\(query)"
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let count = start.reversed().prefix(while: \.isWhitespace).count
        return String(start.dropLast(count))
    }

    /// What stands before and after the first `separator`.
    fileprivate func splitOnce(_ separator: String) -> (SubSequence, SubSequence)? {
        guard let range = firstRange(of: separator) else { return nil }
        return (self[..<range.lowerBound], self[range.upperBound...])
    }

    /// A percent sign that two hexadecimal digits do not follow is itself.
    fileprivate var percentDecoded: String {
        let bytes = Array(utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes[index...].dropFirst().prefix(2)
                .compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            if bytes[index] == UInt8(ascii: "%"), digits.count == 2 {
                result.append(UInt8(16 * digits[0] + digits[1]))
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// All but letters, digits and `-._~` (RFC 3986 §2.3) as percent signs with two digits.
    fileprivate func percentEncoded(keeping kept: String = "") -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
            .union(kept.utf8)
        return utf8.reduce(into: "") { result, byte in
            if plain.contains(byte) {
                result.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
