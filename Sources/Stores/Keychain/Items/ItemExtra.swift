package import KSResolution

/// How the extras of an item are named: a letter for what the extra is, then its own name.
///
/// Names are what devices agree on: two devices that add the same tag, or a field of one name, have
/// added one.
package enum ItemExtra: Hashable, Sendable {
    /// A named value; see ``ItemField``.
    case field(String)
    case tag(String)
    /// An address where the item belongs, beside the server of an internet password.
    case address(String)
    /// A property of the whole item, such as its type.
    case mark(String)

    /// The letters of the names; a letter is never reused.
    private enum Letter {
        static let field = UInt8(ascii: "f")
        static let tag = UInt8(ascii: "t")
        static let address = UInt8(ascii: "a")
        static let mark = UInt8(ascii: "m")
    }

    /// Nil for a name of a newer program.
    package init?(_ name: ValueName) {
        guard name.kind == ValueName.Kind.extra, let letter = name.nameBytes.first,
            let text = String(validating: name.nameBytes.dropFirst(), as: UTF8.self)
        else { return nil }
        switch letter {
        case Letter.field: self = .field(text)
        case Letter.tag: self = .tag(text)
        case Letter.address: self = .address(text)
        case Letter.mark: self = .mark(text)
        default: return nil
        }
    }

    /// The name of the extra's value.
    package var valueName: ValueName { ValueName(kind: ValueName.Kind.extra, nameBytes: bytes) }

    /// The name of the extra's position among those of its kind.
    package var positionName: ValueName {
        ValueName(kind: ValueName.Kind.position, nameBytes: bytes)
    }

    private var bytes: [UInt8] {
        switch self {
        case .field(let name): [Letter.field] + Array(name.utf8)
        case .tag(let name): [Letter.tag] + Array(name.utf8)
        case .address(let name): [Letter.address] + Array(name.utf8)
        case .mark(let name): [Letter.mark] + Array(name.utf8)
        }
    }

    /// Whether an extra can be read without the secret, as Apple's attributes can.
    static func isVisible(_ name: ValueName, _ value: [UInt8]) -> Bool {
        guard name.kind == ValueName.Kind.extra else { return name.kind == ValueName.Kind.position }
        switch ItemExtra(name) {
        case .tag, .address, .mark: return true
        case .field: return ItemField.Content(decoding: value)?.kind.isVisible ?? false
        case nil: return false
        }
    }
}

/// A field of an item: its name, and what it holds.
package struct ItemField: Hashable, Sendable {
    /// What a field holds, by the name that is stored; those of newer programs are kept as well.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let text = Kind(rawValue: "text")
        /// Text that is shown only when it is asked for.
        package static let secret = Kind(rawValue: "secret")
        /// An `otpauth` URL.
        package static let oneTimeCode = Kind(rawValue: "otp")
        package static let url = Kind(rawValue: "url")
        /// A day as `2027-05-31`.
        package static let date = Kind(rawValue: "date")
        /// A month as `2027-05`.
        package static let month = Kind(rawValue: "month")
        package static let email = Kind(rawValue: "email")
        package static let phone = Kind(rawValue: "phone")
        /// An attachment: the bytes of a file, whose name is the field's.
        package static let file = Kind(rawValue: "file")

        package static let known: [Kind] = [
            .text, .secret, .oneTimeCode, .url, .date, .month, .email, .phone, .file,
        ]

        /// Whether it can be read and searched without the secret.
        package var isVisible: Bool {
            [.text, .url, .date, .month, .email, .phone].contains(self)
        }
    }

    /// The stored value of a field.
    package struct Content: Hashable, Sendable {
        package let kind: Kind
        /// UTF-8, but for a file.
        package let bytes: [UInt8]

        package init(_ kind: Kind, _ bytes: [UInt8]) {
            self.kind = kind
            self.bytes = bytes
        }

        package var encoded: [UInt8] {
            let kind = Array(kind.rawValue.utf8)
            return [UInt8(clamping: kind.count)] + kind + bytes
        }

        /// Nil for what no program of ours writes.
        package init?(decoding encoded: [UInt8]) {
            guard let count = encoded.first, encoded.count > Int(count),
                let kind = String(validating: encoded[1..<1 + Int(count)], as: UTF8.self)
            else { return nil }
            self.init(Kind(rawValue: kind), Array(encoded.dropFirst(1 + Int(count))))
        }
    }

    package var name: String
    package var kind: Kind
    /// UTF-8, but for a file.
    package var value: [UInt8]

    package init(name: String, kind: Kind, value: [UInt8]) {
        self.name = name
        self.kind = kind
        self.value = value
    }
}

/// Which pages an address means, by the name that is stored; rules of newer programs are kept as
/// well.
package struct AddressMatch: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// All hosts of the same registered domain.
    package static let domain = AddressMatch(rawValue: "domain")
    /// The same host, and port if the address names one.
    package static let host = AddressMatch(rawValue: "host")
    /// All pages whose address begins so.
    package static let start = AddressMatch(rawValue: "start")
    package static let exact = AddressMatch(rawValue: "exact")
    /// None: the address is kept, and nothing is filled in there.
    package static let never = AddressMatch(rawValue: "never")

    package static let known: [AddressMatch] = [.domain, .host, .start, .exact, .never]
}
