internal import KSCausality
internal import Foundation
package import GRDB
package import KSRecords
internal import KSSealing
internal import SwiftProtobuf
internal import KSWire

/// Why a sibling could not be opened: a name is never given to anything else.
package enum QuarantineReason: String, Sendable, CaseIterable {
    /// It is of a format that only a newer program reads: update this client.
    case newerFormat
    /// Its format or key generation is below what the account still accepts.
    case retired
    /// It is sealed under a key that this device does not have.
    case keyMissing
    /// It was changed, or sealed with another key.
    case notAuthentic
    /// It opens, but holds no item.
    case malformed
    /// It opens, but belongs to another record.
    case wrongRecord
    /// Its tombstone flag says another thing than its content.
    case wrongFlag
}

/// The rows of `sibling_quarantine`: siblings that could not be opened, as they came.
package enum Quarantine {
    package static func save(
        _ envelope: Envelope,
        reason: QuarantineReason,
        in database: Database
    ) throws {
        let message: Data = try WireEnvelope(envelope).serializedBytes()
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO sibling_quarantine (record, actor, counter, reason, envelope)
                VALUES (?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            Data(envelope.recordID.bytes), Data(envelope.dot.actor.bytes),
            Int64(envelope.dot.counter), reason.rawValue, message,
        ])
    }

    /// Forgets the record's siblings that are no longer on the server or can be opened by now.
    package static func clear(_ record: RecordID, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "DELETE FROM sibling_quarantine WHERE record = ?"
        )
        try statement.execute(arguments: [Data(record.bytes)])
    }

    /// How many there are, by reason, in the order of ``QuarantineReason``.
    package static func counts(
        in database: Database
    ) throws -> [(reason: QuarantineReason, count: Int)] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT reason, count(*) AS count FROM sibling_quarantine GROUP BY reason"
        )
        return QuarantineReason.allCases.compactMap { reason in
            rows.first { $0["reason"] == reason.rawValue }.map { (reason, $0["count"]) }
        }
    }
}
