/// Where the server listens: a host or address, and a port; 0 is any free one.
package struct ListenAddress: Equatable, Sendable {
    let host: String
    let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The origins of a server that listens here, if the operator names none.
    package func origins(port: Int) -> [String] {
        let own = Origins.origin(host: host, port: port)
        let names = ["127.0.0.1", "localhost", "::1"]
        return [own] + (isLoopback ? names.map { Origins.origin(host: $0, port: port) } : [])
    }
}

extension ListenAddress {
    /// Reads `127.0.0.1:8443`, `localhost:8443` or `[::1]:8443`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// The form that ``init(_:)`` reads.
    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
