internal import Foundation
internal import GRDB
internal import KSRecords

/// How a cursor that a device brings stands to an account's history.
enum CursorStanding {
    case known
    /// Given in another life of the store.
    case otherEpoch
    /// This history never gave it: the store went back behind it.
    case neverGiven
    /// Older than what was removed since.
    case overtaken
}

extension AccountRow {
    func standing(of cursor: KSRecords.Cursor, in database: Database) throws -> CursorStanding {
        guard cursor.epoch == epoch else { return .otherEpoch }
        guard cursor.seq <= seq, try tag(of: cursor.seq, in: database) == cursor.tag else {
            return .neverGiven
        }
        return cursor.seq < removalHorizon ? .overtaken : .known
    }

    /// The cursor of a seq that the account has reached.
    func cursor(at seq: UInt64, in database: Database) throws -> KSRecords.Cursor {
        guard let tag = try tag(of: seq, in: database) else { throw StoreError.damaged }
        return KSRecords.Cursor(epoch: epoch, seq: seq, tag: tag)
    }

    private func tag(of seq: UInt64, in database: Database) throws -> CommitTag? {
        guard seq > 0 else { return .start }
        let statement = try database.cachedStatement(
            sql: "SELECT tag FROM commit_tag WHERE account = ? AND seq >= ? ORDER BY seq LIMIT 1"
        )
        return try Data.fetchOne(statement, arguments: [number, seq])
            .map(CommitTag.init(column:))
    }

    /// Notes that a member was here, and up to where it has durably applied.
    ///
    /// A cursor never takes back what an earlier one said.
    func noteContact(
        of member: MemberID,
        appliedSeq: UInt64,
        nowSeconds: UInt64,
        in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE member
                SET applied_seq = max(applied_seq, ?), last_contact_seconds = ?, is_dormant = 0
                WHERE account = ? AND id = ?
                """
        )
        try statement.execute(arguments: [appliedSeq, nowSeconds, number, member.data])
    }
}
