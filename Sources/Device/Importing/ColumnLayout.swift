/// The columns of a table: their names, and what each holds.
struct ColumnLayout {
    let format: ImportFormat
    /// The names as in the file, without blanks around them.
    let names: [String]
    let roles: [ColumnRole]
    let address: Int
    let account: Int
    let password: Int

    /// - Throws: ``ImportError`` if the layout is unknown, or a forced one lacks columns.
    init(headerFields: [[UInt8]], forced: ImportFormat?) throws(ImportError) {
        // A name that is not UTF-8 is not a known column, so it may be changed here.
        names = headerFields.map { Self.trimmed(String(decoding: $0, as: UTF8.self)) }
        let header = names.map { $0.lowercased() }
        guard let format = forced ?? ImportFormat.detect(header: header) else {
            throw .unknownLayout
        }
        let missing = format == .other ? [] : format.requiredColumns.filter { !header.contains($0) }
        guard missing.isEmpty else { throw .missingColumns(format: format, columns: missing) }
        // If two columns have one role, the first is read, unless both go to the comment.
        var taken: Set<ColumnRole> = []
        let roles = header.map { name -> ColumnRole in
            guard let role = format.roles[name] else { return .unknown }
            let isFirst = taken.insert(role).inserted
            return isFirst || role.mayRepeat ? role : .unknown
        }
        guard let address = roles.firstIndex(of: .address),
            let account = roles.firstIndex(of: .account),
            let password = roles.firstIndex(of: .password)
        else { throw .missingColumns(format: format, columns: format.requiredColumns) }
        (self.format, self.roles) = (format, roles)
        (self.address, self.account, self.password) = (address, account, password)
    }

    func index(of role: ColumnRole) -> Int? { roles.firstIndex(of: role) }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension ColumnRole {
    fileprivate var mayRepeat: Bool { commentPrefix != nil || self == .note || self == .mark }
}
