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

    /// Reads a row.
    ///
    /// - Throws: why it cannot be imported.
    init(_ row: CSVRow, layout: ColumnLayout) throws(ImportFinding) {
        guard row.fields.count == layout.columnCount else { throw row.finding(.wrongFieldCount) }
        var texts: [String] = []
        texts.reserveCapacity(row.fields.count)
        for field in row.fields {
            guard let text = String(validating: field, as: UTF8.self) else {
                throw row.finding(.notText)
            }
            texts.append(text)
        }
        func text(_ column: Int?) -> String { column.map { texts[$0] } ?? "" }

        if let kind = layout.kind, texts[kind] != "login" { throw row.finding(.notALogin) }
        secret = row.fields[layout.password]
        guard !secret.isEmpty else { throw row.finding(.noPassword) }

        let urls = Self.addresses(texts[layout.url], format: layout.format)
        let name = text(layout.name)
        // Without an address only the name identifies the login.
        guard let url = urls.first ?? (name.isEmpty ? nil : name) else {
            throw row.finding(.noAddress)
        }
        self.row = row.number
        line = row.line
        address = WebAddress(url: url)
        account = texts[layout.account]
        realm = text(layout.realm)
        label = name.isEmpty ? address.server : name
        comment = ([text(layout.note)] + urls.dropFirst()).filter { !$0.isEmpty }
            .joined(separator: "\n")
        leftOut =
            (text(layout.oneTimeCode).isEmpty ? [] : [.oneTimeCodeLeftOut])
            + (text(layout.otherFields).isEmpty ? [] : [.otherFieldsLeftOut])
    }

    /// Rows with equal keys are one item.
    ///
    /// Keys are compared as bytes, because Unicode equates different bytes.
    var key: [[UInt8]] {
        let parts = [
            address.server, address.protocolCode ?? "", String(address.port), realm, account,
        ]
        return parts.map { Array($0.utf8) }
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
