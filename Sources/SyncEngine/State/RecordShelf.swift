package import GRDB
package import Records
package import Resolution
internal import Sealing

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

    package func load(_ record: RecordID, from database: Database) throws -> LocalRecord {
        let mirror = try mirrors.load(record, from: database)
        return try load(record, mirror: mirror, from: database)
    }

    func load(
        _ record: RecordID,
        mirror: MirrorRow?,
        from database: Database
    ) throws -> LocalRecord {
        LocalRecord(
            mirror: mirror?.state,
            stub: mirror?.stub,
            onItsWay: try batches.work(of: record, in: database),
            edit: try outbox.load(record, from: database)
        )
    }
}
