internal import Foundation
internal import GRDB

/// A query as a statement over one table: what to compare, and with which digests.
struct RowSearch {
    let itemClass: ItemClass
    private let sql: String
    private let arguments: [any DatabaseValueConvertible]
    /// The values of `sync` to go through, in this order: items of this device first.
    private let passes: [Bool]

    /// - Throws: ``KeychainError/missingEntitlement``, ``KeychainError/noSuchAttribute`` or
    ///   ``KeychainError/parameter``, in this order, when the query is not allowed.
    init(_ query: ItemQuery, rows: ItemRows) throws(KeychainError) {
        if case .groups(let groups) = query.access, groups.isEmpty { throw .missingEntitlement }
        itemClass = query.itemClass
        var conditions = ["sync = ?"]
        var arguments: [any DatabaseValueConvertible] = []
        var passes = query.passes
        var tombstone = AttributeValue.integer(0)
        for (name, given) in query.attributes.sorted(by: { $0.key < $1.key }) {
            let description = try query.itemClass.attribute(name)
            guard description.isSearchable else { throw .parameter }
            let value = try description.kind.converted(given)
            switch name {
            case .accessGroup:
                // Refused below: everything else that is wrong with the query comes first.
                break
            case .synchronizable:
                passes = [value == .integer(1)]
                continue
            case .tombstone:
                tombstone = value
                continue
            case .accessible:
                conditions.append("pdmn = ?")
                arguments.append(String(decoding: value.content, as: UTF8.self))
                continue
            default:
                break
            }
            conditions.append("\(ItemSQL.column(name)) = ?")
            arguments.append(
                Data(try rows.digest(of: value, for: description, in: query.itemClass))
            )
        }
        conditions.append("tomb = ?")
        arguments.append(tombstone == .integer(1))
        if let group = query.attributes[.accessGroup] {
            try query.access.check(try AttributeKind.string.converted(group))
        } else if case .groups(let groups) = query.access {
            let places = Array(repeating: "?", count: groups.count).joined(separator: ", ")
            conditions.append("agrp IN (\(places))")
            for group in groups {
                arguments.append(Data(try rows.accessGroup(group, in: query.itemClass)))
            }
        }
        if let reference = query.persistentReference {
            guard try ItemQuery.itemClass(ofReference: reference) == query.itemClass else {
                throw .parameter
            }
            conditions.append("persistentReference = ?")
            arguments.append(Data(reference.dropFirst(4)))
        }
        self.arguments = arguments
        self.passes = passes
        sql = """
            SELECT \(ItemSQL.rowColumns), \(query.wantsAttributes ? "attributes" : "NULL"), \
            \(query.wantsSecret ? "secret" : "NULL") FROM \(query.itemClass.rawValue) \
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY id
            """
    }

    /// Calls the visitor with each row, until it answers false.
    ///
    /// The visitor must not change the table.
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

extension ItemQuery {
    fileprivate var passes: [Bool] {
        switch synchronizable {
        case .no: [false]
        case .yes: [true]
        case .any: [false, true]
        }
    }
}

extension ItemRows {
    func accessGroup(
        _ group: String,
        in itemClass: ItemClass
    ) throws(KeychainError) -> [UInt8] {
        try digest(
            of: AttributeValue.string(group).comparableForm(as: .string),
            in: itemClass,
            column: AttributeName.accessGroup.text
        )
    }
}
