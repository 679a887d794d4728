// Bitwarden's JSON: what reading and writing share.

extension EntryFormat {
    static let bitwarden = EntryFormat(
        name: Bitwarden.name,
        isFormat: { file in
            guard let outline = file.outline else { return false }
            return outline.members["encrypted"]?.bool != nil
                && (outline.has("items") || outline.has("data")
                    || outline.has("encKeyValidation_DO_NOT_EDIT"))
        },
        read: { file throws(MovingError) in try BitwardenReader.read(file) },
        write: { entries, target in BitwardenWriter.write(entries, target.time) }
    )
}

enum Bitwarden {
    static let name = "bitwarden"

    enum Kind {
        static let login: Int64 = 1
        static let note: Int64 = 2
        static let card: Int64 = 3
        static let identity: Int64 = 4
        static let sshKey: Int64 = 5
        /// Later types: their members become hidden fields.
        static let others: [Int64: String] = [
            6: "bankAccount", 7: "driversLicense", 8: "passport",
        ]
    }

    /// The rules of an address, by Bitwarden's numbers; a missing one is the account's default.
    static let matches: [Int64: String] = [
        0: "domain", 1: "host", 2: "start", exact: "exact", 5: "never",
    ]
    static let exact: Int64 = 3
    static let regularExpression: Int64 = 4

    static let oneTimeCode = "one-time code"

    /// A member of a card, identity or key, and the field that holds it here.
    struct Member {
        let name: String
        let field: String
        let kind: String
    }

    static let card = [
        Member(name: "cardholderName", field: "holder", kind: "text"),
        Member(name: "brand", field: "brand", kind: "text"),
        Member(name: "number", field: "number", kind: "secret"),
        Member(name: "code", field: "code", kind: "secret"),
    ]
    /// Of a card; two members in Bitwarden.
    static let expires = "expires"

    static let identity = [
        Member(name: "title", field: "form of address", kind: "text"),
        Member(name: "firstName", field: "first name", kind: "text"),
        Member(name: "middleName", field: "middle name", kind: "text"),
        Member(name: "lastName", field: "last name", kind: "text"),
        Member(name: "address1", field: "street", kind: "text"),
        Member(name: "address2", field: "street 2", kind: "text"),
        Member(name: "address3", field: "street 3", kind: "text"),
        Member(name: "city", field: "city", kind: "text"),
        Member(name: "state", field: "state", kind: "text"),
        Member(name: "postalCode", field: "postcode", kind: "text"),
        Member(name: "country", field: "country", kind: "text"),
        Member(name: "company", field: "company", kind: "text"),
        Member(name: "email", field: "email", kind: "email"),
        Member(name: "phone", field: "phone", kind: "phone"),
        Member(name: "ssn", field: "social security number", kind: "secret"),
        Member(name: "passportNumber", field: "passport number", kind: "secret"),
        Member(name: "licenseNumber", field: "license number", kind: "secret"),
    ]

    static let sshKey = [
        Member(name: "privateKey", field: "private key", kind: "secret"),
        Member(name: "publicKey", field: "public key", kind: "text"),
        Member(name: "keyFingerprint", field: "fingerprint", kind: "text"),
    ]
}
