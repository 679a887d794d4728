internal import KSBytes

/// A private key in OpenSSH's own form that no passphrase protects.
///
/// Source: PROTOCOL.key of OpenSSH.
struct OpenSSHKey {
    private static let start = "-----BEGIN OPENSSH PRIVATE KEY-----"
    private static let end = "-----END OPENSSH PRIVATE KEY-----"
    private static let magic = Array("openssh-key-v1\0".utf8)
    /// A PKCS#8 key of Ed25519 (RFC 8410) up to its 32 bytes.
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20,
    ]

    let type: String
    let comment: String
    /// As PKCS#8; only of Ed25519.
    let der: [UInt8]

    /// Nil for a key of another form or type, and for one with a passphrase.
    init?(_ text: String) {
        guard let first = text.firstRange(of: Self.start), let last = text.firstRange(of: Self.end),
            first.upperBound < last.lowerBound,
            let bytes = Base64Text.decode(
                text[first.upperBound..<last.lowerBound].filter { !$0.isWhitespace }
            ), bytes.starts(with: Self.magic)
        else { return nil }
        var outer = Reader(bytes[Self.magic.count...])
        guard outer.text() == "none", outer.text() == "none", outer.bytes() != nil,
            outer.number() == 1, outer.bytes() != nil, let secret = outer.bytes()
        else { return nil }
        var inner = Reader(secret)
        guard let check = inner.number(), check == inner.number(), let type = inner.text(),
            type == "ssh-ed25519", let publicKey = inner.bytes(), let key = inner.bytes(),
            key.count == 64, key.suffix(32) == publicKey, let comment = inner.text()
        else { return nil }
        (self.type, self.comment) = (type, comment)
        der = Self.ed25519Prefix + key.prefix(32)
    }

    /// Takes SSH's values one after the other.
    private struct Reader {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func number() -> Int? {
            guard rest.count >= 4 else { return nil }
            let number = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            return number
        }

        mutating func bytes() -> ArraySlice<UInt8>? {
            guard let count = number(), count <= rest.count else { return nil }
            let bytes = rest.prefix(count)
            rest = rest.dropFirst(count)
            return bytes
        }

        mutating func text() -> String? {
            bytes().flatMap { String(validating: $0, as: UTF8.self) }
        }
    }
}
