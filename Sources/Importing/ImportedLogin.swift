internal import KSRedaction

/// A readable row with a password.
struct ImportedLogin {
    let row: Int
    let line: Int
    let address: WebAddress
    let account: String
    let realm: String
    let label: String
    let comment: String
    let secret: [UInt8]
    /// The parts of the row that are not imported.
    let leftOut: [ImportFinding.Reason]

    /// Reads a row, or returns the reason why it cannot be imported.
    static func read(_ row: CSVRow, layout: ColumnLayout) -> Reading {
        guard row.fields.count == layout.columnCount else { return .reason(.wrongFieldCount) }
        var texts: [String] = []
        texts.reserveCapacity(row.fields.count)
        for field in row.fields {
            guard let text = String(validating: field, as: UTF8.self) else {
                return .reason(.notText)
            }
            texts.append(text)
        }
        func text(_ column: Int?) -> String { column.map { texts[$0] } ?? "" }

        if let kind = layout.kind, texts[kind] != "login" { return .reason(.notALogin) }
        let secret = row.fields[layout.password]
        guard !secret.isEmpty else { return .reason(.noPassword) }

        let urls = addresses(texts[layout.url], format: layout.format)
        let name = text(layout.name)
        // Without an address only the name identifies the login.
        guard let url = urls.first ?? (name.isEmpty ? nil : name) else {
            return .reason(.noAddress)
        }
        let address = WebAddress(url: url)
        let comment = ([text(layout.note)] + urls.dropFirst()).filter { !$0.isEmpty }
        var leftOut: [ImportFinding.Reason] = []
        if !text(layout.oneTimeCode).isEmpty { leftOut.append(.oneTimeCodeLeftOut) }
        if !text(layout.otherFields).isEmpty { leftOut.append(.otherFieldsLeftOut) }
        return .login(
            ImportedLogin(
                row: row.number,
                line: row.line,
                address: address,
                account: texts[layout.account],
                realm: text(layout.realm),
                label: name.isEmpty ? address.server : name,
                comment: comment.joined(separator: "\n"),
                secret: secret,
                leftOut: leftOut
            )
        )
    }

    enum Reading {
        case login(ImportedLogin)
        case reason(ImportFinding.Reason)
    }

    /// Bitwarden writes all addresses of a login into one field, with commas between them.
    ///
    /// A comma is split at only where another address follows, since a path may have commas too.
    private static func addresses(_ field: String, format: ImportFormat) -> [String] {
        guard format == .bitwarden else { return field.isEmpty ? [] : [field] }
        var addresses: [String] = []
        for part in field.split(separator: ",", omittingEmptySubsequences: true) {
            if let last = addresses.last, !part.utf8.contains(UInt8(ascii: ":")) {
                addresses[addresses.count - 1] = last + "," + part
            } else {
                addresses.append(String(part))
            }
        }
        return addresses
    }
}

extension ImportedLogin: Redacted {
    var shownPart: String { "row \(row)" }
}
