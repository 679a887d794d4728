internal import NIOCore

extension SocketAddress {
    /// The address that limits count: an IPv4 address, even if mapped to IPv6, or the /64 network
    /// of an IPv6 address, since one customer has all of it.
    package var counted: String {
        switch self {
        case .v4: return ipAddress ?? "unknown"
        case .v6(let address):
            // In a sockaddr_in6 the address follows family, port and flow.
            let bytes = unsafe withUnsafeBytes(of: address.address) { bytes in
                unsafe Array(bytes.dropFirst(8).prefix(16))
            }
            // ::ffff:0:0/96 (RFC 4291, 2.5.5.2): IPv4 on an IPv6 socket.
            if bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
                return bytes.suffix(4).map { String($0) }.joined(separator: ".")
            }
            return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
        case .unixDomainSocket: return "local"
        }
    }
}
