internal import GRDB

/// A query over one table: which statement answers it, and with which digests.
///
/// Before the first unlock only rows of the two Always classes can be found.
struct RowSearch: Equatable, Sendable {
    private var shape: SearchShape
    private var values: [BoundValue] = []
    /// The values to bind where only values in the clear are compared.
    private var clearValues: [BoundValue] = []
    /// The values of `sync` to search in turn: non-synchronizable items first.
    private var passes: [Bool]

    /// - Throws: ``KeychainError/missingEntitlement`` if the caller has no group, then errors of
    ///   the attributes, then ``KeychainError/missingEntitlement`` for a foreign group.
    init(_ query: KeychainQuery, rows: ItemRows) throws(ItemStoreError) {
        do throws(ItemStoreError) {
            try self.init(query, rows: rows, isAlwaysOnly: false)
        } catch .interactionNotAllowed {
            try self.init(query, rows: rows, isAlwaysOnly: true)
        }
    }

    private init(_ query: KeychainQuery, rows: ItemRows, isAlwaysOnly: Bool) throws(ItemStoreError)
    {
        if case .groups(let groups) = query.access, groups.isEmpty { throw .missingEntitlement }
        shape = SearchShape(query, isAlwaysOnly: isAlwaysOnly)
        passes =
            switch query.synchronizable {
            case .no: [false]
            case .yes: [true]
            case .any: [false, true]
            }
        var isTombstone = false
        for (name, given) in query.attributes.sorted(by: { $0.key < $1.key }) {
            let description = try query.itemClass.attribute(name)
            guard description.isSearchable else { throw .parameter }
            let value = try description.kind.converted(given)
            switch name {
            case .synchronizable: passes = [value == .integer(1)]
            case .tombstone: isTombstone = value == .integer(1)
            case _ where description.isInClear:
                require(.clear(name), .text(String(decoding: value.content, as: UTF8.self)))
            default:
                try require(name, among: [value.comparableForm(as: description.kind)], rows)
            }
        }
        // Excludes the items that the caller may not see.
        if let group = query.attributes[.accessGroup] {
            try query.access.check(try AttributeKind.string.converted(group))
        } else if case .groups(let groups) = query.access {
            let forms = groups.map { AttributeValue.string($0).comparableForm(as: .string) }
            try require(.accessGroup, among: forms, rows)
        }
        if let reference = query.persistentReference {
            guard try KeychainQuery.itemClass(ofReference: reference) == query.itemClass else {
                throw .parameter
            }
            require(.reference, .bytes(Array(reference.dropFirst(4))))
        }
        shape.terms.append(.tombstone(isTombstone))
    }

    private mutating func require(_ term: SearchShape.Term, _ value: BoundValue) {
        shape.terms.append(term)
        values.append(value)
        clearValues.append(value)
    }

    /// Requires that the search column of this name holds the digest of one of the values.
    private mutating func require(
        _ name: AttributeName,
        among forms: [ComparableForm],
        _ rows: ItemRows
    ) throws(ItemStoreError) {
        let isAlwaysOnly = shape.isAlwaysOnly
        shape.terms.append(.digest(name, count: forms.count))
        if isAlwaysOnly { values.append(.text(name.text)) }
        for form in forms {
            let digest = try rows.digest(
                of: form,
                in: shape.itemClass,
                name,
                isAlwaysReadable: isAlwaysOnly
            )
            values.append(.bytes(digest))
        }
    }

    /// Whether one statement answers it.
    var isOneStatement: Bool { passes.count == 1 && !shape.isAlwaysOnly }

    /// A number that differs between nearly all searches: digests are as good as random.
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
    /// - Throws: ``KeychainError/interactionNotAllowed`` if the visitor wants rows that cannot be
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
                throw ItemStoreError.interactionNotAllowed
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
