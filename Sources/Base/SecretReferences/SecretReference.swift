/// The name of one secret: `keychain://SITE-OR-SERVICE/ACCOUNT[/FIELD]`.
///
/// The site may be an address too, and `,realm=NAME` and `,synced=yes` or `no` may follow it, where
/// several items have the same site and account.
///
/// Each part may contain any character but a slash, a question mark and a number sign; these, and
/// any other byte, can be written as `%` and two hexadecimal digits (RFC 3986, section 2.1).
package struct SecretReference: Hashable, Sendable, CustomStringConvertible {
    /// What of an item is meant.
    package enum Field: Hashable, Sendable {
        case password, username, notes
        /// The current one-time code, not the secret that it comes from.
        case otp
        /// A field with this name in the item.
        case named(String)

        /// What people mean by this name.
        package init(named name: String) {
            self = specialFields.first { $0.name == name }?.field ?? .named(name)
        }
    }

    /// The scheme in front of every reference; capital letters are allowed too.
    package static let scheme = "keychain://"

    package let site: String
    /// The user at the site, or the account of the service.
    ///
    /// Empty if the reference does not say which; then the item must be the only one of its site.
    package let account: String
    package let field: Field

    package init(site: String, account: String, field: Field = .password) {
        self.site = site
        self.account = account
        self.field = field
    }

    /// Whether somebody meant this text to be a reference, right or wrong.
    package static func isReference(_ text: some Sequence<UInt8>) -> Bool {
        var bytes = text.makeIterator()
        return scheme.utf8.allSatisfy { byte in
            bytes.next().map { lowercase($0) == byte } ?? false
        }
    }

    /// Parses a reference without spaces around it.
    package init(parsing text: some Collection<UInt8>) throws(ReferenceError) {
        guard Self.isReference(text) else { throw .noScheme }
        let parts = text.dropFirst(Self.scheme.utf8.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 3 else { throw .tooManyParts }
        site = try Self.decoded(parts[0])
        guard !site.isEmpty else { throw .noSite }
        account = parts.count > 1 ? try Self.decoded(parts[1]) : ""
        guard parts.count > 2 else {
            field = .password
            return
        }
        let name = try Self.decoded(parts[2])
        guard !name.isEmpty else { throw .noField }
        field = Field(named: name)
    }

    package init(parsing text: String) throws(ReferenceError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// The field's name in a reference.
    package var fieldName: String {
        if case .named(let name) = field { return name }
        return Self.specialFields.first { $0.field == field }?.name ?? ""
    }

    /// The shortest form, which needs no quotes in a shell, an environment file or a template.
    package var description: String {
        let isWhole = field != .password
        let parts =
            [site] + (account.isEmpty && !isWhole ? [] : [account])
            + (isWhole ? [fieldName] : [])
        return Self.scheme + parts.map(Self.encoded).joined(separator: "/")
    }

    /// The first name of a field is the one in ``description``; the others are those that people
    /// see.
    private static let specialFields: [(name: String, field: Field)] = [
        ("password", .password), ("username", .username), ("notes", .notes), ("otp", .otp),
        ("user name", .username), ("user", .username), ("note", .notes),
    ]

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    private static func decoded(_ part: some Collection<UInt8>) throws(ReferenceError) -> String {
        var bytes: [UInt8] = []
        var rest = part[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit),
                    let low = rest.popFirst().flatMap(digit), high | low != 0
                else { throw .badPercent }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "?"), UInt8(ascii: "#"): throw .reserved(byte)
            case 0..<0x20, 0x7F: throw .controlCharacter
            default: bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// ASCII that means something to a shell, and everything that cannot be seen, is encoded;
    /// letters of other scripts are not, so that people can read them.
    private static func encoded(_ part: String) -> String {
        part.unicodeScalars.map { scalar in
            let isPlain =
                scalar.isASCII
                ? scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "-._~@:+,=".unicodeScalars.contains(scalar)
                : scalar.properties.isAlphabetic || scalar.properties.isEmoji
            guard !isPlain else { return String(scalar) }
            return String(scalar).utf8.map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (byte < 16 ? "0" : "") + digits
            }.joined()
        }.joined()
    }
}
