package import GRDB
package import KSDigests
internal import KSRecords
package import KSResolution
package import KSSealing

/// The rows of `unsent_item`: what a device without an account knows of its items beside their
/// values.
///
/// Rows are found by opening all of them, since their keys are sealed: nothing but a backup, a
/// restore and a login uses them.
package struct UnsentItemTable: Sendable {
    private let rows: SealedRows
    private let random: any RandomSource

    package init(rows: SealedRows, random: any RandomSource) {
        self.rows = rows
        self.random = random
    }

    /// The edits by their items' canonical keys; a damaged row counts as none.
    package func edits(in database: Database) throws -> [[UInt8]: PendingEdit] {
        try readable(in: database).mapValues(\.edit)
    }

    package func save(
        _ edits: [(key: [UInt8], edit: PendingEdit, protection: ProtectionClass)],
        in database: Database
    ) throws {
        let known = try readable(in: database)
        for (key, edit, protection) in edits {
            let record = known[key]?.record ?? RecordID(validated: random.bytes(32))
            var encoder = CanonicalEncoder()
            encoder.bytes(key)
            encoder.bytes(edit.encoded)
            let sealed = try rows.seal(
                encoder.encoded,
                table: .unsentItem,
                record: record,
                protection: protection
            )
            try database.run(
                "INSERT OR REPLACE INTO unsent_item (record, protection, edit, revision)"
                    + " VALUES (?, ?, ?, ?)",
                [
                    record.column, protection.column, sealed.box.column, sealed.revision.column,
                ]
            )
        }
    }

    package func deleteAll(in database: Database) throws {
        try database.run("DELETE FROM unsent_item")
    }

    private func readable(
        in database: Database
    ) throws -> [[UInt8]: (record: RecordID, edit: PendingEdit)] {
        var edits: [[UInt8]: (record: RecordID, edit: PendingEdit)] = [:]
        let selected = try database.rows("SELECT * FROM unsent_item ORDER BY record")
        for row in selected {
            let record: RecordID = try row.fixed("record")
            let opened = try Kept {
                let text = try rows.open(
                    .init(box: row.bytes("edit"), revision: row.bytes("revision")),
                    table: .unsentItem,
                    record: record,
                    protection: ProtectionClass(column: row["protection"])
                )
                var decoder = CanonicalDecoder(text)
                let (key, edit) = (try decoder.bytes(), try decoder.bytes())
                try decoder.end()
                return (key, try PendingEdit(decoding: edit))
            }
            if case .kept(let (key, edit)) = opened { edits[key] = (record, edit) }
        }
        return edits
    }
}
