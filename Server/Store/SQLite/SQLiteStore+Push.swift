internal import GRDB
internal import KSCausality
internal import KSDigests
package import KSMerging
package import KSRecords
internal import KSWire

extension SQLiteStore {
    package func push(_ requests: [PushRequest]) -> [Result<PushAnswer, StoreError>] {
        // Hashing the boxes takes the longest, and needs no transaction.
        let batches = requests.map { request in
            Result { () throws(StoreError) in try IncomingBatch(request) }
        }
        do throws(StoreError) {
            func take(_ database: Database) throws -> [Result<PushAnswer, StoreError>] {
                try batches.map { batch in
                    switch batch {
                    case .success(let batch): try self.take(batch, in: database)
                    case .failure(let error): .failure(error)
                    }
                }
            }
            // The savepoint of a single batch is a transaction by itself.
            return try batches.count == 1 ? writeWithoutTransaction(take) : write(take)
        } catch {
            return batches.map { $0.flatMap { _ in .failure(error) } }
        }
    }

    /// Decides about one batch in a savepoint of its own.
    private func take(
        _ batch: IncomingBatch,
        in database: Database
    ) throws -> Result<PushAnswer, StoreError> {
        do {
            var result: Result<PushAnswer, StoreError> = .failure(.refused(.malformed))
            try database.inSavepoint {
                let account = try AccountRow.find(batch.header.account, in: database)
                do {
                    result = .success(try answer(to: batch, of: account))
                } catch let error as StoreError where error.beginsEpoch {
                    try account.beginEpoch(newEpoch())
                    result = .failure(error)
                }
                return .commit
            }
            return result
        } catch let error as StoreError {
            return .failure(error)
        } catch is RecordsError {
            // A damaged row of this account affects no other.
            return .failure(.damaged)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // A constraint failed: the savepoint is undone, and the others continue.
            return .failure(.storageFailed(code: error.extendedResultCode.rawValue))
        }
    }

    private func answer(to batch: IncomingBatch, of account: AccountRow) throws -> PushAnswer {
        let actor = try account.actor(batch.header.actor)
        let snapshot = PushSnapshot(
            account: account.standing,
            isMember: try account.member(batch.request.member) != nil,
            actor: actor,
            openActorCount: try actor == nil ? account.openActorCount(batch.request.member) : 0,
            accepted: try account.acceptedBatch(batch.header),
            appliedTag: try batch.request.applied.flatMap { try account.tag(of: $0.seq) },
            vector: try account.vector(of: batch.seenActors)
        )
        let decision = try PushDecision.decide(
            batch,
            on: snapshot,
            bytesMax: try account.bytesMax(quota),
            tag: { CommitTag(validated: random.bytes(CommitTag.byteCount)) },
            records: { ids in try ids.compactMap { try account.record($0) } }
        )
        switch decision {
        case .answered(let answer): return answer
        case .accepted(let change):
            try account.save(change, nowSeconds: account.database.servedSeconds())
            return change.answer
        }
    }
}

extension AccountRow {
    fileprivate func save(_ change: PushChange, nowSeconds: UInt64) throws {
        for record in change.records { try save(record) }
        let cursor = change.answer.cursor
        try database.run(
            "INSERT INTO commit_tag (account, seq, tag, written_seconds) VALUES (?, ?, ?, ?)",
            [number, cursor.seq, cursor.tag.data, nowSeconds]
        )
        try database.run(
            """
            UPDATE account
            SET seq = ?, record_count = record_count + ?, stored_bytes = stored_bytes + ?
            WHERE number = ?
            """,
            [cursor.seq, change.newRecordCount, change.growthBytes, number]
        )
        try save(change.header, of: change.member)
        try save(change.answer, to: change.header)
        try noteContact(of: change.member, appliedSeq: change.appliedSeq, nowSeconds: nowSeconds)
    }

    fileprivate func actor(_ id: ActorID) throws -> PushSnapshot.Actor? {
        let row = try database.row(
            "SELECT member, accepted, chain, is_closed FROM actor WHERE account = ? AND id = ?",
            [number, id.column]
        )
        return try row.map { row in
            PushSnapshot.Actor(
                member: try MemberID(column: row[0]),
                accepted: row[1],
                chain: try Hash(column: row[2]),
                isClosed: row[3]
            )
        }
    }

    fileprivate func openActorCount(_ member: MemberID) throws -> Int {
        try database.row(
            "SELECT count(*) FROM actor WHERE account = ? AND member = ? AND is_closed = 0",
            [number, member.data]
        )?[0] ?? 0
    }

    /// The account vector of these actors alone; an account may have very many others.
    fileprivate func vector(of actors: Set<ActorID>) throws -> VersionVector {
        VersionVector(
            try actors.map { actor in
                let row = try database.row(
                    "SELECT accepted FROM actor WHERE account = ? AND id = ?",
                    [number, actor.column]
                )
                return (actor: actor, counter: row?[0] ?? 0)
            }
        )
    }

    /// Raises an actor to the end of its newest batch.
    private func save(_ header: BatchHeader, of member: MemberID) throws {
        try database.run(
            """
            INSERT INTO actor (account, id, member, accepted, chain) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account, id)
            DO UPDATE SET accepted = excluded.accepted, chain = excluded.chain
            """,
            [number, header.actor.column, member.data, header.lastCounter, header.chain.data]
        )
    }
}
