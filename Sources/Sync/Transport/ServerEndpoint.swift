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
        // A pasted address often ends with one slash.
        let form = /(https?):\/\/(\[.*\]|[^:\[]*?)(?::([0-9]+))?\/?/
        let hostForm = /[a-z0-9_][a-z0-9_.\-]*|\[[0-9a-f:.]*:[0-9a-f:.]*\]/
        guard let (_, scheme, host, digits) = origin.lowercased().wholeMatch(of: form)?.output,
            host.wholeMatch(of: hostForm) != nil
        else { throw .malformedOrigin }
        let port = digits.flatMap { UInt16($0) }
        guard digits == nil || port ?? 0 > 0 else { throw .malformedOrigin }
        isPlaintext = scheme == "http"
        let isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains(String(host))
        guard !isPlaintext || (allowsPlaintextToLoopback && isLoopback) else {
            throw .plaintextForbidden
        }
        guard pins.allSatisfy(Self.isWellFormed(pin:)) else { throw .untrusted(.malformedPin) }
        let ownPort: UInt16 = isPlaintext ? 80 : 443
        self.origin = "\(scheme)://\(host)" + (port.map { $0 == ownPort ? "" : ":\($0)" } ?? "")
        self.pins = pins
        self.authorityFile = authorityFile
    }

    private static let base64Digits = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// Whether a pin has the right form; curl does not check this.
    ///
    /// 32 bytes leave two bits of the last digit unused; they are zero.
    package static func isWellFormed(pin: String) -> Bool {
        // Without a regular expression, which would be compiled for each request.
        let digits = Array(pin.utf8.dropFirst(8))
        return pin.hasPrefix("sha256//") && digits.count == 44 && digits[43] == UInt8(ascii: "=")
            && digits.dropLast().allSatisfy(base64Digits.contains)
            && "AEIMQUYcgkosw048".utf8.contains(digits[42])
    }
}
