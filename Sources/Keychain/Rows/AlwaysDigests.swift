internal import Foundation
internal import GRDB

// Rows of the two Always classes have to be found before the first unlock, when the keys of the
// search columns are not there: they have a second set of digests under the device's own secret.

extension Accessibility {
    static let alwaysClasses: [Accessibility] = [.always, .alwaysThisDeviceOnly]

    var isAlways: Bool { Self.alwaysClasses.contains(self) }
}

extension ItemRows {
    /// What `always_digest` holds of an item; nothing for most.
    func alwaysDigests(of item: Item) throws(KeychainError) -> [(column: String, digest: [UInt8])] {
        guard item.accessibility.isAlways else { return [] }
        var digests: [(column: String, digest: [UInt8])] = []
        for description in ItemSQL.of(item.itemClass).digested {
            let form =
                item.attributes[description.name]?.comparableForm(as: description.kind)
                ?? description.absentForm
            guard let form else { continue }
            let column = description.name.text
            let digest = try digesting.alwaysReadableDigest(
                type: form.type,
                value: form.bytes,
                table: item.itemClass.rawValue,
                column: column
            )
            digests.append((column, digest))
        }
        return digests
    }
}

extension Keychain {
    /// Writes the second set of a row anew.
    func saveAlwaysDigests(
        _ sealed: ItemRows.SealedItem,
        of itemClass: ItemClass,
        row: [UInt8],
        in database: Database
    ) throws {
        try removeAlwaysDigests(row, in: database)
        guard !sealed.alwaysDigests.isEmpty else { return }
        let statement = try database.cachedStatement(
            sql: "INSERT INTO always_digest (row, origin, attribute, digest) VALUES (?, ?, ?, ?)"
        )
        for (column, digest) in sealed.alwaysDigests {
            try statement.execute(arguments: [
                row.databaseValue, itemClass.rawValue, column, digest.databaseValue,
            ])
        }
    }

    func removeAlwaysDigests(_ row: [UInt8], in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "DELETE FROM always_digest WHERE row = ?"
        )
        try statement.execute(arguments: [row.databaseValue])
    }

    /// Gives a second set to rows that an older version wrote.
    package func completeAlwaysDigests() throws(KeychainError) {
        try write { database in
            for itemClass in ItemClass.allCases {
                for stored in try rowsWithoutAlwaysDigests(itemClass, in: database) {
                    guard let item = try open(stored) else { continue }
                    let sealed = try rows.seal(item, row: stored.row)
                    try overwrite(stored, with: sealed, in: database)
                }
            }
        }
    }

    private func rowsWithoutAlwaysDigests(
        _ itemClass: ItemClass,
        in database: Database
    ) throws -> [StoredRow] {
        let table = itemClass.rawValue
        let classes = Accessibility.alwaysClasses.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return try StoredRow.all(
            """
            SELECT \(ItemSQL.rowColumns), attributes, secret FROM \(table)
            WHERE pdmn IN (\(classes)) AND NOT EXISTS
                (SELECT 1 FROM always_digest WHERE always_digest.row = \(table).row)
            """,
            of: itemClass,
            in: database
        )
    }
}
