internal import KSCausality
internal import KSDigests
internal import Foundation
internal import GRDB
internal import KSMerging
internal import KSRecords
internal import KSWire

extension SQLiteStore {
    package func push(_ requests: [PushRequest]) -> [Result<PushAnswer, StoreError>] {
        // Hashing all boxes takes the longest, and needs no transaction.
        let headers = requests.map { request in
            Result { () throws(StoreError) in try Self.checkedHeader(of: request) }
        }
        let isAnyWellFormed = headers.contains { if case .success = $0 { true } else { false } }
        guard isAnyWellFormed else {
            return headers.map { $0.flatMap { _ in .failure(.malformed) } }
        }
        do throws(StoreError) {
            return try write { database in
                try zip(requests, headers).map { request, header in
                    switch header {
                    case .success(let header): try take(request, header, in: database)
                    case .failure(let error): .failure(error)
                    }
                }
            }
        } catch {
            return headers.map { $0.flatMap { _ in .failure(error) } }
        }
    }

    /// What a batch claims, when its form is right and it is within bounds.
    private static func checkedHeader(of request: PushRequest) throws(StoreError) -> BatchHeader {
        let envelopes = request.batch.envelopes
        let refused = envelopes.compactMap(\.refusal)
        guard envelopes.count <= Limits.batchRecordsMax,
            envelopes.reduce(0, { $0 + $1.box.count }) <= Limits.batchBytesMax
        else { throw refused.isEmpty ? .tooLarge : .refusing(refused) }
        let header: BatchHeader
        do {
            header = try request.batch.checkedHeader()
        } catch {
            throw .malformed
        }
        guard header.account == request.account else { throw .malformed }
        return header
    }

    /// Takes one batch in a savepoint of its own.
    private func take(
        _ request: PushRequest,
        _ header: BatchHeader,
        in database: Database
    ) throws -> Result<PushAnswer, StoreError> {
        do {
            var result: Result<PushAnswer, StoreError> = .failure(.malformed)
            try database.inSavepoint {
                result = .success(try accept(request, header, in: database))
                return .commit
            }
            return result
        } catch let refusal as Refusal {
            if refusal == .historyWentBack {
                let epoch = StoreEpoch(validated: random.bytes(StoreEpoch.byteCount))
                try AccountRow.find(request.account, in: database).beginEpoch(epoch, in: database)
            }
            return .failure(StoreError(refusal))
        } catch let error as StoreError {
            return .failure(error)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // A bound of the schema: the savepoint is undone, and the others can go on.
            return .failure(.storageFailed(code: error.extendedResultCode.rawValue))
        }
    }

    private func accept(
        _ request: PushRequest,
        _ header: BatchHeader,
        in database: Database
    ) throws -> PushAnswer {
        let account = try AccountRow.find(request.account, in: database)
        guard try account.isMember(request.member, in: database) else { throw StoreError.refused }
        let actor = try account.actor(header.actor, in: database)
        if let answer = try AcceptedBatch.answer(to: header, of: account, in: database) {
            guard actor?.member == request.member else { throw StoreError.actorForked }
            return answer
        }
        guard header.epoch == account.epoch else { throw StoreError.storeRestored }
        switch try request.applied.map({ try account.standing(of: $0, in: database) }) {
        case .otherEpoch: throw StoreError.storeRestored
        case .neverGiven: throw StoreError.unknownCursor
        case .overtaken: throw StoreError.resyncRequired
        case .known, nil: break
        }
        var vector = try account.vector(in: database)
        let admission = Admission(
            epoch: account.epoch,
            generation: account.generation,
            vector: vector,
            actor: actor
        )
        try admission.check(header, of: request.batch, from: request.member)
        let answer = try store(
            request.batch.envelopes,
            of: account,
            vector: &vector,
            in: database
        )
        try account.setActor(header, member: request.member, in: database)
        try AcceptedBatch.store(answer, to: header, of: account, in: database)
        try account.noteContact(
            of: request.member,
            appliedSeq: request.applied?.seq ?? 0,
            nowSeconds: clockSeconds(),
            in: database
        )
        return answer
    }

    /// Merges the writes into their records, at the account's next seqs.
    private func store(
        _ envelopes: [Envelope],
        of account: AccountRow,
        vector: inout VersionVector,
        in database: Database
    ) throws -> PushAnswer {
        var seq = account.seq
        var newRecords: Int64 = 0
        var growth: Int64 = 0
        var refused: [RefusedWrite] = []
        var records: [PushedRecord] = []
        records.reserveCapacity(envelopes.count)
        for envelope in envelopes {
            if let refusal = envelope.refusal {
                // The others are looked at too: all that cannot be taken is named at once.
                refused.append(refusal)
                vector.raise(envelope.dot.actor, to: envelope.dot.counter)
                continue
            }
            var record = try StoredRecord.find(envelope.recordID, of: account, in: database)
            growth -= record.siblings.chargedBytes
            let isNew = Merge.apply(
                StoredSibling(envelope),
                dot: envelope.dot,
                replacing: envelope.replaced,
                to: &record.siblings,
                vector: &vector
            )
            // Admission has seen to it that every dot is the next of its actor.
            guard isNew else { throw StoreError.actorForked }
            guard record.siblings.entries.count <= Limits.siblingsMax else {
                refused.append(
                    RefusedWrite(counter: envelope.dot.counter, reason: .siblingsFull)
                )
                continue
            }
            growth += record.siblings.chargedBytes
            newRecords += record.position == nil ? 1 : 0
            seq += 1
            try record.store(seq: seq, of: account, in: database)
            records.append(PushedRecord(seq: seq, dots: record.siblings.dots))
        }
        guard refused.isEmpty else { throw StoreError.refusing(refused) }
        if growth > 0, let max = settings.accountBytesMax,
            UInt64(account.storedBytes + account.circleBytes + growth) > max
        {
            throw StoreError.quotaExceeded
        }
        let tag = CommitTag(validated: random.bytes(CommitTag.byteCount))
        try database.cachedStatement(
            sql: "INSERT INTO commit_tag (account, seq, tag) VALUES (?, ?, ?)"
        ).execute(arguments: [account.number, seq, tag.data])
        try database.cachedStatement(
            sql: """
                UPDATE account
                SET seq = ?, record_count = record_count + ?, stored_bytes = stored_bytes + ?
                WHERE number = ?
                """
        ).execute(arguments: [seq, newRecords, growth, account.number])
        return PushAnswer(
            records: records,
            cursor: KSRecords.Cursor(epoch: account.epoch, seq: seq, tag: tag),
            circleVersion: account.circleVersion
        )
    }
}

extension AccountRow {
    fileprivate func actor(_ id: ActorID, in database: Database) throws -> Admission.Actor? {
        let statement = try database.cachedStatement(
            sql: "SELECT member, chain, is_closed FROM actor WHERE account = ? AND id = ?"
        )
        return try Row.fetchOne(statement, arguments: [number, id.column]).map { row in
            Admission.Actor(
                member: try MemberID(column: row[0]),
                chain: try Hash(column: row[1]),
                isClosed: row[2]
            )
        }
    }

    /// Raises an actor to the end of its newest batch.
    fileprivate func setActor(
        _ header: BatchHeader,
        member: MemberID,
        in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO actor (account, id, member, accepted, chain) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (account, id)
                DO UPDATE SET accepted = excluded.accepted, chain = excluded.chain
                """
        )
        try statement.execute(arguments: [
            number, header.actor.column, member.data, header.lastCounter, header.chain.data,
        ])
    }
}

extension StoreError {
    fileprivate static func refusing(_ writes: [RefusedWrite]) -> StoreError {
        .recordsRefused(writes.map { RefusedRecord(counter: $0.counter, code: $0.code) })
    }

    fileprivate init(_ refusal: Refusal) {
        switch refusal {
        case .storeRestored, .historyWentBack: self = .storeRestored
        case .generationClosed: self = .generationClosed
        case .actorForked: self = .actorForked
        }
    }
}

extension RefusedWrite {
    fileprivate var code: ErrorCode {
        switch reason {
        case .malformed: .malformed
        case .tooLarge: .tooLarge
        case .siblingsFull: .siblingsFull
        }
    }
}
