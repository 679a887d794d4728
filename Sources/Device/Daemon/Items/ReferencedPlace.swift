internal import KSImporting
internal import KSKeychain
internal import KSPersonalItems

/// The place of a reference that is more than a service or server, letter by letter:
/// `[SCHEME://]HOST[:PORT][/PATH][,realm=REALM][,synced=yes|no]`.
///
/// What it leaves out may be anything. A scheme without a port means the usual port.
struct ReferencedPlace: Equatable {
    /// As it was typed; the service or title of an item that is no internet password.
    private(set) var server: String
    private(set) var scheme: String?
    private(set) var port: Int64?
    private(set) var path: String?
    private(set) var realm: String?
    private(set) var isSynced: Bool?

    /// Whether it is an address or one without its qualities: only internet passwords have one.
    var isAddress: Bool { scheme != nil || port != nil || path != nil || realm != nil }

    private static let realmMark = ",realm="
    private static let syncedMark = ",synced="

    init(_ text: String) {
        var rest = text[...]
        for (end, isSynced) in [("yes", true), ("no", false)]
        where rest.hasSuffix(Self.syncedMark + end) {
            self.isSynced = isSynced
            rest = rest.dropLast(Self.syncedMark.count + end.count)
        }
        if let mark = rest.firstRange(of: Self.realmMark) {
            realm = String(rest[mark.upperBound...])
            rest = rest[..<mark.lowerBound]
        }
        server = String(rest)
        if let mark = rest.firstRange(of: "://") {
            scheme = rest[..<mark.lowerBound].lowercased()
            rest = rest[mark.upperBound...]
        }
        let authority = rest.prefix { $0 != "/" }
        // Of other schemes too, host and port are written as in web addresses.
        guard WebSite("http://" + authority) != nil else { return }
        let hasPath = authority.count < rest.count
        if hasPath { path = String(rest[authority.endIndex...]) }
        server = String(authority)
        let digits = authority.reversed().prefix(while: \.isNumber).reversed()
        if digits.count < authority.count, let number = UInt16(String(digits)), number > 0,
            authority.dropLast(digits.count).last == ":"
        {
            let host = authority.dropLast(digits.count + 1)
            // The colons of an IPv6 address do not begin a port.
            guard host.hasPrefix("[") == host.hasSuffix("]") else { return }
            port = Int64(number)
            server = String(host)
        }
        guard server.hasPrefix("["), server.hasSuffix("]") else { return }
        server = String(server.dropFirst().dropLast())
    }

    /// Whether it may mean an item with this server, service or title.
    func fits(_ item: PersonalItem) -> Bool {
        if let isSynced, item.item.isSynced != isSynced { return false }
        guard isAddress else { return true }
        guard item.item.itemClass == .internetPassword else { return false }
        if let scheme {
            guard item.scheme == scheme else { return false }
            guard port != nil || item.port == PersonalItem.usualPort(ofScheme: scheme) else {
                return false
            }
        }
        if let port, item.port != port { return false }
        if let path, Self.rooted(item.path) != path { return false }
        return realm == nil || item.realm == realm
    }

    /// An item's path in an address, where none is the root.
    private static func rooted(_ path: String) -> String { path.hasPrefix("/") ? path : "/" + path }

    /// How places of an item can be written, the shortest first.
    static func texts(for item: PersonalItem) -> [String] {
        let place = item.place.isEmpty ? item.title : item.shownPlace
        let synced = syncedMark + (item.item.isSynced ? "yes" : "no")
        guard item.item.itemClass == .internetPassword, !item.place.isEmpty else {
            return [place, place + synced]
        }
        var hosts = [place]
        if item.port > 0 { hosts.append(item.authority(atPort: item.port)) }
        if !item.scheme.isEmpty {
            let isUsual = item.port == PersonalItem.usualPort(ofScheme: item.scheme)
            let authority = item.authority(atPort: isUsual ? 0 : item.port)
            hosts.append(item.scheme + "://" + authority)
        }
        let realm = realmMark + item.realm
        let withPath = hosts + hosts.map { $0 + rooted(item.path) }
        let plain = withPath + withPath.map { $0 + realm }
        return plain + plain.map { $0 + synced }
    }
}
