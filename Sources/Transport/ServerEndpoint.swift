/// A server's address, and how to authenticate it.
package struct ServerEndpoint: Sendable, Equatable {
    /// `https://host[:port]` in lower case, without the port when it is the scheme's own.
    ///
    /// A session statement names this text.
    package let origin: String
    /// `sha256//` and the base64 of SHA-256 of a public key; one of them must match.
    package let pins: [String]
    /// A PEM file that replaces the authorities of this machine.
    package let authorityFile: String?
    package let isPlaintext: Bool

    /// Checks the address and the pins.
    ///
    /// Pins replace the check of chain and name, but not of the certificate's dates. With a file
    /// of authorities *and* pins, both must hold.
    package init(
        origin: String,
        pins: [String] = [],
        authorityFile: String? = nil,
        allowsPlaintextToLoopback: Bool = false
    ) throws(TransportError) {
        let address = try OriginAddress(origin)
        if address.isPlaintext {
            guard allowsPlaintextToLoopback, address.isLoopback else { throw .plaintextForbidden }
        }
        guard pins.allSatisfy(Self.isWellFormed(pin:)) else { throw .untrusted(.malformedPin) }
        self.origin = address.text
        self.pins = pins
        self.authorityFile = authorityFile
        isPlaintext = address.isPlaintext
    }

    /// Whether a pin has the right form; curl does not check this.
    package static func isWellFormed(pin: String) -> Bool {
        let prefix = "sha256//"
        guard pin.hasPrefix(prefix) else { return false }
        let digits = Array(pin.utf8.dropFirst(prefix.utf8.count))
        guard digits.count == 44, digits[43] == UInt8(ascii: "=") else { return false }
        // 32 bytes leave two bits of the last digit unused; they are zero.
        return digits.dropLast().allSatisfy(isBase64)
            && "AEIMQUYcgkosw048".utf8.contains(digits[42])
    }

    private static func isBase64(_ digit: UInt8) -> Bool {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default:
            false
        }
    }
}

/// The parts of a server's address.
private struct OriginAddress {
    let text: String
    let isPlaintext: Bool
    let isLoopback: Bool

    init(_ origin: String) throws(TransportError) {
        let lowered = origin.lowercased()
        let rest: Substring
        if lowered.hasPrefix("https://") {
            rest = lowered.dropFirst(8)
            isPlaintext = false
        } else if lowered.hasPrefix("http://") {
            rest = lowered.dropFirst(7)
            isPlaintext = true
        } else {
            throw .malformedOrigin
        }
        // A pasted address often ends with one slash.
        let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
        let (host, port) = try Self.split(authority)
        guard Self.isHost(host) else { throw .malformedOrigin }
        let scheme = isPlaintext ? "http" : "https"
        let ownPort: UInt16 = isPlaintext ? 80 : 443
        text = "\(scheme)://\(host)" + (port.map { $0 == ownPort ? "" : ":\($0)" } ?? "")
        isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains(String(host))
    }

    private static func split(
        _ authority: Substring
    ) throws(TransportError) -> (host: Substring, port: UInt16?) {
        // The colons of an IPv6 address stand within brackets.
        let afterHost = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[afterHost...].lastIndex(of: ":") else {
            return (authority, nil)
        }
        let digits = authority[colon...].dropFirst()
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits), port > 0
        else { throw .malformedOrigin }
        return (authority[..<colon], port)
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            return host.hasSuffix("]")
                && host.dropFirst().dropLast().utf8.allSatisfy {
                    "0123456789abcdef:.".utf8.contains($0)
                }
                && host.contains(":")
        }
        return !host.isEmpty && !host.hasPrefix("-") && !host.hasPrefix(".")
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default:
                    false
                }
            }
    }
}
