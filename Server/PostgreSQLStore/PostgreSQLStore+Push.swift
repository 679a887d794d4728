internal import Dispatch
internal import Foundation
internal import KSCausality
package import KSMerging
package import KSRecords
internal import KSStore
internal import KSWire

extension PostgreSQLStore {
    /// Each account's batches are one transaction on a connection of their own.
    ///
    /// A transaction over several accounts would lock them all until its commit, against every
    /// other server. As it is, PostgreSQL puts the commits of several connections on the disk
    /// together.
    package func push(_ requests: [PushRequest]) -> [Result<PushAnswer, StoreError>] {
        // Hashing the boxes takes the longest, and needs no transaction.
        let batches = requests.map { request in
            Result { () throws(StoreError) in try IncomingBatch(request) }
        }
        let work = PushWork(batches)
        let workers = DispatchGroup()
        for _ in 1..<max(1, min(work.groups.count, Self.pushesMax)) {
            Self.pushQueue.async(group: workers) { self.push(work) }
        }
        push(work)
        workers.wait()
        return work.results
    }

    private static let pushQueue = DispatchQueue(
        label: "sync-server.postgresql.push",
        attributes: .concurrent
    )

    /// Decides about the batches of one account after the other, until others have taken all.
    private func push(_ work: PushWork) {
        while let group = work.next() { work.finish(group, with: push(work.batches(of: group))) }
    }

    /// Decides about batches of one account, one after the other.
    private func push(_ batches: [IncomingBatch]) -> [Result<PushAnswer, StoreError>] {
        do throws(StoreError) {
            let now = try servedSeconds()
            return try transaction { transaction in
                var account = try LoadedAccount(batches, in: transaction)
                return try batches.map { batch in
                    try take(batch, of: &account, in: transaction, nowSeconds: now)
                }
            }
        } catch {
            return batches.map { _ in .failure(error) }
        }
    }

    /// Decides about one batch; nothing is written if it is refused.
    private func take(
        _ batch: IncomingBatch,
        of account: inout LoadedAccount,
        in transaction: Transaction,
        nowSeconds: UInt64
    ) throws -> Result<PushAnswer, StoreError> {
        do {
            let loaded = try account.next(batch, in: transaction)
            switch try loaded.decide(
                bytesMax: loaded.account.bytesMax(quota, nowSeconds: nowSeconds),
                random: random
            ) {
            case .answered(let answer): return .success(answer)
            case .accepted(let change):
                try transaction.save(change, nowSeconds: nowSeconds)
                account.note(change)
                return .success(change.answer)
            }
        } catch let error as StoreError where error.beginsEpoch {
            transaction.begin(newEpoch(), of: batch.header.account, nowSeconds: nowSeconds)
            account.noteEpoch()
            return .failure(error)
        } catch let error as StoreError {
            return .failure(error)
        } catch is RecordsError {
            // A damaged row of this account affects no other.
            return .failure(.damaged)
        }
    }
}

extension Transaction {
    /// Saves an accepted batch with the next round trip.
    fileprivate func save(_ change: PushChange, nowSeconds: UInt64) throws {
        let header = change.header
        let account = header.account
        // Only siblings that stay beside a new one have boxes that are stored already.
        let mixed = change.records.filter { record in
            record.siblings.entries.contains { $0.value.storedBox != nil }
        }
        var stored: [RecordID: Data] = [:]
        if !mixed.isEmpty {
            for row in try run(.boxes(of: mixed.map(\.id), in: account))[0].rows {
                stored[try row.fixed(0)] = try row.data(1)
            }
        }
        later(
            .save(
                try change.records.map { record in
                    (
                        record: record,
                        siblings: Array(record.siblings.column),
                        boxes: Array(try record.siblings.boxes(from: stored[record.id] ?? Data()))
                    )
                },
                of: account
            )
        )
        later(.addTag(change.answer.cursor, of: account, nowSeconds: nowSeconds))
        later(.advance(account, by: change))
        later(.advance(header, of: change.member))
        let dots = DotsColumn.encode(change.answer.records, firstDot: header.firstDot)
        later(.addAcceptedBatch(header, change.answer, dots: Array(dots)))
        later(.removeOldBatches(header))
        later(
            .noteContact(
                of: change.member,
                appliedSeq: change.appliedSeq,
                epoch: nil,
                in: account,
                nowSeconds: nowSeconds
            )
        )
    }

    /// Begins a new epoch of the account with the next round trip.
    ///
    /// Devices' applied seqs become void, and all actors end: since the restored state, two copies
    /// of an actor may have written different things. No device counts as silent: its last contact
    /// may be lost with the rest.
    func begin(_ epoch: StoreEpoch, of account: AccountID, nowSeconds: UInt64) {
        later(.setEpoch(epoch, of: account))
        later(.beginContacts(in: epoch, of: account, nowSeconds: nowSeconds))
        later(.closeActors(of: account))
    }
}

extension BatchHeader {
    var firstDot: Dot { Dot(actor: actor, counter: firstCounter) }
}
