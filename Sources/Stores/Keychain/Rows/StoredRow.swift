internal import KSBytes
internal import KSDeviceKeys
internal import KSSealing
internal import GRDB

/// A row of a table, its halves sealed.
struct StoredRow {
    let itemClass: ItemClass
    let id: Int64
    let row: [UInt8]
    /// 16 bytes, without the class.
    let reference: [UInt8]
    let accessibility: ProtectionClass
    let isSynchronizable: Bool
    let isTombstone: Bool
    let revision: [UInt8]
    let accessGroup: [UInt8]
    /// Nil when the half was not selected.
    let attributes: [UInt8]?
    let secret: [UInt8]?
    /// Nil also if the item has no hidden extra.
    let extras: [UInt8]?

    /// Reads the columns of ``ItemSQL/rowColumns``, then the sealed ones.
    ///
    /// - Throws: ``KeychainError/fileDamaged`` for an unknown protection class, which the table's
    ///   own checks keep out.
    init(_ row: FastRow, of itemClass: ItemClass) throws(ItemStoreError) {
        self.itemClass = itemClass
        id = row.integer(0)
        self.row = row.bytes(1)
        reference = row.bytes(2)
        guard
            let accessibility = ProtectionClass(
                letters: String(decoding: row.bytes(3), as: UTF8.self)
            )
        else { throw .fileDamaged }
        self.accessibility = accessibility
        isSynchronizable = row.integer(4) != 0
        isTombstone = row.integer(5) != 0
        revision = row.bytes(6)
        accessGroup = row.bytes(7)
        attributes = row.isNull(8) ? nil : row.bytes(8)
        secret = row.isNull(9) ? nil : row.bytes(9)
        extras = row.isNull(10) ? nil : row.bytes(10)
    }

    /// All rows of a statement that selects what the initializer reads.
    static func all(
        _ sql: String,
        _ values: [BoundValue] = [],
        of itemClass: ItemClass,
        in database: Database
    ) throws -> [StoredRow] {
        var found: [StoredRow] = []
        try FastSelect(sql, in: database).visit(values) { row in
            found.append(try StoredRow(row, of: itemClass))
            return true
        }
        return found
    }

    var persistentReference: [UInt8] { itemClass.letters + reference }

    /// How the row is reported if it cannot be opened.
    var unreadable: UnreadableRow {
        UnreadableRow(itemClass: itemClass, persistentReference: persistentReference)
    }

    func context(_ part: RowContext.Part) -> RowContext {
        RowContext(
            rowID: row,
            part: part,
            table: itemClass.rawValue,
            protectionClass: accessibility,
            accessGroup: String(hexadecimal: accessGroup),
            revision: revision
        )
    }
}

/// The result of opening a row.
enum OpenedRow {
    case item(Item)
    /// Its protection class is locked, so it may be sound.
    case locked
    /// It was changed, or contradicts itself.
    case damaged

    /// The item; nil if the row is locked or damaged.
    var item: Item? { if case .item(let item) = self { item } else { nil } }
}
