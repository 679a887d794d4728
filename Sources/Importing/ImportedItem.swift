internal import KSRedaction

/// One internet password to add, synchronizable, with all the secrets the file has for it.
package struct ImportedItem: Hashable, Sendable {
    /// An attribute's value, as the keychain takes it.
    package enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int64)
    }

    /// An attribute by Apple's four-character name.
    package struct Attribute: Hashable, Sendable {
        package let name: String
        package let value: Value
    }

    package let server: String
    /// `htps` or `http`; nil when the row's URL is no web address.
    package let protocolCode: String?
    /// Zero: the protocol's own.
    package let port: UInt16
    /// HTTP's realm, which only Firefox writes.
    package let securityDomain: String
    package let account: String
    package let label: String
    package let comment: String
    /// The passwords in the order of their rows: the first is to be the current one, the others
    /// belong in the item's history.
    package let secrets: [[UInt8]]
    /// The rows that made this item, equal ones too, rising.
    package let rows: [Int]

    /// True when the file has more than one password for this login, so the user should look.
    package var hasSupersededSecrets: Bool { secrets.count > 1 }

    /// The secrets in the order in which to write them, so that the first of the file ends as the
    /// current one and each other one lands in the history.
    package var secretsInWritingOrder: [[UInt8]] { secrets.reversed() }

    /// All but the secret, the class and the mark "synchronizable", sorted by name.
    ///
    /// The path is empty, else two pages of one site would be two items. An empty comment and an
    /// unknown protocol are left out.
    package var attributes: [Attribute] {
        var attributes = [
            Attribute(name: "acct", value: .text(account)),
            // What `security` and `keychain` put there, so that their commands meet imported items.
            Attribute(name: "atyp", value: .text("dflt")),
            Attribute(name: "labl", value: .text(label)),
            Attribute(name: "path", value: .text("")),
            Attribute(name: "port", value: .integer(Int64(port))),
            Attribute(name: "srvr", value: .text(server)),
        ]
        if !comment.isEmpty {
            attributes.append(Attribute(name: "icmt", value: .text(comment)))
        }
        if let protocolCode {
            attributes.append(Attribute(name: "ptcl", value: .text(protocolCode)))
        }
        if !securityDomain.isEmpty {
            attributes.append(Attribute(name: "sdmn", value: .text(securityDomain)))
        }
        return attributes.sorted { $0.name < $1.name }
    }
}

/// What makes two rows one item: bytes, because Unicode's equality is wider than the keychain's.
struct ItemKey: Hashable {
    private let parts: [[UInt8]]

    init(_ login: ImportedLogin) {
        let address = login.address
        parts = [
            Array(address.server.utf8),
            Array((address.protocolCode ?? "").utf8),
            Array(String(address.port).utf8),
            Array(login.realm.utf8),
            Array(login.account.utf8),
        ]
    }
}

extension ImportedItem: Redacted {
    package var shownPart: String { "rows \(rows), \(secrets.count) secrets" }
}
