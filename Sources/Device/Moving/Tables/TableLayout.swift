/// The columns of one program's table, and what is particular to it.
///
/// A further program is a further layout among ``all``, and no code.
package struct TableLayout: Sendable {
    /// The cells of a row beyond the header's.
    enum FurtherCells: Sendable {
        case none
        /// RoboForm's fields: `NAME,,,KIND,VALUE`.
        case roboForm
        /// Enpass's: the name of a field and its value by turns, and a note at the end.
        case enpass
    }

    /// The word of `--format`.
    package let name: String
    /// Without these a table cannot be read as this layout.
    package let required: [String]
    /// By the names in lower case.
    var roles: [String: TableRole] = [:]
    /// What a column is that has no role.
    var others = TableRole.columnField
    /// Whether a table with other columns too is another program's.
    var isWhole = false
    /// Columns that only this program writes, and that are not needed to read its table.
    var mark: [String] = []
    /// Whether one cell may hold several addresses, with commas between them.
    var splitsAddresses = false
    /// The types of entries by the words of the column of types.
    var types: [String: String] = [:]
    /// The words of that column that stand for a folder.
    var folderTypes: Set<String> = []
    /// What stands between the names of a group's path.
    var groupSeparator = "/"
    /// Whether a group's path begins with the name of the group that has all.
    var hasRootGroup = false
    /// Whether a value may refer to another entry, which the table does not resolve.
    var hasReferences = false
    /// The address that a note has.
    var noteAddress: String?
    /// The start of addresses of the program's own entries.
    var ownAddress: String?
    var furtherCells = FurtherCells.none

    package static func named(_ name: String) -> TableLayout? { all.first { $0.name == name } }

    package static var names: [String] { all.map(\.name) }

    /// The names in the order of the alphabet, as help shows them, but for formats of other files.
    package static var listed: String {
        let names = names.filter { $0 != bitwarden.name && $0 != other.name }.sorted()
        return names.joined(separator: ", ") + " or " + other.name
    }

    /// The layout of a header of names in lower case, or nil.
    static func detect(_ header: [String]) -> TableLayout? {
        let named = all.first { layout in
            layout.name != other.name && (layout.required + layout.mark).allSatisfy(header.contains)
                && (!layout.isWhole || header.allSatisfy { layout.roles[$0] != nil })
        }
        if let named { return named }
        let roles = header.compactMap { other.roles[$0] }
        let hasAll = [TableRole.address, .userName, .password].allSatisfy(roles.contains)
        return hasAll ? other : nil
    }
}

// MARK: Programs

extension TableLayout {
    /// Those that are detected, the most particular first.
    package static let all: [TableLayout] = [
        .nordPass, .protonPass, .bitwarden, .keepassxc, .lastPass, .onePassword, .dashlane,
        .roboForm, .enpass, .firefox, .chrome, .apple, .other,
    ]

    /// Chrome and the browsers of its code, which write its layout.
    static let chrome = TableLayout(
        name: "chrome",
        required: ["name", "url", "username", "password"],
        roles: [
            "name": .title, "url": .address, "username": .userName, "password": .password,
            "note": .note,
        ],
        isWhole: true
    )

    static let apple = TableLayout(
        name: "apple",
        required: ["title", "url", "username", "password"],
        roles: [
            "title": .title, "url": .address, "username": .userName, "password": .password,
            "notes": .note, "otpauth": .oneTimeCode,
        ],
        isWhole: true
    )

    static let firefox = TableLayout(
        name: "firefox",
        required: ["url", "username", "password"],
        roles: [
            "url": .address, "username": .userName, "password": .password, "httprealm": .realm,
            "formactionorigin": .form, "guid": .bookkeeping, "timecreated": .created,
            "timelastused": .bookkeeping, "timepasswordchanged": .changed,
        ],
        mark: ["httprealm"],
        ownAddress: "chrome://"
    )

    static let bitwarden = TableLayout(
        name: "bitwarden",
        required: ["type", "name", "login_uri", "login_username", "login_password"],
        roles: [
            "folder": .folder, "collections": .tags, "favorite": .favorite, "type": .type,
            "name": .title, "notes": .note, "fields": .lineFields, "reprompt": .asksPassword,
            "login_uri": .address, "login_username": .userName, "login_password": .password,
            "login_totp": .oneTimeCode, "archiveddate": .archived,
        ],
        splitsAddresses: true,
        types: ["login": "login", "note": "note"]
    )

    static let keepassxc = TableLayout(
        name: "keepassxc",
        required: ["group", "title", "username", "password", "url", "last modified"],
        roles: [
            "group": .folder, "title": .title, "username": .userName, "password": .password,
            "url": .address, "notes": .note, "totp": .oneTimeCode, "icon": .bookkeeping,
            "last modified": .changed, "created": .created,
        ],
        hasRootGroup: true,
        hasReferences: true
    )

    static let lastPass = TableLayout(
        name: "lastpass",
        required: ["url", "username", "password", "extra", "name", "grouping"],
        roles: [
            "url": .address, "username": .userName, "password": .password, "totp": .oneTimeCode,
            "extra": .note, "name": .title, "grouping": .folder, "fav": .favorite,
        ],
        groupSeparator: "\\",
        noteAddress: "http://sn"
    )

    static let onePassword = TableLayout(
        name: "1password",
        required: ["title", "url", "username", "password", "favorite", "archived", "tags"],
        roles: [
            "title": .title, "url": .address, "username": .userName, "password": .password,
            "otpauth": .oneTimeCode, "favorite": .favorite, "archived": .archived,
            "tags": .tags, "notes": .note,
        ]
    )

    static let nordPass = TableLayout(
        name: "nordpass",
        required: ["name", "url", "username", "password", "note", "cardholdername"],
        roles: [
            "name": .title, "url": .address, "additional_urls": .address, "username": .userName,
            "password": .password, "note": .note, "cardholdername": .field("holder"),
            "cardnumber": .field("number", kind: "secret"), "cvc": .field("code", kind: "secret"),
            "pin": .field("pin", kind: "secret"), "expirydate": .field("expires", kind: "month"),
            "zipcode": .field("postcode"), "folder": .folder, "shared_folder": .folder,
            "full_name": .field("full name"), "phone_number": .field("phone", kind: "phone"),
            "email": .field("email", kind: "email"), "address1": .field("street"),
            "address2": .field("street 2"), "city": .field("city"), "country": .field("country"),
            "state": .field("state"), "type": .type, "custom_fields": .jsonFields,
        ],
        splitsAddresses: true,
        types: [
            "password": "login", "note": "note", "credit_card": "card", "identity": "identity",
        ],
        folderTypes: ["folder"]
    )

    static let protonPass = TableLayout(
        name: "protonpass",
        required: ["type", "name", "url", "username", "password", "note", "totp", "vault"],
        roles: [
            "type": .type, "name": .title, "url": .address, "autofillurls": .columnField,
            "email": .email, "username": .userName, "password": .password, "note": .note,
            "totp": .oneTimeCode, "createtime": .created, "modifytime": .changed,
            "vault": .folder,
        ],
        splitsAddresses: true,
        types: [
            "login": "login", "note": "note", "creditcard": "card", "identity": "identity",
            "alias": "login",
        ]
    )

    /// The table of logins, `credentials.csv`, of the several that Dashlane writes.
    static let dashlane = TableLayout(
        name: "dashlane",
        required: ["username", "title", "password", "note", "url", "category"],
        roles: [
            "username": .userName, "username2": .field("user name 2"),
            "username3": .field("user name 3"), "title": .title, "password": .password,
            "note": .note, "url": .address, "category": .folder, "otpsecret": .oneTimeCode,
            "otpurl": .oneTimeCode,
        ]
    )

    static let roboForm = TableLayout(
        name: "roboform",
        required: ["name", "url", "login", "pwd", "note", "folder"],
        roles: [
            "name": .title, "url": .address, "matchurl": .address, "login": .userName,
            "pwd": .password, "note": .note, "folder": .folder,
        ],
        furtherCells: .roboForm
    )

    static let enpass = TableLayout(
        name: "enpass",
        required: ["title", "field"],
        furtherCells: .enpass
    )

    /// Whether a first row is an entry already: a title, then labels and values by turns.
    ///
    /// `row`: its cells, in lower case.
    static func isEntryOfEnpass(_ row: [String]) -> Bool {
        guard let title = row.first, other.roles[title] == nil else { return false }
        let labels = row.indices.filter { $0 % 2 == 1 }.map { row[$0].drop { $0 == "*" } }
        let values = row.indices.dropFirst().filter { $0 % 2 == 0 }.map { row[$0] }
        let known = labels.filter { ["username", "password", "website", "url"].contains($0) }
        return known.count > 1 && known.contains("password")
            && values.allSatisfy { other.roles[$0] == nil }
    }

    /// Whether a first row has the names of columns, and neither Enpass's own nor an entry.
    ///
    /// `row`: its cells, in lower case.
    static func hasColumns(_ row: [String]) -> Bool {
        guard !enpass.required.allSatisfy(row.contains), let title = row.first,
            other.roles[title] != nil
        else { return false }
        let values = row.indices.dropFirst().filter { $0 % 2 == 0 }.map { row[$0] }
        return values.contains { other.roles[$0] != nil }
    }

    /// The name of ``other``.
    package static let otherName = "other"

    /// A table of another program, whose columns have usual names.
    static let other = TableLayout(
        name: otherName,
        required: ["url", "username", "password"],
        roles: [
            "url": .address, "urls": .address, "uri": .address, "website": .address,
            "web site": .address, "login_uri": .address, "username": .userName,
            "user name": .userName, "user": .userName, "login": .userName,
            "login name": .userName, "login_username": .userName, "password": .password,
            "login_password": .password, "pwd": .password, "name": .title, "title": .title,
            "note": .note, "notes": .note, "extra": .note, "comment": .note, "comments": .note,
            "totp": .oneTimeCode, "otp": .oneTimeCode, "otpauth": .oneTimeCode,
            "otpsecret": .oneTimeCode, "otpurl": .oneTimeCode, "login_totp": .oneTimeCode,
            "folder": .folder, "group": .folder, "grouping": .folder, "category": .folder,
            "vault": .folder, "tags": .tags, "favorite": .favorite, "fav": .favorite,
        ],
        splitsAddresses: true
    )
}
