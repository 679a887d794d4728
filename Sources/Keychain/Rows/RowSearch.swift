internal import Foundation
internal import GRDB

/// A query as a statement over one table: what to compare, and with which digests.
///
/// Before the first unlock only rows of the two Always classes can be found.
struct RowSearch {
    let itemClass: ItemClass
    private let sql: String
    private let arguments: [any DatabaseValueConvertible]
    /// Whether a row of another class lies there, which may or may not match; nil when all rows can
    /// be searched.
    private let hidden: (sql: String, arguments: [any DatabaseValueConvertible])?
    /// The values of `sync` to go through, in this order: items of this device first.
    private let passes: [Bool]

    /// - Throws: ``KeychainError/missingEntitlement`` when the caller has no group at all, then
    ///   what is wrong with the attributes, then ``KeychainError/missingEntitlement`` for a foreign
    ///   group.
    init(_ query: ItemQuery, rows: ItemRows) throws(KeychainError) {
        do throws(KeychainError) {
            try self.init(query, rows: rows, isAlwaysOnly: false)
        } catch .interactionNotAllowed {
            try self.init(query, rows: rows, isAlwaysOnly: true)
        }
    }

    private init(
        _ query: ItemQuery,
        rows: ItemRows,
        isAlwaysOnly: Bool
    ) throws(KeychainError) {
        if case .groups(let groups) = query.access, groups.isEmpty { throw .missingEntitlement }
        var conditions = Conditions(query, rows: rows, isAlwaysOnly: isAlwaysOnly)
        for (name, given) in query.attributes.sorted(by: { $0.key < $1.key }) {
            let description = try query.itemClass.attribute(name)
            guard description.isSearchable else { throw .parameter }
            let value = try description.kind.converted(given)
            if description.isInClear {
                conditions.require(name, isInClear: value)
            } else {
                let form = value.comparableForm(as: description.kind)
                try conditions.require(name.text, among: [form])
            }
        }
        try conditions.restrict(to: query)
        if let reference = query.persistentReference {
            guard try ItemQuery.itemClass(ofReference: reference) == query.itemClass else {
                throw .parameter
            }
            conditions.require("persistentReference", Data(reference.dropFirst(4)))
        }
        conditions.require("tomb", conditions.isTombstone)
        itemClass = query.itemClass
        arguments = conditions.arguments
        passes = conditions.passes
        hidden = isAlwaysOnly ? conditions.hidden : nil
        sql = """
            SELECT \(ItemSQL.rowColumns), \(query.wantsAttributes ? "attributes" : "NULL"), \
            \(query.wantsSecret ? "secret" : "NULL") FROM \(query.itemClass.rawValue) \
            WHERE \(conditions.terms.joined(separator: " AND ")) ORDER BY id
            """
    }

    /// Calls the visitor with each row, until it answers false.
    ///
    /// The visitor must not change the table.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` when the visitor wants more than can be
    ///   searched before the first unlock.
    func visit(in database: Database, _ visitor: (StoredRow) throws -> Bool) throws {
        for pass in passes {
            let statement = try database.cachedStatement(sql: sql)
            let cursor = try Row.fetchCursor(
                statement,
                arguments: StatementArguments([pass] + arguments)
            )
            while let row = try cursor.next() {
                guard try visitor(try StoredRow(row, of: itemClass)) else { return }
            }
        }
        try checkNothingIsHidden(in: database)
    }

    private func checkNothingIsHidden(in database: Database) throws {
        guard let hidden else { return }
        for pass in passes {
            let isThere = try Bool.fetchOne(
                database,
                sql: hidden.sql,
                arguments: StatementArguments([pass] + hidden.arguments)
            )
            if isThere == true { throw KeychainError.interactionNotAllowed }
        }
    }

    /// All rows, for whoever changes them next.
    func all(in database: Database) throws -> [StoredRow] {
        var found: [StoredRow] = []
        try visit(in: database) { row in
            found.append(row)
            return true
        }
        return found
    }
}

/// What a row must fulfil, as it is put together.
private struct Conditions {
    private let rows: ItemRows
    private let itemClass: ItemClass
    private let isAlwaysOnly: Bool
    /// The first compares `sync`, which is bound anew in each pass.
    private(set) var terms = ["sync = ?"]
    private(set) var arguments: [any DatabaseValueConvertible] = []
    /// Those of the terms that need no digest, without the first.
    private var clearTerms: [String] = []
    private var clearArguments: [any DatabaseValueConvertible] = []
    private(set) var passes: [Bool]
    private(set) var isTombstone = false

    private static let alwaysLetters =
        Accessibility.alwaysClasses.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    init(_ query: ItemQuery, rows: ItemRows, isAlwaysOnly: Bool) {
        self.rows = rows
        self.isAlwaysOnly = isAlwaysOnly
        itemClass = query.itemClass
        passes = query.passes
        if isAlwaysOnly { terms.append("pdmn IN (\(Self.alwaysLetters))") }
    }

    /// Whether there are rows that fulfil what can be compared, but not with these keys.
    var hidden: (sql: String, arguments: [any DatabaseValueConvertible]) {
        let all = ["sync = ?", "pdmn NOT IN (\(Self.alwaysLetters))"] + clearTerms
        let sql = """
            SELECT EXISTS (SELECT 1 FROM \(itemClass.rawValue) \
            WHERE \(all.joined(separator: " AND ")))
            """
        return (sql, clearArguments)
    }

    mutating func require(_ column: String, _ value: any DatabaseValueConvertible) {
        terms.append("\(column) = ?")
        arguments.append(value)
        clearTerms.append("\(column) = ?")
        clearArguments.append(value)
    }

    mutating func require(_ name: AttributeName, isInClear value: AttributeValue) {
        switch name {
        case .synchronizable: passes = [value == .integer(1)]
        case .tombstone: isTombstone = value == .integer(1)
        default: require(ItemSQL.column(name), String(decoding: value.content, as: UTF8.self))
        }
    }

    /// The search column of this name holds the digest of one of the values.
    mutating func require(
        _ column: String,
        among forms: [ComparableForm]
    ) throws(KeychainError) {
        let places = Array(repeating: "?", count: forms.count).joined(separator: ", ")
        let isOneOf = forms.count == 1 ? "= ?" : "IN (\(places))"
        if isAlwaysOnly {
            let table = itemClass.rawValue
            terms.append(
                """
                EXISTS (SELECT 1 FROM always_digest WHERE always_digest.row = \(table).row \
                AND always_digest.attribute = ? AND always_digest.digest \(isOneOf))
                """
            )
            arguments.append(column)
        } else {
            terms.append("\"\(column)\" \(isOneOf)")
        }
        for form in forms {
            arguments.append(Data(try digest(of: form, column: column)))
        }
    }

    private func digest(
        of form: ComparableForm,
        column: String
    ) throws(KeychainError) -> [UInt8] {
        guard isAlwaysOnly else {
            return try rows.digest(of: form, in: itemClass, column: column)
        }
        return try rows.digesting.alwaysReadableDigest(
            type: form.type,
            value: form.bytes,
            table: itemClass.rawValue,
            column: column
        )
    }

    /// Leaves nothing that the caller may not see.
    mutating func restrict(to query: ItemQuery) throws(KeychainError) {
        if let group = query.attributes[.accessGroup] {
            try query.access.check(try AttributeKind.string.converted(group))
        } else if case .groups(let groups) = query.access {
            let forms = groups.map { AttributeValue.string($0).comparableForm(as: .string) }
            try require(AttributeName.accessGroup.text, among: forms)
        }
    }
}

extension ItemQuery {
    fileprivate var passes: [Bool] {
        switch synchronizable {
        case .no: [false]
        case .yes: [true]
        case .any: [false, true]
        }
    }
}
