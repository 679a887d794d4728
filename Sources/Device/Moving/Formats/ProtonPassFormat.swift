// Proton Pass's ZIP, not encrypted: what its members are here.
//
// Source: the types of packages/pass/lib/export of Proton's WebClients.

extension EntryFormat {
    static let protonPass = EntryFormat(
        name: ProtonPass.name,
        isFormat: { ProtonPass.isJSON($0) || ProtonPass.isFile($0) },
        read: { file throws(MovingError) in try ProtonPassReader.read(file) },
        write: nil
    )
}

enum ProtonPass {
    static let name = "protonpass-zip"

    /// The folder in the archive is called as the program is.
    static func isData(_ path: String) -> Bool {
        path == "data.json" || path.hasSuffix("/data.json")
    }

    static func isEncrypted(_ path: String) -> Bool {
        path == "data.pgp" || path.hasSuffix("/data.pgp")
    }

    static func isFile(_ file: SourceFile) -> Bool {
        ExportArchive.names(file)?.contains { isData($0) || isEncrypted($0) } == true
    }

    static func isJSON(_ file: SourceFile) -> Bool {
        guard let outline = file.outline else { return false }
        return outline.has("vaults") && outline.has("version")
    }

    struct Member {
        let name: String
        let field: String
        var kind = "text"
    }

    static let card = [
        Member(name: "cardholderName", field: "holder"),
        Member(name: "number", field: "number", kind: "secret"),
        Member(name: "verificationNumber", field: "code", kind: "secret"),
        Member(name: "pin", field: "pin", kind: "secret"),
        Member(name: "cardType", field: "card type"),
    ]
    static let key = [
        Member(name: "publicKey", field: "public key"),
        Member(name: "fingerprint", field: "fingerprint"),
    ]
    static let wifi = [Member(name: "ssid", field: "network")]
    /// The numbers of the ways in which a network is secured.
    static let security: [Int64: String] = [1: "WPA", 2: "WPA2", 3: "WPA3", 4: "WEP"]

    static let identity = [
        Member(name: "fullName", field: "full name"),
        Member(name: "email", field: "email", kind: "email"),
        Member(name: "phoneNumber", field: "phone", kind: "phone"),
        Member(name: "firstName", field: "first name"),
        Member(name: "middleName", field: "middle name"),
        Member(name: "lastName", field: "last name"), Member(name: "birthdate", field: "born"),
        Member(name: "gender", field: "gender"),
        Member(name: "organization", field: "organization"),
        Member(name: "streetAddress", field: "street"),
        Member(name: "zipOrPostalCode", field: "postcode"), Member(name: "city", field: "city"),
        Member(name: "stateOrProvince", field: "state"),
        Member(name: "countryOrRegion", field: "country"), Member(name: "floor", field: "floor"),
        Member(name: "county", field: "county"),
        Member(name: "socialSecurityNumber", field: "social security number", kind: "secret"),
        Member(name: "passportNumber", field: "passport number", kind: "secret"),
        Member(name: "licenseNumber", field: "license number", kind: "secret"),
        Member(name: "website", field: "website", kind: "url"),
        Member(name: "xHandle", field: "X"),
        Member(name: "secondPhoneNumber", field: "second phone", kind: "phone"),
        Member(name: "linkedin", field: "LinkedIn"), Member(name: "reddit", field: "Reddit"),
        Member(name: "facebook", field: "Facebook"), Member(name: "yahoo", field: "Yahoo"),
        Member(name: "instagram", field: "Instagram"),
        Member(name: "company", field: "company"), Member(name: "jobTitle", field: "job title"),
        Member(name: "personalWebsite", field: "personal website", kind: "url"),
        Member(name: "workPhoneNumber", field: "work phone", kind: "phone"),
        Member(name: "workEmail", field: "work email", kind: "email"),
    ]
    /// The lists of further fields of an identity.
    static let identityExtras: Set = [
        "extraPersonalDetails", "extraAddressDetails", "extraContactDetails", "extraWorkDetails",
    ]

    static let itemMembers: Set = [
        "itemId", "shareId", "data", "state", "aliasEmail", "contentFormatVersion", "createTime",
        "modifyTime", "pinned", "pinTime", "shareCount", "files", "flags",
    ]
    static let dataMembers: Set = [
        "metadata", "extraFields", "platformSpecific", "type", "content",
    ]
    static let trashed: Int64 = 2
}
