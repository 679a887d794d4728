internal import Foundation
internal import GRDB

/// A query as a statement over one table: what to compare, and with which digests.
struct RowSearch {
    let itemClass: ItemClass
    private let sql: String
    private let arguments: [any DatabaseValueConvertible]
    /// The values of `sync` to go through, in this order: items of this device first.
    private let passes: [Bool]

    /// - Throws: ``KeychainError/missingEntitlement`` when the caller has no group at all, then
    ///   what is wrong with the attributes, then ``KeychainError/missingEntitlement`` for a foreign
    ///   group.
    init(_ query: ItemQuery, rows: ItemRows) throws(KeychainError) {
        if case .groups(let groups) = query.access, groups.isEmpty { throw .missingEntitlement }
        var conditions = Conditions(passes: query.passes)
        for (name, given) in query.attributes.sorted(by: { $0.key < $1.key }) {
            let description = try query.itemClass.attribute(name)
            guard description.isSearchable else { throw .parameter }
            let value = try description.kind.converted(given)
            if description.isInClear {
                conditions.require(name, isInClear: value)
            } else {
                let digest = try rows.digest(of: value, for: description, in: query.itemClass)
                conditions.require(ItemSQL.column(name), Data(digest))
            }
        }
        try conditions.restrict(to: query, rows: rows)
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
        sql = """
            SELECT \(ItemSQL.rowColumns), \(query.wantsAttributes ? "attributes" : "NULL"), \
            \(query.wantsSecret ? "secret" : "NULL") FROM \(query.itemClass.rawValue) \
            WHERE \(conditions.terms.joined(separator: " AND ")) ORDER BY id
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

/// What a row must fulfil, as it is put together.
private struct Conditions {
    /// The first compares `sync`, which is bound anew in each pass.
    var terms = ["sync = ?"]
    var arguments: [any DatabaseValueConvertible] = []
    var passes: [Bool]
    var isTombstone = false

    init(passes: [Bool]) {
        self.passes = passes
    }

    mutating func require(_ column: String, _ value: any DatabaseValueConvertible) {
        terms.append("\(column) = ?")
        arguments.append(value)
    }

    mutating func require(_ name: AttributeName, isInClear value: AttributeValue) {
        switch name {
        case .synchronizable: passes = [value == .integer(1)]
        case .tombstone: isTombstone = value == .integer(1)
        default: require(ItemSQL.column(name), String(decoding: value.content, as: UTF8.self))
        }
    }

    /// Leaves nothing that the caller may not see.
    mutating func restrict(to query: ItemQuery, rows: ItemRows) throws(KeychainError) {
        if let group = query.attributes[.accessGroup] {
            try query.access.check(try AttributeKind.string.converted(group))
        } else if case .groups(let groups) = query.access {
            let places = Array(repeating: "?", count: groups.count).joined(separator: ", ")
            terms.append("agrp IN (\(places))")
            for group in groups {
                arguments.append(Data(try rows.accessGroup(group, in: query.itemClass)))
            }
        }
    }
}
