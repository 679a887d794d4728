internal import KSRedaction

/// One login of a readable row, which becomes one item.
struct ImportedLogin {
    let address: WebAddress
    let account: String
    let realm: String
    let label: String
    let comment: String
    /// As the file has it; empty if it has none.
    let oneTimeCode: String
    let secret: [UInt8]
    /// When the secret was changed, in milliseconds since 1970; nil if the file does not say.
    let changed: Int64?

    /// Rows with equal keys are one item.
    ///
    /// Keys are compared as bytes, because Unicode equates different bytes.
    var key: [[UInt8]] {
        let parts = [
            address.server, address.protocolCode ?? "", String(address.port), realm, account,
        ]
        return parts.map { Array($0.utf8) }
    }
}

/// A readable row with a password.
struct ImportedRow {
    let number: Int
    let line: Int
    /// One for each of its sites; at least one.
    let logins: [ImportedLogin]
    /// The columns that have a value and are not imported.
    let unreadColumns: [Int]
    /// The ways in which the imported values differ from the file's.
    let changes: [ColumnRemark.Reason]
    let hasOneTimeCode: Bool

    /// Reads a row.
    ///
    /// - Throws: why it cannot be imported.
    init(_ row: CSVRow, layout: ColumnLayout) throws(ImportFinding) {
        let texts = try Self.texts(row, layout)
        func text(_ role: ColumnRole) -> String { layout.index(of: role).map { texts[$0] } ?? "" }
        do throws(ImportFinding.Reason) {
            try Self.check(texts, layout)
        } catch {
            throw row.finding(error)
        }
        let cell = texts[layout.address]
        let name = text(.name)
        let list = AddressList(cell, isSplit: layout.format.hasSeveralAddresses)
        guard let sites = Sites(list, name: name) else { throw row.finding(.noAddress) }

        var notes = Self.notes(texts, layout) + sites.further
        notes.removeAll(where: \.isEmpty)
        let (account, realm) = (texts[layout.account], text(.realm))
        let changed = Self.time(text(.changed))
        let comment = notes.joined(separator: "\n")
        let oneTimeCode = text(.oneTimeCode)
        logins = sites.addresses.map { address in
            ImportedLogin(
                address: address,
                account: account,
                realm: realm,
                label: name.isEmpty ? address.server : name,
                comment: comment,
                oneTimeCode: oneTimeCode,
                secret: row.fields[layout.password],
                changed: changed
            )
        }
        number = row.number
        line = row.line
        unreadColumns = texts.indices.filter { Self.isLeftOut(texts[$0], layout.roles[$0]) }
        changes =
            (list.web.contains(where: \.hasMore) ? [.pathLeftOut] : [])
            + (list.web.contains(where: \.lacksScheme) ? [.httpsAssumed] : [])
        hasOneTimeCode = !oneTimeCode.isEmpty
    }

    private static func texts(
        _ row: CSVRow,
        _ layout: ColumnLayout
    ) throws(ImportFinding) -> [String] {
        guard row.fields.count == layout.names.count else { throw row.finding(.wrongFieldCount) }
        var texts: [String] = []
        texts.reserveCapacity(row.fields.count)
        for field in row.fields {
            guard let text = String(validating: field, as: UTF8.self) else {
                throw row.finding(.notText)
            }
            texts.append(text)
        }
        return texts
    }

    /// Refuses rows that are not logins of the user.
    private static func check(
        _ texts: [String],
        _ layout: ColumnLayout
    ) throws(ImportFinding.Reason) {
        let address = texts[layout.address].withoutBlanksAround
        switch layout.format {
        case .bitwarden:
            if let kind = layout.index(of: .kind), texts[kind] != "login" { throw .notALogin }
        case .lastpass:
            // LastPass gives its secure notes this address.
            if address == "http://sn" { throw .notALogin }
        case .firefox:
            // Firefox's own entries, such as the keys of its account.
            if address.hasPrefix("chrome://") { throw .notALogin }
        case .keepassxc:
            let group = layout.index(of: .folder).map { texts[$0] } ?? ""
            if group.split(separator: "/").contains("Recycle Bin") { throw .deleted }
            // KeePassXC does not resolve references to other entries.
            let hasReference = [layout.account, layout.password].contains { column in
                texts[column].uppercased().hasPrefix("{REF:")
            }
            if hasReference { throw .reference }
        case .chrome, .apple, .onePassword, .other: break
        }
        guard !texts[layout.password].isEmpty else { throw .noPassword }
    }

    /// The lines of the comment: the notes first, then values without an attribute of their own.
    private static func notes(_ texts: [String], _ layout: ColumnLayout) -> [String] {
        let columns = texts.indices
        let notes = columns.filter { layout.roles[$0] == .note }.map { texts[$0] }
        let others = columns.compactMap { column -> String? in
            let role = layout.roles[column]
            guard let prefix = role.commentPrefix else { return nil }
            var value = texts[column]
            if role == .folder, layout.format == .keepassxc {
                // The first part is the group that contains all others.
                let path = value.split(separator: "/", maxSplits: 1)
                value = path.count > 1 ? String(path[1]) : ""
            }
            return value.isEmpty ? nil : prefix + value
        }
        return notes + others
    }

    private static func isLeftOut(_ text: String, _ role: ColumnRole) -> Bool {
        switch role {
        case .unknown: !text.isEmpty
        case .mark: !["", "0", "false", "no"].contains(text.lowercased())
        case .address, .account, .password, .name, .note, .realm, .oneTimeCode, .folder, .tags,
            .fields, .kind, .changed:
            false
        }
    }

    /// Milliseconds since 1970, of such a number or of a date as `2026-02-02T10:00:00Z`.
    private static func time(_ text: String) -> Int64? {
        let time = Timestamp.milliseconds(text) ?? Int64(text)
        return time.flatMap { $0 > 0 ? $0 : nil }
    }
}

/// The servers of a row, each of which gets an item.
private struct Sites {
    /// At least one.
    let addresses: [WebAddress]
    /// The rest of the row's address, for the comment.
    let further: [String]

    /// Web addresses come before those of apps, and these before other text.
    ///
    /// Without an address only the name identifies the login.
    init?(_ list: AddressList, name: String) {
        let named = name.contains("://") ? ReadAddress(name.withoutBlanksAround) : nil
        var (others, texts) = (list.others[...], list.texts[...])
        if !list.web.isEmpty {
            addresses = list.web.map(\.address)
        } else if let named, others.isEmpty {
            addresses = [named.address]
        } else if let other = others.popFirst() {
            addresses = [WebAddress(protocolCode: nil, server: other, port: 0)]
        } else if let text = texts.first, name.isEmpty || !text.contains(where: \.isWhitespace) {
            addresses = [WebAddress(protocolCode: nil, server: text, port: 0)]
            texts = texts.dropFirst()
        } else if !name.isEmpty {
            addresses = [WebAddress(protocolCode: nil, server: name, port: 0)]
        } else {
            return nil
        }
        further = others.map { "address: " + $0 } + texts
    }
}

extension ImportedLogin: Redacted {
    var shownPart: String { "" }
}

extension ImportedRow: Redacted {
    var shownPart: String { "row \(number)" }
}
