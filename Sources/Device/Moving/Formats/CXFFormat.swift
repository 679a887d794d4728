internal import KSBytes

// FIDO's Credential Exchange Format 1.0: what reading and writing share.
//
// Source: "Credential Exchange Format", Proposed Standard of 2025-08-14, and its errata.

extension EntryFormat {
    static let cxf = EntryFormat(
        name: CXF.name,
        isFormat: { $0.outline.map(CXF.isFile) ?? false },
        read: { file throws(MovingError) in try CXFReader.read(file.bytes) },
        write: { entries, target in CXFWriter.write(entries, target.time) }
    )
}

enum CXF {
    static let name = "cxf"
    static let major: Int64 = 1

    static func isFile(_ outline: JSONOutline) -> Bool {
        outline.has("version") && outline.has("exporterRpId") && outline.has("accounts")
    }

    /// A member of a credential, and the field that holds it here.
    struct Member {
        /// The name in the format.
        let name: String
        let field: String
        /// The field's kind here.
        let kind: String
        /// The format's own type of the value.
        let type: String

        init(_ name: String, _ field: String, _ type: String = "string", kind: String? = nil) {
            (self.name, self.field, self.type) = (name, field, type)
            self.kind = kind ?? CXF.kinds[type] ?? "text"
        }
    }

    /// The kinds of fields here, by the format's types; all others are text.
    static let kinds = [
        "concealed-string": "secret", "email": "email", "date": "date", "year-month": "month",
    ]

    /// Credentials that are a list of members, each of which is a field here.
    static let members: [String: [Member]] = [
        "credit-card": [
            Member("fullName", "holder"), Member("cardType", "brand"),
            Member("number", "number", "concealed-string"),
            Member("verificationNumber", "code", "concealed-string"),
            Member("pin", "pin", "concealed-string"),
            Member("expiryDate", "expires", "year-month"),
            Member("validFrom", "valid from", "year-month"),
        ],
        "person-name": [
            Member("title", "form of address"), Member("given", "first name"),
            Member("givenInformal", "nickname"), Member("given2", "middle name"),
            Member("surnamePrefix", "surname prefix"), Member("surname", "last name"),
            Member("surname2", "second last name"), Member("credentials", "degree"),
            Member("generation", "generation"),
        ],
        "address": [
            Member("streetAddress", "street"), Member("postalCode", "postcode"),
            Member("city", "city"), Member("territory", "state", "subdivision-code"),
            Member("country", "country", "country-code"), Member("tel", "phone", kind: "phone"),
        ],
        "drivers-license": [
            Member("fullName", "license holder"), Member("birthDate", "license born", "date"),
            Member("issueDate", "license issued", "date"),
            Member("expiryDate", "license expires", "date"),
            Member("issuingAuthority", "license authority"),
            Member("territory", "license state", "subdivision-code"),
            Member("country", "license country", "country-code"),
            Member("licenseNumber", "license number", kind: "secret"),
            Member("licenseClass", "license class"),
        ],
        "passport": [
            Member("issuingCountry", "passport country", "country-code"),
            Member("passportType", "passport type"),
            Member("passportNumber", "passport number", kind: "secret"),
            Member(
                "nationalIdentificationNumber",
                "national identification number",
                kind: "secret"
            ),
        ] + person("passport"),
        "identity-document": [
            Member("issuingCountry", "document country", "country-code"),
            Member("documentNumber", "document number", kind: "secret"),
            Member("identificationNumber", "identification number", kind: "secret"),
        ] + person("document"),
    ]

    private static func person(_ document: String) -> [Member] {
        [
            Member("nationality", "\(document) nationality"),
            Member("fullName", "\(document) holder"),
            Member("birthDate", "\(document) born", "date"),
            Member("birthPlace", "\(document) birthplace"), Member("sex", "\(document) sex"),
            Member("issueDate", "\(document) issued", "date"),
            Member("expiryDate", "\(document) expires", "date"),
            Member("issuingAuthority", "\(document) authority"),
        ]
    }

    /// Besides the key itself and the user name.
    static let apiKey = [
        Member("keyType", "key type"), Member("url", "key address", kind: "url"),
        Member("validFrom", "key valid from", "date"),
        Member("expiryDate", "key expires", "date"),
    ]
    /// Besides the passphrase.
    static let wifi = [
        Member("ssid", "network"),
        Member("networkSecurityType", "security", "wifi-network-security-type"),
        Member("hidden", "hidden", "boolean"),
    ]
    /// Besides the key itself; the first two are plain strings.
    static let sshKey = [
        Member("keyType", "key type"), Member("keyComment", "comment"),
        Member("creationDate", "key created", "date"),
        Member("expiryDate", "key expires", "date"),
        Member("keyGenerationSource", "key source"),
    ]
    static let sshKeyTexts: Set = ["keyType", "keyComment"]
    /// Besides the user name; all are plain strings.
    static let passkey = [
        Member("credentialId", "credential id"), Member("rpId", "relying party"),
        Member("userDisplayName", "display name"), Member("userHandle", "user handle"),
        Member("key", "private key", kind: "secret"),
    ]
    /// Members of a passkey that are JSON here, such as `fido2Extensions`.
    static let passkeyPrefix = "passkey "
    /// Credentials of other types, which are JSON here.
    static let otherPrefix = "credential "

    static let privateKey = "private key"
    static let oneTimeCode = "one-time code"
    static let subtitle = "subtitle"

    /// The rest of a street stands in fields of its own, a line each.
    static func street(_ line: Int) -> String { line == 0 ? "street" : "street \(line + 1)" }
    static let streetLines = 3

    /// The types of entries whose credentials these are.
    static let entryTypes = [
        "basic-auth": "login", "credit-card": "card", "ssh-key": "ssh-key", "wifi": "wifi",
        "api-key": "password", "generated-password": "password", "person-name": "identity",
        "address": "identity", "drivers-license": "identity", "passport": "identity",
        "identity-document": "identity", "passkey": "passkey", "note": "note", "totp": "login",
    ]
    /// Which credential says what an entry is, where it has several.
    static let order = [
        "basic-auth", "credit-card", "ssh-key", "wifi", "api-key", "generated-password",
        "person-name", "address", "drivers-license", "passport", "identity-document", "passkey",
        "totp", "note",
    ]
}

/// Base64 with the alphabet of URLs and without padding (RFC 4648, section 5).
enum Base64URLText {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64Text.encode(bytes)
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            if text[index] == UInt8(ascii: "+") { text[index] = UInt8(ascii: "-") }
            if text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "_") }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for what no encoder writes; padding is taken.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes = Array(text.utf8)
        guard !bytes.contains(where: { "+/".utf8.contains($0) }) else { return nil }
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "-") { bytes[index] = UInt8(ascii: "+") }
            if bytes[index] == UInt8(ascii: "_") { bytes[index] = UInt8(ascii: "/") }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return Base64Text.decode(String(decoding: bytes, as: UTF8.self))
    }
}

/// A private key as PKCS#8 in PEM (RFC 7468), which is how programs keep one as text.
enum PrivateKeyText {
    private static let start = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"

    static func pem(_ der: [UInt8]) -> String {
        let text = String(decoding: Base64Text.encode(der), as: UTF8.self)
        var lines = [start]
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + [end]).joined(separator: "\n") + "\n"
    }

    /// Nil for a key in another form.
    static func der(_ pem: String) -> [UInt8]? {
        guard let first = pem.firstRange(of: start), let last = pem.firstRange(of: end),
            first.upperBound < last.lowerBound
        else { return nil }
        return Base64Text.decode(
            pem[first.upperBound..<last.lowerBound].filter { !$0.isWhitespace }
        )
    }
}
