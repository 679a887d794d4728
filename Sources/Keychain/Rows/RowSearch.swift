internal import GRDB

/// A query over one table: which statement answers it, and with which digests.
///
/// Before the first unlock only rows of the two Always classes can be found.
struct RowSearch: Equatable, Sendable {
    private let shape: SearchShape
    private let values: [BoundValue]
    /// The values to bind where only values in the clear are compared.
    private let clearValues: [BoundValue]
    /// The values of `sync` to search in turn: non-synchronizable items first.
    private let passes: [Bool]

    /// - Throws: ``KeychainError/missingEntitlement`` if the caller has no group, then errors of
    ///   the attributes, then ``KeychainError/missingEntitlement`` for a foreign group.
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
                try conditions.require(name, among: [form])
            }
        }
        try conditions.restrict(to: query)
        if let reference = query.persistentReference {
            guard try ItemQuery.itemClass(ofReference: reference) == query.itemClass else {
                throw .parameter
            }
            conditions.require(.reference, .bytes(Array(reference.dropFirst(4))))
        }
        conditions.require(.tombstone, .boolean(conditions.isTombstone))
        shape = conditions.shape
        values = conditions.values
        clearValues = conditions.clearValues
        passes = conditions.passes
    }

    /// Whether one statement answers it.
    var isOneStatement: Bool { passes.count == 1 && !shape.isAlwaysOnly }

    /// A number that tells nearly all searches apart: digests are as good as random.
    var fingerprint: UInt64 {
        var fingerprint: UInt64 = 0
        for case .bytes(let digest) in values {
            let start = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // Rotated, so that two equal digests do not cancel out.
            fingerprint = (fingerprint << 1 | fingerprint >> 63) ^ start
        }
        return fingerprint
    }

    /// Calls the visitor with each row, until it returns false.
    ///
    /// The visitor must not change the table.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` when the visitor wants more than can be
    ///   searched before the first unlock.
    func visit(in database: Database, _ visitor: (StoredRow) throws -> Bool) throws {
        var isSatisfied = false
        var openPasses: [Bool] = []
        for pass in passes {
            var hasFound = false
            let select = try FastSelect(shape.sql, in: database)
            try select.visit([.boolean(pass)] + values) { row in
                hasFound = true
                isSatisfied = !(try visitor(try StoredRow(row, of: shape.itemClass)))
                return !isSatisfied
            }
            if isSatisfied { return }
            // Before the first unlock, a search that names one item needs no other row.
            guard shape.isAlwaysOnly, !(hasFound && shape.namesOneItem) else { continue }
            openPasses.append(pass)
        }
        try checkNothingIsHidden(openPasses, in: database)
    }

    /// Throws if there is a row of another class, which may or may not match.
    private func checkNothingIsHidden(_ passes: [Bool], in database: Database) throws {
        for pass in passes {
            let select = try FastSelect(shape.hiddenSQL, in: database)
            try select.visit([.boolean(pass)] + clearValues) { _ in
                throw KeychainError.interactionNotAllowed
            }
        }
    }

    /// All rows at once, so that the caller may change them.
    func all(in database: Database) throws -> [StoredRow] {
        var found: [StoredRow] = []
        try visit(in: database) { row in
            found.append(row)
            return true
        }
        return found
    }
}

/// Builds the conditions that a row must fulfil.
private struct Conditions {
    private let rows: ItemRows
    private(set) var shape: SearchShape
    private(set) var values: [BoundValue] = []
    /// The values that need no digest.
    private(set) var clearValues: [BoundValue] = []
    private(set) var passes: [Bool]
    private(set) var isTombstone = false

    init(_ query: ItemQuery, rows: ItemRows, isAlwaysOnly: Bool) {
        self.rows = rows
        shape = SearchShape(query, isAlwaysOnly: isAlwaysOnly)
        passes = query.passes
    }

    mutating func require(_ term: SearchShape.Term, _ value: BoundValue) {
        shape.terms.append(term)
        values.append(value)
        clearValues.append(value)
    }

    mutating func require(_ name: AttributeName, isInClear value: AttributeValue) {
        switch name {
        case .synchronizable: passes = [value == .integer(1)]
        case .tombstone: isTombstone = value == .integer(1)
        default:
            require(.clear(name), .text(String(decoding: value.content, as: UTF8.self)))
        }
    }

    /// Requires that the search column of this name holds the digest of one of the values.
    mutating func require(
        _ name: AttributeName,
        among forms: [ComparableForm]
    ) throws(KeychainError) {
        shape.terms.append(.digest(name, count: forms.count))
        let column = name.text
        if shape.isAlwaysOnly { values.append(.text(column)) }
        for form in forms {
            values.append(.bytes(try digest(of: form, column: column)))
        }
    }

    private func digest(
        of form: ComparableForm,
        column: String
    ) throws(KeychainError) -> [UInt8] {
        guard shape.isAlwaysOnly else {
            return try rows.digest(of: form, in: shape.itemClass, column: column)
        }
        return try rows.digesting.alwaysReadableDigest(
            type: form.type,
            value: form.bytes,
            table: shape.itemClass.rawValue,
            column: column
        )
    }

    /// Excludes the items that the caller may not see.
    mutating func restrict(to query: ItemQuery) throws(KeychainError) {
        if let group = query.attributes[.accessGroup] {
            try query.access.check(try AttributeKind.string.converted(group))
        } else if case .groups(let groups) = query.access {
            let forms = groups.map { AttributeValue.string($0).comparableForm(as: .string) }
            try require(.accessGroup, among: forms)
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
