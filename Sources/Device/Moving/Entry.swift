internal import KSImporting
internal import KSRedaction

/// What one program keeps for a person, in the form that all readers and writers of files share: a
/// login, note or card with its fields.
///
/// A reader leaves out what its format does not say, and a writer says what its format cannot hold.
package struct Entry: Hashable, Sendable, Codable {
    /// An address where the entry belongs: a URL or a host.
    package struct Address: Hashable, Sendable, Codable {
        package var text: String
        /// `domain`, `host`, `start`, `exact` or `never`; see `AddressMatch`.
        package var match: String

        package init(_ text: String, _ match: String = Self.usualMatch) {
            (self.text, self.match) = (text, match)
        }

        package static let usualMatch = "domain"
    }

    /// A named value.
    package struct Field: Hashable, Sendable, Codable {
        package var name: String
        /// `text`, `secret`, `otp`, `url`, `date`, `month`, `email`, `phone` or `file`.
        package var kind: String
        /// UTF-8, but for a file.
        package var value: [UInt8]

        package init(_ name: String, _ kind: String, _ value: [UInt8]) {
            (self.name, self.kind, self.value) = (name, kind, value)
        }

        package init(_ name: String, _ kind: String = "text", text: String) {
            self.init(name, kind, Array(text.utf8))
        }

        package var text: String? { String(validating: value, as: UTF8.self) }
        package var isHidden: Bool { kind == "secret" || kind == "otp" || isFile }
        package var isFile: Bool { kind == "file" }
    }

    /// A value that the entry had earlier.
    package struct Earlier: Hashable, Sendable, Codable {
        /// `password`, `title`, `note` or `field`.
        package var what: String
        /// The field's name; empty for all else.
        package var name: String
        /// The field's kind; empty for all else.
        package var kind: String
        package var value: [UInt8]
        /// When it was set, or last used: milliseconds since 1970.
        package var time: Int64?

        package init(
            _ what: String = "password",
            name: String = "",
            kind: String = "",
            value: [UInt8],
            time: Int64? = nil
        ) {
            (self.what, self.name, self.kind) = (what, name, kind)
            (self.value, self.time) = (value, time)
        }
    }

    /// One of Apple's attributes, which only our own file holds.
    package struct Attribute: Hashable, Sendable, Codable {
        /// Its four letters.
        package var name: String
        package var text: String?
        package var data: [UInt8]?
        package var integer: Int64?
        /// Seconds since 2001, in digits that give the same number again.
        package var date: String?

        package init(_ name: String) { self.name = name }
    }

    /// `login`, `note`, `card`, `identity`, `ssh-key`, `wifi`, `passkey`, `password`,
    /// `certificate` or `key`.
    package var type = "login"
    package var title = ""
    /// The server or service, as a keychain has it; other programs have only addresses.
    package var place = ""
    /// HTTP's realm; an empty one is not a missing one.
    package var realm: String?
    package var userName = ""
    /// The password; the text of a note; the bytes of a certificate or key.
    package var secret: [UInt8]?
    package var note = ""
    /// Nil if the file does not say.
    package var isFavorite: Bool?
    package var tags: [String] = []
    package var addresses: [Address] = []
    /// Fields, one-time codes and attachments, in their order.
    package var fields: [Field] = []
    /// Milliseconds since 1970.
    package var created: Int64?
    package var changed: Int64?
    /// The newest first.
    package var history: [Earlier] = []
    /// Whether other devices have it too; nil if the file does not say.
    package var isSynced: Bool?
    /// `genp`, `inet`, `cert` or `keys`, of an entry of our own file.
    package var itemClass: String?
    /// Whether its file says its place in a keychain, as our own does.
    package var hasOwnPlace: Bool?
    package var attributes: [Attribute] = []

    package init() {}
}

extension Entry: Redacted {}
extension Entry.Field: Redacted {}
extension Entry.Earlier: Redacted {}
extension Entry.Attribute: Redacted {}
extension Entry.Address: Redacted {}

extension Entry.Address {
    /// Takes a host without a scheme as https, as tables do.
    ///
    /// - Returns: whether it was one.
    mutating func assumeHTTPS() -> Bool {
        guard WebSite(text)?.lacksScheme == true else { return false }
        text = "https://" + text
        return true
    }
}

extension Entry {
    /// What people call it.
    package var shownTitle: String {
        if !title.isEmpty { return title }
        return place.isEmpty ? addresses.first?.text ?? userName : place
    }

    /// The secret as text; nil for other bytes, and without one.
    package var secretText: String? { secret.flatMap { String(validating: $0, as: UTF8.self) } }

    /// The attribute of these four letters.
    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    /// All addresses, the site of an internet password first.
    ///
    /// The site is left out where an address of the same server says more.
    package var links: [Address] {
        guard let site else { return addresses }
        let isThere = addresses.contains { address in
            address.text == site || address.text.hasPrefix(site + "/")
        }
        return isThere ? addresses : [Address(site)] + addresses
    }

    /// The server of an internet password as a URL; its name alone for another protocol.
    private var site: String? {
        guard itemClass == "inet", !place.isEmpty else { return nil }
        let scheme: String
        switch attribute("ptcl")?.text {
        case "htps": scheme = "https://"
        case "http": scheme = "http://"
        default: return place
        }
        let port = attribute("port")?.integer ?? 0
        let host = place.contains(":") ? "[\(place)]" : place
        return scheme + host + (port == 0 ? "" : ":\(port)")
    }

    /// What only Apple's attributes hold, which no other program's format has.
    var appleParts: [String] {
        var parts: [String] = []
        // Notes and networks have a service and a kind that say no more than their type.
        let isPlain = ["login", "password"].contains(type)
        let isService = itemClass == "genp" || itemClass == nil && addresses.isEmpty
        if isPlain, isService, !place.isEmpty, place != title {
            parts.append("the service \(place)")
        }
        for attribute in attributes {
            guard let name = Self.appleNames[attribute.name],
                isPlain || !["desc", "type"].contains(attribute.name)
            else { continue }
            let text = attribute.text ?? attribute.integer.map { $0 == 0 ? "" : "\($0)" }
            // A path that an address has too is held.
            let isHeld =
                attribute.name == "path" && addresses.contains { $0.text.hasSuffix(text ?? "") }
            let isUsual = text == "" || attribute.name == "atyp" && text == "dflt" || isHeld
            if !isUsual { parts.append(text.map { "\(name) \($0)" } ?? name) }
        }
        let protocolCode = attribute("ptcl")?.text ?? ""
        if itemClass == "inet", !["", "htps", "http"].contains(protocolCode) {
            parts.append("the protocol \(protocolCode)")
            if let port = attribute("port")?.integer, port != 0 { parts.append("the port \(port)") }
        }
        return parts
    }

    private static let appleNames = [
        "path": "the path", "desc": "the kind", "atyp": "the way to log in", "gena": "the data",
        "crtr": "the creator", "type": "the type's code", "invi": "the mark of an invisible item",
        "nega": "the mark of an item without a password", "cenc": "the encoding",
        "scrp": "the script", "alis": "the alias", "prot": "the protected data",
    ]

    /// The name of the field with the place where a form sends the login, as Firefox knows it.
    package static let formField = "form sends to"

    /// Where a form sends the login.
    package var form: String? { fields.first { $0.name == Self.formField }?.text }

    /// Whether its form sends the login to its own site, which only Firefox says.
    var isSentToOwnSite: Bool {
        guard let form else { return false }
        return links.contains { $0.text == form || $0.text.hasPrefix(form + "/") }
    }

    /// What entries have in common that may mean each other's items, in bytes: the user name, and
    /// the site or else the title.
    package var twinKey: [[UInt8]] {
        let sites = addresses.lazy.compactMap { WebSite($0.text)?.server }
        let site = itemClass == "inet" ? place : sites.first ?? title
        return [Array(userName.utf8), Array(site.utf8)]
    }

    /// The one-time codes: the first has a place of its own in most formats.
    var oneTimeCodes: [Field] { fields.filter { $0.kind == "otp" } }
}

extension Array where Element: Hashable {
    /// Each element once, in their order; without the comparison of each with each.
    var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
