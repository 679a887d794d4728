internal import Foundation
internal import Synchronization

/// The origins under which clients may know this server.
///
/// A client signs the origin it was configured with, so that a signature given to one server is
/// worth nothing at another.
final class Origins: Sendable {
    private let origins: Mutex<[String]>

    init(_ origins: [String]) {
        self.origins = Mutex(origins)
    }

    var all: [String] { origins.withLock { $0 } }

    /// Sets those that follow from the port that was really bound, unless the operator named some.
    ///
    /// Every machine has a loopback, so two servers may well have the same address there: it is an
    /// origin only where there is no better one.
    func setUnlessNamed(_ own: [String]) {
        origins.withLock { origins in
            if origins.isEmpty { origins = own }
        }
    }

    /// The origin of a URL: scheme, host in lower case, and the port unless it is the scheme's own.
    ///
    /// Nil for anything but `https` and for a URL that says more than its origin.
    static func origin(ofURL text: String) -> String? {
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

    /// The URL with its port, whichever it is.
    static func url(host: String, port: Int) -> String {
        "https://\(bracketed(host)):\(port)"
    }

    private static func bracketed(_ host: String) -> String {
        let name = host.lowercased()
        return name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
    }
}
