internal import Foundation
internal import Synchronization

/// The origins under which clients may know this server.
///
/// A client signs the origin it was configured with, so that a signature given to one server is
/// worth nothing at another.
package final class Origins: Sendable {
    private let origins: Mutex<[String]>

    package init(_ origins: [String]) {
        self.origins = Mutex(origins)
    }

    var all: [String] { origins.withLock { $0 } }

    /// Sets the origins of the bound port, unless the operator named some.
    ///
    /// A loopback address is an origin only without a better one: two servers may share it.
    func setUnlessNamed(_ own: [String]) {
        origins.withLock { origins in
            if origins.isEmpty { origins = own }
        }
    }

    /// The origin of a URL: scheme, host in lower case, and the port unless it is the scheme's own.
    ///
    /// Nil unless the scheme is `https` and the URL has nothing after its origin.
    package static func origin(ofURL text: String) -> String? {
        guard let components = URLComponents(string: text),
            components.scheme?.lowercased() == "https",
            let host = components.encodedHost, !host.isEmpty,
            components.path.isEmpty || components.path == "/",
            components.query == nil, components.fragment == nil, components.user == nil
        else { return nil }
        return origin(host: host, port: components.port ?? 443)
    }

    static func origin(host: String, port: Int) -> String {
        port == 443 ? "https://\(bracketed(host))" : url(host: host, port: port)
    }

    /// The URL, always with its port.
    static func url(host: String, port: Int) -> String {
        "https://\(bracketed(host)):\(port)"
    }

    private static func bracketed(_ host: String) -> String {
        let name = host.lowercased()
        return name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
    }
}
