/// The program that exported a table, which determines the meaning of its columns.
package enum ImportFormat: String, CaseIterable, Sendable {
    case chrome
    case apple
    case firefox
    case bitwarden

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
    /// Browsers built on Chrome's code write Chrome's layout. The columns that only Firefox writes
    /// are needed for detection only.
    static func detect(header: [String]) -> ImportFormat? {
        allCases.first { format in
            let needed = format.requiredColumns + (format == .firefox ? ["httprealm"] : [])
            return needed.allSatisfy(header.contains)
        }
    }
}

/// The columns of a layout's values.
struct ColumnLayout {
    let format: ImportFormat
    let columnCount: Int
    let url: Int
    let account: Int
    let password: Int
    let name: Int?
    let note: Int?
    /// HTTP's realm, which distinguishes logins of one address.
    let realm: Int?
    let oneTimeCode: Int?
    let otherFields: Int?
    let kind: Int?

    /// - Throws: ``ImportError`` if the layout is unknown, or a forced one lacks columns.
    init(headerFields: [[UInt8]], forced: ImportFormat?) throws(ImportError) {
        let header = headerFields.map { field in
            // A name that is not UTF-8 is no known column, so it may be changed here.
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
