internal import Foundation
package import GRDB
package import KSRecords
package import KSResolution
internal import KSSealing

/// All that a device has of its records, put together from the tables it is kept in.
package struct RecordShelf: Sendable {
    package let mirrors: MirrorTable
    package let outbox: OutboxTable
    package let batches: BatchTable

    package init(rows: SealedRows) {
        mirrors = MirrorTable(rows: rows)
        outbox = OutboxTable(rows: rows)
        batches = BatchTable(rows: rows)
    }

    /// What can be read of a record.
    package func load(_ record: RecordID, from database: Database) throws -> LocalRecord {
        try find(record, from: database).record
    }

    /// The records of a kind whose ids begin with these bytes, in their order.
    package func records(
        of kind: RecordKind,
        beginning prefix: [UInt8],
        in database: Database
    ) throws -> [RecordID] {
        let selections = ["mirror", "outbox", "batch_record"].map { table in
            "SELECT record FROM \(table) WHERE kind = ?1 AND substr(record, 1, ?2) = ?3"
        }
        return try Data.fetchAll(
            database,
            sql: selections.joined(separator: " UNION ") + " ORDER BY record",
            arguments: [kind.column, prefix.count, Data(prefix)]
        ).map { try RecordID(Array($0)).orCorrupt() }
    }

    /// A record as it was found.
    struct Found {
        var record: LocalRecord
        let mirror: MirrorRow?
        /// There are rows of it that cannot be read.
        let isMirrorDamaged: Bool
        let isWorkDamaged: Bool
        let isEditDamaged: Bool

        /// Whether it is not known what of it is on the server, or on its way there.
        var isHeldDamaged: Bool { isMirrorDamaged || isWorkDamaged }
    }

    func find(_ record: RecordID, from database: Database) throws -> Found {
        let mirror = try mirrors.find(record, from: database)
        return try find(record, mirror: mirror, from: database)
    }

    func find(
        _ record: RecordID,
        mirror: Kept<MirrorRow>,
        from database: Database
    ) throws -> Found {
        let edit = try outbox.find(record, from: database)
        let work = try batches.find(record, from: database)
        return Found(
            record: LocalRecord(
                mirror: mirror.value?.state,
                stub: mirror.value?.stub,
                onItsWay: work.value,
                edit: edit.value
            ),
            mirror: mirror.value,
            isMirrorDamaged: mirror.isDamaged,
            isWorkDamaged: work.isDamaged,
            isEditDamaged: edit.isDamaged
        )
    }
}
