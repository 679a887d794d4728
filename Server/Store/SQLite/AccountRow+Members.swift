internal import Foundation
internal import GRDB
internal import KSMerging
internal import KSRecords

extension AccountRow {
    /// The member, if the circle's newest entry names it.
    func member(_ id: MemberID) throws -> (kind: UInt64, contact: MemberContact)? {
        let row = try database.row(
            """
            SELECT kind, applied_seq, last_contact_seconds, is_dormant FROM member
            WHERE account = ? AND id = ?
            """,
            [number, id.data]
        )
        return row.map { row in
            (row[0], MemberContact(appliedSeq: row[1], seconds: row[2], isDormant: row[3]))
        }
    }

    /// Saves a member's contact, and the seq up to which it has durably applied, which never falls.
    func noteContact(of member: MemberID, appliedSeq: UInt64, nowSeconds: UInt64) throws {
        try database.run(
            """
            UPDATE member
            SET applied_seq = max(applied_seq, ?), last_contact_seconds = ?, is_dormant = 0
            WHERE account = ? AND id = ?
            """,
            [appliedSeq, nowSeconds, number, member.data]
        )
    }

    /// Deletes former members, adds new ones, and keeps the rows of the others.
    func replaceMembers(with members: [Member], nowSeconds: UInt64) throws {
        let staying = Set(members.map(\.id.data))
        let present = try database.rows(
            "SELECT id FROM member WHERE account = ? ORDER BY id",
            [number]
        ).map { $0[0] as Data }
        for id in present where !staying.contains(id) {
            try database.run("DELETE FROM member WHERE account = ? AND id = ?", [number, id])
        }
        for member in members {
            try database.run(
                """
                INSERT INTO member (account, id, kind, last_contact_seconds) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
                [number, member.id.data, member.kind.rawValue, nowSeconds]
            )
        }
    }
}
