internal import KSCausality
internal import KSDigests
internal import Foundation
internal import GRDB
package import KSRecords

extension SQLiteStore {
    /// A contact is noted again only after so long when it says nothing else that is new.
    private static let contactSeconds: UInt64 = 3600

    package func changes(_ request: ChangesRequest) throws(StoreError) -> ChangesPage {
        let (page, isNews) = try read { database in
            let account = try AccountRow.find(request.account, in: database)
            let member = try Row.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT applied_seq, last_contact_seconds, is_dormant FROM member
                        WHERE account = ? AND id = ?
                        """
                ),
                arguments: [account.number, request.member.data]
            )
            guard let member else { throw StoreError.refused }
            let appliedSeq = request.after?.seq ?? 0
            switch try request.after.map({ try account.standing(of: $0, in: database) }) {
            case .otherEpoch: throw StoreError.storeRestored
            case .neverGiven: throw StoreError.unknownCursor
            case .overtaken: throw StoreError.resyncRequired
            case .known, nil: break
            }
            let noted: (seq: UInt64, seconds: UInt64, isDormant: Bool) = (
                member[0], member[1], member[2]
            )
            let isNews =
                appliedSeq > noted.seq || noted.isDormant
                || clockSeconds() >= noted.seconds + Self.contactSeconds
            return (try self.page(of: account, for: request, in: database), isNews)
        }
        // On a full disk pulling must go on: it is how a device learns what it may delete.
        if isNews { try? noteContact(request) }
        return page
    }

    private func page(
        of account: AccountRow,
        for request: ChangesRequest,
        in database: Database
    ) throws -> ChangesPage {
        let statement = try database.cachedStatement(
            sql: """
                SELECT position, id, siblings, boxes FROM record
                WHERE position > ? AND position <= ?
                ORDER BY position
                """
        )
        let rows = try Row.fetchCursor(
            statement,
            arguments: [
                account.position(request.after?.seq ?? 0), account.position(account.seq),
            ]
        )
        var records: [ChangedRecord] = []
        var byteCount = 0
        var hasMore = false
        while let row = try rows.next() {
            let siblings: Data = row[2]
            let boxes: Data = row[3]
            byteCount += RecordID.byteCount + siblings.count + boxes.count
            // One record always fits, however large, else nobody could ever pull past it.
            let isFull = records.count >= request.recordsMax || byteCount > request.bytesMax
            if isFull, !records.isEmpty {
                hasMore = true
                break
            }
            let id = try RecordID(column: row[1])
            records.append(
                ChangedRecord(
                    recordID: id,
                    seq: account.seq(at: row[0]),
                    siblings: try Siblings(column: siblings).entries.map { entry in
                        entry.value.envelope(recordID: id, boxes: boxes)
                    }
                )
            )
        }
        let end = hasMore ? records.last?.seq : nil
        return ChangesPage(
            records: records,
            cursor: try account.cursor(at: end ?? account.seq, in: database),
            hasMore: hasMore,
            vector: try account.vector(in: database),
            circleVersion: account.circleVersion,
            heads: try heads(of: account, in: database)
        )
    }

    private func heads(of account: AccountRow, in database: Database) throws -> [[UInt8]] {
        let statement = try database.cachedStatement(
            sql: "SELECT box FROM head WHERE account = ? ORDER BY actor"
        )
        return try Data.fetchAll(statement, arguments: [account.number]).map(Array.init)
    }

    package func compareHistory(
        _ cursor: KSRecords.Cursor,
        of member: MemberID,
        in account: AccountID
    ) throws(StoreError) -> HistoryComparison {
        try write { database in
            let account = try AccountRow.find(account, in: database)
            guard try account.isMember(member, in: database) else { throw StoreError.refused }
            // A cursor of another epoch has been answered with `store_restored` already.
            guard case .neverGiven = try account.standing(of: cursor, in: database) else {
                return HistoryComparison(isKnown: true, epoch: account.epoch)
            }
            let epoch = StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
            try account.beginEpoch(epoch, in: database)
            return HistoryComparison(isKnown: false, epoch: epoch)
        }
    }

    /// To forget a contact does no harm: what a device has not said it applied is kept for longer.
    private func noteContact(_ request: ChangesRequest) throws(StoreError) {
        try writeLazily { database in
            let account = try AccountRow.find(request.account, in: database)
            // A new epoch may have begun since the page was read; its seqs are others.
            guard request.after.map({ $0.epoch == account.epoch }) ?? true else { return }
            try account.noteContact(
                of: request.member,
                appliedSeq: request.after?.seq ?? 0,
                nowSeconds: clockSeconds(),
                in: database
            )
        }
    }
}
