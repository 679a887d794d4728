internal import Foundation
internal import GRDB
internal import KSRecords
internal import SwiftProtobuf
internal import KSWire

/// The rows of `circle_entry`: the chain that this device has checked, from genesis on.
enum CircleTable {
    static func load(from database: Database) throws -> [SignedEntry] {
        try Data.fetchAll(database, sql: "SELECT entry FROM circle_entry ORDER BY version").map {
            data in
            try WireSignedEntry(serializedBytes: data).value()
        }
    }

    /// Appends checked entries in order; the first one follows the last stored one.
    static func append(_ entries: [SignedEntry], in database: Database) throws {
        for entry in entries {
            let message: Data = try WireSignedEntry(entry).serializedBytes()
            try database.run(
                "INSERT INTO circle_entry (version, entry) VALUES (?, ?)",
                [try entry.entry().version.column, message]
            )
        }
    }
}
