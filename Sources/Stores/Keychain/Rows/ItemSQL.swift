/// The statements for one class's table.
///
/// Names of tables and columns come from ``ItemClass/attributes``; values are always bound.
struct ItemSQL: Sendable {
    /// The columns that ``StoredRow`` reads before the sealed ones.
    static let rowColumns = "id, row, persistentReference, pdmn, sync, tomb, revision, agrp"
    /// The sealed columns.
    static let sealedColumns = "attributes, secret, extras"
    /// The columns that a sealed item begins with, before its digests.
    static let sealedItemColumns = [
        "pdmn", "sync", "tomb", "revision", "primaryKey", "attributes", "secret", "extras",
    ]

    /// The attributes with a digest column, in the order in which they are bound.
    let digested: [AttributeDescription]
    let insert: String
    let update: String
    let delete: String
    let selectAll: String
    /// Without tombstones, secrets and hidden extras.
    let selectVisible: String
    let selectByPrimaryKey: String
    let selectByReference: String
    let quarantine: String
    let keepDeleted: String

    init(table: String, _ attributes: [AttributeDescription]) {
        digested = attributes.filter { $0.isSearchable && !$0.isInClear }
        let written =
            Self.sealedItemColumns
            + digested.map { Self.column($0.name) }
        let inserted = ["row", "persistentReference"] + written
        let places = Array(repeating: "?", count: inserted.count).joined(separator: ", ")
        insert = "INSERT INTO \(table) (\(inserted.joined(separator: ", "))) VALUES (\(places))"
        let assignments = written.map { "\($0) = ?" }.joined(separator: ", ")
        update = "UPDATE \(table) SET \(assignments) WHERE id = ?"
        delete = "DELETE FROM \(table) WHERE id = ?"
        selectAll = "SELECT \(Self.rowColumns), \(Self.sealedColumns) FROM \(table) ORDER BY id"
        selectVisible = """
            SELECT \(Self.rowColumns), attributes, NULL, NULL FROM \(table)
            WHERE tomb = 0 ORDER BY id
            """
        selectByPrimaryKey = """
            SELECT \(Self.rowColumns), \(Self.sealedColumns) FROM \(table) WHERE primaryKey = ?
            """
        selectByReference = """
            SELECT \(Self.rowColumns), \(Self.sealedColumns) FROM \(table)
            WHERE persistentReference = ?
            """
        quarantine = """
            INSERT INTO quarantine (origin, row, persistentReference, pdmn, sync, tomb, agrp,
                revision, attributes, secret, extras, quarantinedSeconds)
            SELECT '\(table)', row, persistentReference, pdmn, sync, tomb, agrp, revision,
                attributes, secret, extras, ? FROM \(table) WHERE id = ?
            """
        keepDeleted = """
            INSERT INTO deleted_item (origin, row, persistentReference, pdmn, sync, tomb, agrp,
                revision, primaryKey, attributes, secret, extras, deletedSeconds, keptSeconds)
            SELECT '\(table)', row, persistentReference, pdmn, sync, tomb, agrp, revision,
                primaryKey, attributes, secret, extras, ?, ? FROM \(table) WHERE id = ?
            """
    }

    static func column(_ name: AttributeName) -> String {
        "\"\(name.text)\""
    }
}
