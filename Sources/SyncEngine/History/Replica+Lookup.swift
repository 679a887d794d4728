internal import Foundation
internal import GRDB
internal import KSRecords

extension Replica {
    /// The items whose record ids begin with these bytes: what people name a record by.
    package func histories(beginning prefix: [UInt8]) throws -> [RecordHistory] {
        try database.read { database in
            let ids = try Data.fetchAll(
                database,
                sql: """
                    SELECT record FROM mirror WHERE substr(record, 1, ?1) = ?2
                    UNION SELECT record FROM outbox WHERE substr(record, 1, ?1) = ?2
                    UNION SELECT record FROM batch_record WHERE substr(record, 1, ?1) = ?2
                    ORDER BY record
                    """,
                arguments: [prefix.count, Data(prefix)]
            )
            return try ids.compactMap { id in
                try self.shelf.history(of: RecordID(Array(id)).orCorrupt(), in: database)
            }
        }
    }
}
