internal import Glibc
internal import HTTPTypes
internal import Hummingbird
package import NIOCore

/// The proxies whose word about a client's address counts.
package struct TrustedProxies: Sendable {
    /// An address, or all that begin with the same bits.
    package struct Network: Sendable, Equatable {
        let bytes: [UInt8]
        let bits: Int

        /// Reads `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`.
        package init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let word = parts.first, parts.count <= 2,
                // What is wrong with the text makes no difference.
                let address = try? SocketAddress(ipAddress: String(word), port: 0),
                let bytes = address.addressBytes
            else { return nil }
            var bits = bytes.count * 8
            if parts.count == 2 {
                guard let given = Int(parts[1]), (0...bits).contains(given) else { return nil }
                bits = given
            }
            (self.bytes, self.bits) = (bytes, bits)
        }

        func contains(_ other: [UInt8]) -> Bool {
            guard other.count == bytes.count else { return false }
            return (0..<bits).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                return bytes[bit / 8] & mask == other[bit / 8] & mask
            }
        }
    }

    let networks: [Network]

    package init(_ networks: [Network] = []) { self.networks = networks }

    func contains(_ address: SocketAddress?) -> Bool {
        guard let bytes = address?.addressBytes else { return false }
        return networks.contains { $0.contains(bytes) }
    }

    /// The address that limits count for a request.
    ///
    /// `forwarded`: the values of X-Forwarded-For, of which each proxy appends the address that it
    /// saw. What stands before the last address that is no trusted proxy's is the client's own
    /// word, and does not count.
    package func counted(_ peer: SocketAddress?, forwarded: [String]) -> String {
        var counted = peer
        let words = forwarded.flatMap { $0.split(separator: ",") }.reversed()
        for word in words {
            guard contains(counted) else { break }
            let text = word.drop { $0 == " " }.prefix { $0 != " " }
            // Not an address, such as "unknown": the proxy's own counts.
            guard let next = try? SocketAddress(ipAddress: String(text), port: 0) else { break }
            counted = next
        }
        return counted?.counted ?? "local"
    }
}

extension SocketAddress {
    /// 4 bytes, also of an IPv4 address on an IPv6 socket, or 16; nil for another kind of address.
    fileprivate var addressBytes: [UInt8]? {
        let family: Int32
        var bytes: [UInt8]
        switch self {
        case .v4: (family, bytes) = (AF_INET, [UInt8](repeating: 0, count: 4))
        case .v6: (family, bytes) = (AF_INET6, [UInt8](repeating: 0, count: 16))
        case .unixDomainSocket: return nil
        }
        // By its text: a debug build does not find the fields of the C types.
        guard let ipAddress, unsafe inet_pton(family, ipAddress, &bytes) == 1 else { return nil }
        let isIPv4 = bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        return isIPv4 ? Array(bytes.suffix(4)) : bytes
    }
}

extension HTTPField.Name {
    fileprivate static var xForwardedFor: HTTPField.Name {
        guard let name = HTTPField.Name("X-Forwarded-For") else { preconditionFailure("a name") }
        return name
    }
}

extension SyncService {
    /// The address that limits count for this request.
    func address(of request: Request, _ context: SyncRequestContext) -> String {
        options.trustedProxies.counted(
            context.channel.remoteAddress,
            forwarded: request.headers[values: .xForwardedFor]
        )
    }
}
