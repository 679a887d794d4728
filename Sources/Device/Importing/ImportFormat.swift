/// The program that exported a table, which determines the meaning of its columns.
package enum ImportFormat: String, CaseIterable, Sendable {
    case chrome
    case apple
    case firefox
    case bitwarden
    case lastpass
    case keepassxc
    case onePassword = "1password"
    /// A table of another program, whose columns have usual names.
    case other

    /// Without these a table cannot be read as this layout.
    package var requiredColumns: [String] {
        switch self {
        case .chrome: ["name", "url", "username", "password"]
        case .apple: ["title", "url", "username", "password"]
        case .firefox, .other: ["url", "username", "password"]
        case .bitwarden: ["type", "name", "login_uri", "login_username", "login_password"]
        case .lastpass: ["url", "username", "password", "extra", "name", "grouping"]
        case .keepassxc: ["group", "title", "username", "password", "url", "last modified"]
        case .onePassword: ["title", "url", "username", "password", "favorite", "archived", "tags"]
        }
    }

    /// What each column of the layout holds; any other column is not read.
    var roles: [String: ColumnRole] {
        switch self {
        case .chrome:
            [
                "name": .name, "url": .address, "username": .account, "password": .password,
                "note": .note,
            ]
        case .apple:
            [
                "title": .name, "url": .address, "username": .account, "password": .password,
                "notes": .note, "otpauth": .oneTimeCode,
            ]
        case .firefox:
            [
                "url": .address, "username": .account, "password": .password,
                "httprealm": .realm, "timepasswordchanged": .changed,
            ]
        case .bitwarden:
            [
                "folder": .folder, "collections": .folder, "favorite": .mark, "type": .kind,
                "name": .name, "notes": .note, "fields": .fields, "reprompt": .mark,
                "login_uri": .address, "login_username": .account, "login_password": .password,
                "login_totp": .oneTimeCode,
            ]
        case .lastpass:
            [
                "url": .address, "username": .account, "password": .password,
                "totp": .oneTimeCode, "extra": .note, "name": .name, "grouping": .folder,
                "fav": .mark,
            ]
        case .keepassxc:
            [
                "group": .folder, "title": .name, "username": .account, "password": .password,
                "url": .address, "notes": .note, "totp": .oneTimeCode, "icon": .mark,
                "last modified": .changed,
            ]
        case .onePassword:
            [
                "title": .name, "url": .address, "username": .account, "password": .password,
                "otpauth": .oneTimeCode, "favorite": .mark, "archived": .mark, "tags": .tags,
                "notes": .note,
            ]
        case .other: Self.usualRoles
        }
    }

    /// The meaning that column names have in tables of most programs.
    private static let usualRoles: [String: ColumnRole] = [
        "url": .address, "urls": .address, "uri": .address, "website": .address,
        "web site": .address, "login_uri": .address, "username": .account, "user name": .account,
        "user": .account, "login": .account, "login name": .account, "login_username": .account,
        "password": .password, "login_password": .password, "pwd": .password,
        "name": .name, "title": .name, "note": .note, "notes": .note, "extra": .note,
        "comment": .note, "comments": .note, "totp": .oneTimeCode, "otp": .oneTimeCode,
        "otpauth": .oneTimeCode, "otpsecret": .oneTimeCode, "otpurl": .oneTimeCode,
        "login_totp": .oneTimeCode, "folder": .folder, "group": .folder, "grouping": .folder,
        "category": .folder, "vault": .folder, "tags": .tags, "favorite": .mark, "fav": .mark,
    ]

    /// Whether one cell may hold several addresses, separated by commas.
    var hasSeveralAddresses: Bool { self == .bitwarden || self == .other }

    /// The layout of a header, or nil.
    ///
    /// Browsers built on Chrome's code write Chrome's layout. Chrome and Apple have no column that
    /// others lack, so a table is theirs only if it has no column beside theirs.
    static func detect(header: [String]) -> ImportFormat? {
        let named = allCases.first { format in
            let isWhole = (format.requiredColumns + format.detectedBy).allSatisfy(header.contains)
            let mayHaveMore = format != .chrome && format != .apple
            return format != .other && isWhole
                && (mayHaveMore || header.allSatisfy { format.roles[$0] != nil })
        }
        if let named { return named }
        let roles = Set(header.compactMap { usualRoles[$0] })
        return roles.isSuperset(of: [.address, .account, .password]) ? .other : nil
    }

    /// Columns that only this program writes, and that are not needed to read its table.
    private var detectedBy: [String] { self == .firefox ? ["httprealm"] : [] }
}

/// What a column holds.
enum ColumnRole: Hashable, Sendable {
    case address
    case account
    case password
    case name
    case note
    /// HTTP's realm, which distinguishes logins of one address.
    case realm
    case oneTimeCode
    case folder
    case tags
    /// Further fields, one on each line.
    case fields
    /// Bitwarden's kind of entry.
    case kind
    /// When the password was changed.
    case changed
    /// 0 or false if nothing is marked; no other value is imported.
    case mark
    /// Not read.
    case unknown

    /// The text before its value in the comment of an item; nil for a role with an attribute of its
    /// own.
    var commentPrefix: String? {
        switch self {
        case .folder: "folder: "
        case .tags: "tags: "
        case .fields: ""
        case .address, .account, .password, .name, .note, .realm, .oneTimeCode, .kind, .changed,
            .mark, .unknown:
            nil
        }
    }
}
