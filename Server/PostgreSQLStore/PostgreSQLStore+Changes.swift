package import KSCausality
package import KSMerging
package import KSRecords
package import KSStore
internal import KSWire

extension PostgreSQLStore {
    package func changes(_ request: ChangesRequest) throws(StoreError) -> PageAnswer {
        let now = try servedSeconds()
        let account = request.account
        let (answer, isNews) = try transaction(.reading) { transaction -> (PageAnswer, Bool) in
            let answers = try transaction.run(
                .accountWithTag(account),
                .member(request.member, of: account),
                .tag(of: request.after?.seq ?? 0, in: account),
                .vector(of: account),
                .page(
                    of: account,
                    after: request.after?.seq ?? 0,
                    recordsMax: request.recordsMax,
                    bytesMax: request.bytesMax
                )
            )
            let row = try AccountSnapshot(answers[0])
            guard let member = try answers[1].member() else { throw StoreError.notMember }
            if let code = try refusal(of: request, by: row, tag: answers[2]) {
                throw StoreError.refused(code)
            }
            let isNews = member.contact.isNews(appliedSeq: request.appliedSeq, nowSeconds: now)
            let page = try page(
                of: row,
                for: request,
                answers[4],
                vector: try answers[3].vector(),
                nowSeconds: now,
                in: transaction
            )
            return (page, isNews)
        }
        // Pulls must work on a full disk, so a contact that cannot be saved is ignored.
        if isNews, request.isOfMember { try? noteContact(request, nowSeconds: now) }
        return answer
    }

    private func refusal(
        of request: ChangesRequest,
        by account: AccountSnapshot,
        tag: Rows
    ) throws -> ErrorCode? {
        guard let cursor = request.after else {
            return account.standing.refusal(ofWholePullAfter: request.completeSeq)
        }
        return account.standing.refusal(
            of: cursor,
            tag: try account.tag(of: cursor.seq, in: tag),
            completeSeq: request.completeSeq
        )
    }

    private func page(
        of account: AccountSnapshot,
        for request: ChangesRequest,
        _ rows: Rows,
        vector: VersionVector,
        nowSeconds: UInt64,
        in transaction: Transaction
    ) throws -> PageAnswer {
        var fill = PageFill(recordsMax: request.recordsMax, bytesMax: request.bytesMax)
        var records: [PageAnswer.Record] = []
        var last: UInt64?
        var hasMore = false
        for row in rows.rows {
            let byteCount = try row.bytes(2).count + row.bytes(3).count
            guard fill.takes(RecordID.byteCount + byteCount) else {
                hasMore = true
                break
            }
            let seq: UInt64 = try row.integer(0)
            last = seq
            do {
                records.append(try row.record())
            } catch is RecordsError {
                // It would stop every device of the account; they have it, and put it back when the
                // operator has the store repaired.
                whenLeftOut(LeftOutRow(account: account.id, seq: seq))
            }
        }
        var cursor = try account.newestCursor
        if hasMore, let end = last {
            let tags = try transaction.run(.tag(of: end, in: account.id))
            guard let tag = try account.tag(of: end, in: tags[0]) else { throw StoreError.damaged }
            cursor = Cursor(epoch: cursor.epoch, seq: end, tag: tag)
        }
        let standing = account.standing
        return PageAnswer(
            records: records,
            cursor: cursor,
            hasMore: hasMore,
            vector: vector,
            circleVersion: standing.circleVersion,
            usage: standing.usage(bytesMax: account.bytesMax(quota, nowSeconds: nowSeconds)),
            accountSeq: standing.seq,
            removalHorizon: standing.removalHorizon
        )
    }

    /// Saves a contact; a lost one only means that deleted records are kept for longer.
    private func noteContact(
        _ request: ChangesRequest,
        nowSeconds: UInt64
    ) throws(StoreError) {
        try transaction(.lazy) { transaction in
            transaction.later(
                .noteContact(
                    of: request.member,
                    appliedSeq: request.appliedSeq,
                    // A new epoch, with other seqs, may have begun since the page was read.
                    epoch: request.after?.epoch,
                    in: request.account,
                    nowSeconds: nowSeconds
                )
            )
        }
    }

    package func compareHistory(
        _ cursor: Cursor,
        of member: MemberID,
        in account: AccountID
    ) throws(StoreError) -> HistoryComparison {
        let now = try servedSeconds()
        return try transaction { transaction in
            let answers = try transaction.run(
                .lockAccount(account),
                .member(member, of: account),
                .tag(of: cursor.seq, in: account)
            )
            let row = try AccountSnapshot(answers[0])
            guard answers[1].first != nil else { throw StoreError.notMember }
            let tag = try row.tag(of: cursor.seq, in: answers[2])
            guard row.standing.hasLost(cursor, tag: tag) else {
                return HistoryComparison(isKnown: true, epoch: row.standing.epoch)
            }
            let epoch = newEpoch()
            transaction.begin(epoch, of: account, nowSeconds: now)
            return HistoryComparison(isKnown: false, epoch: epoch)
        }
    }

    package func raiseVector(
        to vector: VersionVector,
        epoch: StoreEpoch,
        by member: MemberID,
        of account: AccountID
    ) throws(StoreError) {
        try transaction { transaction in
            let answers = try transaction.run(
                .lockAccount(account),
                .member(member, of: account),
                .vector(of: account),
                .openActors(of: account)
            )
            let row = try AccountSnapshot(answers[0])
            guard answers[1].first != nil else { throw StoreError.notMember }
            let rising = try row.standing.raise(
                to: vector,
                epoch: epoch,
                present: try answers[2].vector(),
                open: Set(try answers[3].rows.map { try $0.actor(0) })
            )
            guard !rising.entries.isEmpty else { return }
            transaction.later(.raise(to: rising, by: member, of: account))
        }
    }

    /// One stored record, for people who want to see what the server holds.
    ///
    /// `seq`: nil for the newest record.
    /// - Returns: nil if there is no such record.
    package func record(
        of account: AccountID,
        seq: UInt64?
    ) throws(StoreError) -> PageAnswer.Record? {
        let rows = try run(.record(upTo: seq ?? .max, of: account))
        let record = try rethrowing { try rows[0].first?.record() }
        return seq == nil || record?.seq == seq ? record : nil
    }
}
