internal import Foundation
internal import GRDB
package import KSCausality
package import KSMerging
package import KSRecords
internal import KSWire

extension SQLiteStore {
    package func changes(_ request: ChangesRequest) throws(StoreError) -> PageAnswer {
        let (answer, isNews) = try read { database -> (PageAnswer, Bool) in
            let account = try AccountRow.find(request.account, in: database)
            guard let member = try account.member(request.member) else {
                throw StoreError.notMember
            }
            if let code = try refusal(of: request, by: account) { throw StoreError.refused(code) }
            let isNews = member.contact.isNews(
                appliedSeq: request.appliedSeq,
                nowSeconds: try database.servedSeconds()
            )
            return (try page(of: account, for: request), isNews)
        }
        // Pulls must work on a full disk, so a contact that cannot be saved is ignored.
        if isNews, request.isOfMember { try? noteContact(request) }
        return answer
    }

    private func refusal(
        of request: ChangesRequest,
        by account: AccountRow
    ) throws -> ErrorCode? {
        guard let cursor = request.after else {
            return account.standing.refusal(ofWholePullAfter: request.completeSeq)
        }
        return account.standing.refusal(
            of: cursor,
            tag: try account.tag(of: cursor.seq),
            completeSeq: request.completeSeq
        )
    }

    private func page(of account: AccountRow, for request: ChangesRequest) throws -> PageAnswer {
        let statement = try account.database.cachedStatement(
            sql: """
                SELECT position, id, siblings, boxes FROM record
                WHERE position > ? AND position <= ?
                ORDER BY position
                """
        )
        let rows = try Row.fetchCursor(
            statement,
            arguments: [
                account.position(request.after?.seq ?? 0), account.position(account.standing.seq),
            ]
        )
        var fill = PageFill(recordsMax: request.recordsMax, bytesMax: request.bytesMax)
        var records: [PageAnswer.Record] = []
        var last: UInt64 = 0
        var hasMore = false
        while let row = try rows.next() {
            let (siblings, boxes): (Data, Data) = (row[2], row[3])
            guard fill.takes(RecordID.byteCount + siblings.count + boxes.count) else {
                hasMore = true
                break
            }
            last = account.seq(at: row[0])
            do {
                records.append(try account.record(in: row))
            } catch is RecordsError {
                // It would stop every device of the account; they have it, and put it back when the
                // operator has the store repaired.
                whenLeftOut(LeftOutRow(account: account.id, seq: last))
            }
        }
        let end = hasMore ? last : nil
        return PageAnswer(
            records: records,
            cursor: try account.cursor(at: end ?? account.standing.seq),
            hasMore: hasMore,
            vector: try account.vector(),
            circleVersion: account.standing.circleVersion,
            usage: account.standing.usage(bytesMax: try account.bytesMax(quota)),
            accountSeq: account.standing.seq,
            removalHorizon: account.standing.removalHorizon
        )
    }

    package func compareHistory(
        _ cursor: KSRecords.Cursor,
        of member: MemberID,
        in account: AccountID
    ) throws(StoreError) -> HistoryComparison {
        try write { database in
            let account = try AccountRow.find(account, in: database)
            guard try account.member(member) != nil else { throw StoreError.notMember }
            let tag = try account.tag(of: cursor.seq)
            guard account.standing.hasLost(cursor, tag: tag) else {
                return HistoryComparison(isKnown: true, epoch: account.standing.epoch)
            }
            let epoch = newEpoch()
            try account.beginEpoch(epoch)
            return HistoryComparison(isKnown: false, epoch: epoch)
        }
    }

    package func raiseVector(
        to vector: VersionVector,
        epoch: StoreEpoch,
        by member: MemberID,
        of account: AccountID
    ) throws(StoreError) {
        try write { database in
            let account = try AccountRow.find(account, in: database)
            guard try account.member(member) != nil else { throw StoreError.notMember }
            let rising = try account.standing.raise(
                to: vector,
                epoch: epoch,
                present: try account.vector(),
                open: try account.openActors()
            )
            try account.raise(to: rising, by: member)
        }
    }

    /// Saves a contact; a lost one only means that deleted records are kept for longer.
    private func noteContact(_ request: ChangesRequest) throws(StoreError) {
        try writeLazily { database in
            let account = try AccountRow.find(request.account, in: database)
            // A new epoch, with other seqs, may have begun since the page was read.
            guard request.after.map({ $0.epoch == account.standing.epoch }) ?? true else { return }
            try account.noteContact(
                of: request.member,
                appliedSeq: request.appliedSeq,
                nowSeconds: database.servedSeconds()
            )
        }
    }
}
