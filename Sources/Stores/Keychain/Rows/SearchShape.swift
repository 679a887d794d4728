internal import KSSealing
internal import Synchronization

/// The conditions of a search without their values: searches of one shape share a statement.
struct SearchShape: Hashable, Sendable {
    enum Term: Hashable, Sendable {
        /// The search column holds one of so many digests.
        case digest(AttributeName, count: Int)
        /// The column holds the value itself.
        case clear(AttributeName)
        case reference
        /// A number in the statement, not a bound value: the tables have an index over tombstones
        /// alone, so SQLite would compile the statement again for each bound value.
        case tombstone(Bool)
    }

    let itemClass: ItemClass
    /// True before the first unlock, when the keys of other search columns are missing.
    let isAlwaysOnly: Bool
    private let wantsAttributes: Bool
    private let wantsSecret: Bool
    private let wantsExtras: Bool
    /// In the order in which their values are bound, after that of `sync`.
    var terms: [Term] = []

    init(_ query: KeychainQuery, isAlwaysOnly: Bool) {
        itemClass = query.itemClass
        self.isAlwaysOnly = isAlwaysOnly
        wantsAttributes = query.wantsAttributes
        wantsSecret = query.wantsSecret
        wantsExtras = query.wantsExtras
        terms.reserveCapacity(query.attributes.count + 3)
    }

    /// Whether the search gives the attributes by which programs distinguish items.
    ///
    /// Items that agree in all of them differ only in attributes that hardly any program sets.
    var namesOneItem: Bool {
        let names: [AttributeName] =
            switch itemClass {
            case .genericPassword: [.service, .account]
            case .internetPassword: [.server, .account]
            case .certificate: [.issuer, .serialNumber]
            case .key: [.applicationLabel, .keyClass]
            }
        return names.allSatisfy { name in
            terms.contains { if case .digest(name, _) = $0 { true } else { false } }
        }
    }

    /// More shapes than programs ever use at a time; beyond that the cache starts again.
    private static let keptMax = 512
    private static let kept = Mutex<[SearchShape: String]>([:])

    /// Selects ``ItemSQL/rowColumns`` and the wanted sealed columns, null in place of the others.
    var sql: String {
        // Building the text takes longer than the search.
        Self.kept.withLock { kept in
            if let sql = kept[self] { return sql }
            if kept.count >= Self.keptMax { kept = [:] }
            let sql = makeSQL()
            kept[self] = sql
            return sql
        }
    }

    private func makeSQL() -> String {
        var conditions = ["sync = ?"]
        if isAlwaysOnly { conditions.append("pdmn IN (\(ProtectionClass.alwaysLetters))") }
        conditions += terms.map(condition)
        return """
            SELECT \(ItemSQL.rowColumns), \(wantsAttributes ? "attributes" : "NULL"), \
            \(wantsSecret ? "secret" : "NULL"), \(wantsExtras ? "extras" : "NULL") \
            FROM \(itemClass.rawValue) \
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY id
            """
    }

    /// Finds a row that matches in the clear columns, and whose other columns need missing keys.
    var hiddenSQL: String {
        let clear = terms.filter { if case .digest = $0 { false } else { true } }
        let conditions =
            ["sync = ?", "pdmn NOT IN (\(ProtectionClass.alwaysLetters))"] + clear.map(condition)
        return """
            SELECT 1 FROM \(itemClass.rawValue) \
            WHERE \(conditions.joined(separator: " AND ")) LIMIT 1
            """
    }

    private func condition(_ term: Term) -> String {
        switch term {
        case .clear(let name): return "\(ItemSQL.column(name)) = ?"
        case .reference: return "persistentReference = ?"
        case .tombstone(let isOne): return "tomb = \(isOne ? 1 : 0)"
        case .digest(let name, let count):
            let places = Array(repeating: "?", count: count).joined(separator: ", ")
            let isOneOf = count == 1 ? "= ?" : "IN (\(places))"
            guard isAlwaysOnly else { return "\(ItemSQL.column(name)) \(isOneOf)" }
            return """
                EXISTS (SELECT 1 FROM always_digest \
                WHERE always_digest.row = \(itemClass.rawValue).row \
                AND always_digest.attribute = ? AND always_digest.digest \(isOneOf))
                """
        }
    }
}
