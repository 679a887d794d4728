package import KSKeychain
internal import KSRedaction
internal import KSResolution

/// An item as people see it: a login, note or card with its fields, not Apple's attributes.
package struct PersonalItem: Equatable, Sendable {
    package struct Address: Hashable, Sendable {
        package var text: String
        package var match: AddressMatch

        package init(_ text: String, _ match: AddressMatch = .domain) {
            self.text = text
            self.match = match
        }

        /// Whether it is the same address with another rule.
        func isOther(_ address: Address) -> Bool { text == address.text && match != address.match }
    }

    package let item: Item

    package init(_ item: Item) { self.item = item }

    /// The type that its user gave it, or the one that its class stands for.
    package var type: ItemType {
        if let bytes = item.extras[ItemMark.type.extra.valueName] {
            return ItemType(rawValue: String(decoding: bytes, as: UTF8.self))
        }
        return switch item.itemClass {
        case .internetPassword: .login
        case .genericPassword: .password
        case .certificate: .certificate
        case .key: .key
        }
    }

    /// What people call its secret.
    package var secretName: String {
        switch item.itemClass {
        case .certificate: "certificate"
        case .key: "key"
        case .internetPassword, .genericPassword: type == .note ? "text" : "password"
        }
    }

    package var isFavorite: Bool { item.extras[ItemMark.favorite.extra.valueName] != nil }

    /// What people call it: its label, else the site or service.
    package var title: String {
        let label = text(.label)
        return label.isEmpty ? place : label
    }

    /// The server of an internet password, the service of a generic one, the tag of a key.
    package var place: String {
        switch item.itemClass {
        case .internetPassword: text(.server)
        case .genericPassword: text(.service)
        // Its subject is in DER, and its label is the common name.
        case .certificate: ""
        case .key: Self.readable(text(.applicationTag))
        }
    }

    /// The place with the port of its server, unless it is the usual one.
    package var shownPlace: String {
        guard !place.isEmpty, port != Self.usualPort(ofScheme: scheme) else { return place }
        return authority(atPort: port)
    }

    /// The place with a port, in the form of addresses; 0 for none.
    package func authority(atPort port: Int64) -> String {
        (place.contains(":") ? "[\(place)]" : place) + (port == 0 ? "" : ":\(port)")
    }

    /// The port of an internet password's server, also the usual one of its scheme; 0 for none.
    package var port: Int64 {
        guard item.itemClass == .internetPassword else { return 0 }
        if case .integer(let port)? = item.attributes[.port], port != 0 { return port }
        return Self.usualPort(ofScheme: scheme)
    }

    /// 0 for schemes whose logins have no usual port here.
    package static func usualPort(ofScheme scheme: String) -> Int64 {
        switch scheme {
        case "http": 80
        case "https": 443
        default: 0
        }
    }

    /// What stands before `://` in an internet password's address; empty if it does not say.
    package var scheme: String {
        guard item.itemClass == .internetPassword else { return "" }
        let code = text(.networkProtocol).filter { $0.isLetter || $0.isNumber }
        return Self.schemes[code] ?? code
    }

    /// Apple's codes of protocols whose schemes have more than four letters.
    private static let schemes = [
        "htps": "https", "imps": "imaps", "ldps": "ldaps", "ntps": "nntps", "teln": "telnet",
        "tels": "telnets", "pops": "pop3s",
    ]

    /// The path of an internet password, which belongs to its key.
    package var path: String { item.itemClass == .internetPassword ? text(.path) : "" }

    /// The realm for which a server asks for the password.
    package var realm: String { item.itemClass == .internetPassword ? text(.securityDomain) : "" }

    /// A program's tag is often text, and may be any bytes.
    private static func readable(_ tag: String) -> String {
        tag.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "" : tag
    }

    package var userName: String { item.itemClass.isPassword ? text(.account) : "" }

    package var note: String { text(.comment) }

    package var tags: [String] {
        item.extras.keys.compactMap { name in
            if case .tag(let tag) = ItemExtra(name) { tag } else { nil }
        }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The addresses beside the server, in their order.
    package var addresses: [Address] {
        ordered { extra, value in
            guard case .address(let text) = extra else { return nil }
            return Address(text, AddressMatch(rawValue: String(decoding: value, as: UTF8.self)))
        }
    }

    /// The fields in their order; hidden ones only if the item was read with them.
    package var fields: [ItemField] {
        ordered { extra, value in
            guard case .field(let name) = extra, let content = ItemField.Content(decoding: value)
            else { return nil }
            return ItemField(name: name, kind: content.kind, value: content.bytes)
        }
    }

    package func field(_ name: String) -> ItemField? {
        guard let value = item.extras[ItemExtra.field(name).valueName],
            let content = ItemField.Content(decoding: value)
        else { return nil }
        return ItemField(name: name, kind: content.kind, value: content.bytes)
    }

    /// The text of an attribute; empty if it is missing or no text.
    private func text(_ name: AttributeName) -> String {
        switch item.attributes[name] {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self) ?? ""
        case .integer, .date, nil: ""
        }
    }

    /// Extras by position, those without one last; equal positions by name.
    private func ordered<Element>(_ read: (ItemExtra, [UInt8]) -> Element?) -> [Element] {
        var found: [(position: [UInt8]?, name: ValueName, element: Element)] = []
        for (name, value) in item.extras {
            guard let extra = ItemExtra(name), let element = read(extra, value) else { continue }
            found.append((item.extras[extra.positionName], name, element))
        }
        return found.sorted { left, right in
            switch (left.position, right.position) {
            case (let mine?, let theirs?) where mine != theirs:
                mine.lexicographicallyPrecedes(theirs)
            case (.some, nil): true
            case (nil, .some): false
            default: left.name < right.name
            }
        }.map(\.element)
    }
}

/// The properties of a whole item.
package enum ItemMark: String, Sendable {
    case type
    case favorite

    package var extra: ItemExtra { .mark(rawValue) }
}

/// What an item is for; a type of a newer program keeps its name.
package struct ItemType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let login = ItemType(rawValue: "login")
    package static let note = ItemType(rawValue: "note")
    package static let card = ItemType(rawValue: "card")
    package static let identity = ItemType(rawValue: "identity")
    package static let sshKey = ItemType(rawValue: "ssh-key")
    package static let wifi = ItemType(rawValue: "wifi")
    package static let passkey = ItemType(rawValue: "passkey")
    /// A generic password that a program or a script added.
    package static let password = ItemType(rawValue: "password")
    package static let certificate = ItemType(rawValue: "certificate")
    package static let key = ItemType(rawValue: "key")
}

extension PersonalItem: Redacted {}
