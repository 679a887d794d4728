internal import KSCausality
internal import Foundation
internal import GRDB
internal import KSRecords
internal import SwiftProtobuf
internal import KSWire

/// Why a sibling is quarantined; a name is never used again for another reason.
package enum QuarantineReason: String, Error, CaseIterable {
    /// Only a newer program reads its format: update this client.
    case newerFormat
    /// Its format or key generation is below what the account still accepts.
    case retired
    /// It is sealed under a key that this device does not have.
    case keyMissing
    /// It was changed, or sealed with another key.
    case notAuthentic
    /// It opens, but holds no entry.
    case malformed
    /// It opens, but belongs to another record.
    case wrongRecord
    /// Its tombstone flag contradicts its content.
    case wrongFlag
    /// It is larger than any device makes one, or its store has no room for it.
    case tooLarge
}

/// The rows of `sibling_quarantine`: siblings that could not be opened.
///
/// The mirror has their dots. Their envelopes are kept as long as there is room: the server has
/// them too, and they are pulled again.
package enum Quarantine {
    /// How many envelopes are kept, and of how many bytes in all.
    package static let envelopesMax = 1000
    package static let bytesMax = 16 << 20

    static func save(
        _ envelope: Envelope,
        reason: QuarantineReason,
        isGivenUp: Bool = false,
        in database: Database
    ) throws {
        let message: Data = try WireEnvelope(envelope).serializedBytes()
        let room = try database.cachedStatement(
            sql: """
                SELECT count(*) < \(envelopesMax)
                    AND coalesce(sum(length(envelope)), 0) + ? <= \(bytesMax)
                FROM sibling_quarantine WHERE envelope IS NOT NULL
                """
        )
        let isKept = try Bool.fetchOne(room, arguments: [message.count]) ?? false
        try database.run(
            """
            INSERT OR REPLACE INTO sibling_quarantine
                (record, kind, actor, counter, reason, is_given_up, envelope)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                envelope.recordID.column, envelope.kind.column, envelope.dot.actor.column,
                envelope.dot.counter.column, reason.rawValue, isGivenUp, isKept ? message : nil,
            ]
        )
    }

    /// Forgets the record's siblings, before those that still do not open are saved again.
    static func clear(_ record: RecordID, in database: Database) throws {
        try database.run("DELETE FROM sibling_quarantine WHERE record = ?", [record.column])
    }

    /// Forgets siblings that a write of this device has replaced.
    static func delete(_ dots: [Dot], of record: RecordID, in database: Database) throws {
        for dot in dots {
            try database.run(
                "DELETE FROM sibling_quarantine WHERE record = ? AND actor = ? AND counter = ?",
                [record.column, dot.actor.column, dot.counter.column]
            )
        }
    }

    /// Lets the next edit of a record replace the siblings that are quarantined now.
    static func giveUp(_ record: RecordID, in database: Database) throws {
        try database.run(
            "UPDATE sibling_quarantine SET is_given_up = 1 WHERE record = ?",
            [record.column]
        )
    }

    static func giveUp(_ dot: Dot, of record: RecordID, in database: Database) throws {
        try database.run(
            """
            UPDATE sibling_quarantine SET is_given_up = 1
            WHERE record = ? AND actor = ? AND counter = ?
            """,
            [record.column, dot.actor.column, dot.counter.column]
        )
    }

    /// The siblings of a record that its user gave up.
    static func givenUp(of record: RecordID, in database: Database) throws -> Set<Dot> {
        let rows = try database.rows(
            "SELECT actor, counter FROM sibling_quarantine WHERE record = ? AND is_given_up = 1",
            [record.column]
        )
        return Set(try rows.map { Dot(actor: try $0.actor(), counter: try $0.unsigned("counter")) })
    }

    static func isEmpty(in database: Database) throws -> Bool {
        try !database.hasRow("SELECT 1 FROM sibling_quarantine")
    }

    /// The records in the order of their ids, each once for each reason.
    static func records(in database: Database) throws -> [OpenRecords.Record<QuarantineReason>] {
        try database.rows(
            "SELECT DISTINCT record, reason FROM sibling_quarantine ORDER BY record, reason"
        ).map { row in
            OpenRecords.Record(
                record: try row.fixed("record"),
                reason: QuarantineReason(rawValue: row["reason"]) ?? .malformed
            )
        }
    }

    /// How many siblings are quarantined for each reason, in the order of ``QuarantineReason``.
    static func counts(in database: Database) throws -> [(reason: QuarantineReason, count: Int)] {
        let rows = try database.rows(
            "SELECT reason, count(*) AS count FROM sibling_quarantine GROUP BY reason"
        )
        return QuarantineReason.allCases.compactMap { reason in
            rows.first { $0["reason"] == reason.rawValue }.map { (reason, $0["count"]) }
        }
    }
}
