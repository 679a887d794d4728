/// A value of DISPLAY: `:0`, `unix:0.1`, `localhost:10.0`, `[::1]:10`.
///
/// Source: X(7), "Display names".
package struct X11Display: Hashable, Sendable {
    /// nil for a display of this machine, which is reached by a Unix socket.
    package let host: String?
    package let number: Int

    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...].prefix { $0 != "." }
        guard !digits.isEmpty, digits.allSatisfy(\.isASCII), let number = UInt16(digits) else {
            return nil
        }
        self.number = Int(number)
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.host = host.isEmpty || host == "unix" ? nil : String(host)
    }

    /// The port of a display on another machine.
    package var port: Int { 6000 + number }

    package var socketPath: String { "/tmp/.X11-unix/X\(number)" }
}

/// The entries of an Xauthority file.
///
/// Source: libXau, `Xauth.h` and `AuRead.c`: big-endian 16-bit lengths.
package enum X11Authority {
    package static let protocolName = "MIT-MAGIC-COOKIE-1"
    private static let anyFamily = 65_535

    /// The cookie for a display, or nil if the file has none.
    ///
    /// An entry for this host comes first, then one for every host, then any with the number: ssh
    /// and display managers differ in the host name that they write.
    package static func cookie(
        in file: [UInt8],
        for display: X11Display,
        hostName: String
    ) -> [UInt8]? {
        var reader = Reader(bytes: file[...])
        var best: (rank: Int, cookie: [UInt8])?
        while let family = reader.number(), let address = reader.part(),
            let number = reader.part(), let name = reader.part(), let data = reader.part()
        {
            guard name == Array(protocolName.utf8) else { continue }
            guard number.isEmpty || number == Array(String(display.number).utf8) else { continue }
            let isOwn = address == Array((display.host ?? hostName).utf8)
            let rank = isOwn ? 0 : family == anyFamily ? 1 : 2
            if rank < best?.rank ?? .max { best = (rank, data) }
        }
        return best?.cookie
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func number() -> Int? {
            guard bytes.count >= 2 else { return nil }
            defer { bytes = bytes.dropFirst(2) }
            return Int(bytes[bytes.startIndex]) << 8 | Int(bytes[bytes.startIndex + 1])
        }

        mutating func part() -> [UInt8]? {
            guard let count = number(), bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return Array(bytes.prefix(count))
        }
    }
}
