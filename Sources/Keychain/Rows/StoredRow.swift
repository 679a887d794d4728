internal import Foundation
internal import GRDB

/// A row as it lies in its table, its halves sealed.
struct StoredRow {
    let itemClass: ItemClass
    let id: Int64
    let row: [UInt8]
    /// 16 bytes, without the class.
    let reference: [UInt8]
    let accessibility: Accessibility
    let isSynchronizable: Bool
    let isTombstone: Bool
    let revision: [UInt8]
    let accessGroup: [UInt8]
    /// Nil when the half was not selected.
    let attributes: [UInt8]?
    let secret: [UInt8]?

    /// Reads the columns of ``ItemSQL/rowColumns``, then the two halves.
    ///
    /// - Throws: ``KeychainError/fileDamaged`` for letters that no protection class has, which the
    ///   table's own checks keep out.
    init(_ row: Row, of itemClass: ItemClass) throws(KeychainError) {
        self.itemClass = itemClass
        id = row[0]
        self.row = try Self.bytes(row, 1)
        reference = try Self.bytes(row, 2)
        guard let accessibility = Accessibility(rawValue: row[3]) else { throw .fileDamaged }
        self.accessibility = accessibility
        isSynchronizable = row[4]
        isTombstone = row[5]
        revision = try Self.bytes(row, 6)
        accessGroup = try Self.bytes(row, 7)
        attributes = row.hasNull(atIndex: 8) ? nil : try Self.bytes(row, 8)
        secret = row.hasNull(atIndex: 9) ? nil : try Self.bytes(row, 9)
    }

    /// Copied once, from where SQLite has them.
    private static func bytes(_ row: Row, _ index: Int) throws(KeychainError) -> [UInt8] {
        do {
            return try row.withUnsafeData(atIndex: index) { data in data.map { [UInt8]($0) } ?? [] }
        } catch {
            throw .fileDamaged
        }
    }

    var persistentReference: [UInt8] {
        Array(itemClass.rawValue.utf8) + reference
    }

    func context(_ part: ItemRowContext.Part) -> ItemRowContext {
        ItemRowContext(
            row: row,
            part: part,
            table: itemClass.rawValue,
            accessibility: accessibility,
            accessGroup: accessGroup,
            revision: revision
        )
    }
}
