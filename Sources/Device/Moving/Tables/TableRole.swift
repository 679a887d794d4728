/// What a column of a table holds.
package enum TableRole: Hashable, Sendable {
    case title
    case address
    case userName
    /// The user name where there is no other, else a field.
    case email
    case password
    case note
    /// HTTP's realm, which distinguishes logins of one address.
    case realm
    /// Where a form of the site sends the login.
    case form
    case oneTimeCode
    /// One group, whose name may be a path.
    case folder
    /// Several tags, with commas between them.
    case tags
    case favorite
    case archived
    case asksPassword
    case created
    case changed
    /// The kind of entry.
    case type
    case field(String, kind: String = "text")
    /// A text field with the name of the column.
    case columnField
    /// A hidden field with the name of the column.
    case columnSecret
    /// Bitwarden's fields, one on each line.
    case lineFields
    /// NordPass's fields, as JSON.
    case jsonFields
    /// Of the program that wrote it alone, such as its own numbers of entries.
    case bookkeeping
    /// Not read, as the user wishes.
    case skip
    /// Not read.
    case unknown

    /// The words of `--map`, in the order of help.
    package static let words: [(word: String, role: TableRole)] = [
        ("title", .title), ("url", .address), ("username", .userName), ("password", .password),
        ("note", .note), ("otp", .oneTimeCode), ("folder", .folder), ("tags", .tags),
        ("favorite", .favorite), ("realm", .realm), ("created", .created), ("changed", .changed),
        ("field", .columnField), ("secret", .columnSecret), ("skip", .skip),
    ]

    /// Whether several columns may have it.
    var mayRepeat: Bool {
        switch self {
        case .address, .note, .folder, .tags, .oneTimeCode, .columnField, .columnSecret, .field,
            .bookkeeping, .skip, .unknown:
            true
        case .title, .userName, .email, .password, .realm, .form, .favorite, .archived,
            .asksPassword, .created, .changed, .type, .lineFields, .jsonFields:
            false
        }
    }
}

/// The user's own meaning of columns: `--map column=field`.
package struct ColumnMap: Equatable, Sendable {
    /// By the columns' names in lower case.
    let roles: [String: TableRole]
    /// As the user wrote them.
    let names: [String]

    /// Nil if one has no `=`, no such field, or the column of another one.
    package init?(_ pairs: [String]) {
        var roles: [String: TableRole] = [:]
        var names: [String] = []
        for pair in pairs {
            // The name of a column may have the sign too.
            guard let sign = pair.lastIndex(of: "=") else { return nil }
            let word = pair[pair.index(after: sign)...].lowercased()
            let name = String(pair[..<sign])
            guard let role = TableRole.words.first(where: { $0.word == word })?.role,
                roles.updateValue(role, forKey: name.lowercased()) == nil
            else { return nil }
            names.append(name)
        }
        (self.roles, self.names) = (roles, names)
    }
}
