/// Whose export a table is: which of its columns is what.
package enum ImportFormat: String, CaseIterable, Sendable {
    case chrome
    case apple
    case firefox
    case bitwarden

    /// The columns by which the layout is known, in the order in which the program writes them.
    package var columns: [String] {
        switch self {
        case .chrome: ["name", "url", "username", "password", "note"]
        case .apple: ["title", "url", "username", "password", "notes", "otpauth"]
        case .firefox:
            [
                "url", "username", "password", "httprealm", "formactionorigin", "guid",
                "timecreated", "timelastused", "timepasswordchanged",
            ]
        case .bitwarden:
            [
                "folder", "favorite", "type", "name", "notes", "fields", "reprompt", "login_uri",
                "login_username", "login_password", "login_totp",
            ]
        }
    }

    /// Without these a table cannot be read as this layout.
    package var requiredColumns: [String] {
        switch self {
        case .chrome: ["name", "url", "username", "password"]
        case .apple: ["title", "url", "username", "password"]
        case .firefox: ["url", "username", "password"]
        case .bitwarden: ["type", "name", "login_uri", "login_username", "login_password"]
        }
    }

    /// The layout of a header, or nil.
    ///
    /// Browsers built on Chrome's code write Chrome's layout. What sets Firefox's apart is not
    /// needed to read it, so it is asked for here only.
    static func detect(header: [String]) -> ImportFormat? {
        allCases.first { format in
            let needed = format.requiredColumns + (format == .firefox ? ["httprealm"] : [])
            return needed.allSatisfy(header.contains)
        }
    }
}

/// Where a layout's values stand in a row.
struct ColumnLayout {
    let format: ImportFormat
    let columnCount: Int
    let url: Int
    let account: Int
    let password: Int
    let name: Int?
    let note: Int?
    /// HTTP's realm: it tells apart two logins of one address.
    let realm: Int?
    let oneTimeCode: Int?
    let otherFields: Int?
    let kind: Int?

    /// - Throws: ``ImportError`` when the layout is not known, or columns of a forced one are
    ///   missing.
    init(headerFields: [[UInt8]], forced: ImportFormat?) throws(ImportError) {
        let header = headerFields.map { field in
            // A name that is no text is no column of ours, so replacing what is wrong in it is
            // right.
            Self.trimmed(String(decoding: field, as: UTF8.self).lowercased())
        }
        guard let format = forced ?? ImportFormat.detect(header: header) else {
            throw .unknownLayout
        }
        let missing = format.requiredColumns.filter { !header.contains($0) }
        guard missing.isEmpty else { throw .missingColumns(format: format, columns: missing) }
        let prefix = format == .bitwarden ? "login_" : ""
        guard let url = header.firstIndex(of: format == .bitwarden ? "login_uri" : "url"),
            let account = header.firstIndex(of: prefix + "username"),
            let password = header.firstIndex(of: prefix + "password")
        else { throw .unknownLayout }
        self.format = format
        columnCount = header.count
        self.url = url
        self.account = account
        self.password = password
        name = header.firstIndex(of: format == .apple ? "title" : "name")
        note = header.firstIndex(of: format == .chrome ? "note" : "notes")
        realm = format == .firefox ? header.firstIndex(of: "httprealm") : nil
        oneTimeCode = header.firstIndex(of: format == .apple ? "otpauth" : "login_totp")
        otherFields = format == .bitwarden ? header.firstIndex(of: "fields") : nil
        kind = format == .bitwarden ? header.firstIndex(of: "type") : nil
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
