internal import Foundation
package import GRDB
internal import KSRecords
internal import KSResolution
package import KSSealing

// Repairs damaged rows of sync. What the server holds is downloaded again; what it does not hold
// yet is rebuilt from the entries themselves. No damaged row stops the others.

extension Replica {
    /// Pulls from the beginning if a damaged record waits for a download.
    ///
    /// Only once after a start or an unlock: records that a whole download did not bring are not
    /// on the server.
    func lookForDamage() throws {
        let isDamaged = try database.unsafeRead { database in
            try !WaitingTable.isEmpty(in: database)
                || self.shelf.outbox.blocked(in: database).contains { aside in
                    try self.shelf.rows(of: aside.record, in: database).mirror().isDamaged
                }
        }
        if isDamaged { try database.write { try SyncStateTable.askForAll(in: $0) } }
    }

    /// The record of these rows, with its damaged parts rebuilt.
    ///
    /// - Parameters:
    ///   - found: the record's rows.
    ///   - kind: the record's kind.
    ///   - joined: the state that the server holds, used if the mirror is damaged.
    ///   - sent: the record's envelope in the batch on its way, if it is known.
    ///   - database: the transaction of the step.
    /// - Returns: the record, and whether its part of the batch on its way was readable or rebuilt.
    /// - Throws: ``SealingError/classLocked(_:)``, and what the database throws.
    func repaired(
        _ found: FoundRecord,
        _ kind: RecordKind,
        over joined: RecordState? = nil,
        sent: Envelope? = nil,
        in database: Database
    ) throws -> (record: LocalRecord, isWhole: Bool) {
        let id = found.rows.id
        var record = found.record
        if found.work.isDamaged {
            record.onItsWay = try rebuiltWork(of: id, sent, in: database)
        }
        if found.edit.isDamaged {
            let held = [record.mirror, record.onItsWay?.state].compactMap { $0 }
            let known = held.isEmpty ? nil : RecordState.join(held)
            let state = found.mirror.isDamaged ? joined ?? known : known
            record.edit = try rebuiltEdit(of: id, kind, over: state, in: database)
        }
        if found.work.isDamaged, let work = record.onItsWay {
            record.completeDeletion(of: work.state, isAll: !found.mirror.isDamaged)
        }
        return (record, isWhole: !found.work.isDamaged || record.onItsWay != nil)
    }

    /// Rebuilds an unreadable edit from the differences between the store's entry and the record.
    ///
    /// If the store remembers the entry's deletion, the edit deletes what the record holds.
    /// Otherwise it replaces nothing, since the stamps that its author had seen are lost: the
    /// record's values stay beside it as a conflict.
    /// - Returns: nil if nothing differs, or there is neither an entry nor a deletion.
    func rebuiltEdit(
        of id: RecordID,
        _ kind: RecordKind,
        over state: RecordState?,
        in database: Database
    ) throws -> PendingEdit? {
        try stores[kind].flatMap { try rebuiltEdit(of: id, over: state, $0, in: database) }
    }

    private func rebuiltEdit<Store: SyncedStore>(
        of id: RecordID,
        over state: RecordState?,
        _ store: Store,
        in database: Database
    ) throws -> PendingEdit? {
        let entry = try store.entries(in: database).first { entry in
            keys.keyRing.recordID(of: entry, kind: Store.kind) == id
        }
        if let entry { return Store.edit(beside: state, of: entry, atMilliseconds: clock()) }
        guard let state, state.isAlive, let held = Store.entry(of: state),
            try store.isDeleted(held, in: database)
        else { return nil }
        var record = LocalRecord(mirror: state)
        record.delete(atMilliseconds: clock())
        return record.edit
    }

    /// Rebuilds a record's part of the batch on its way from its envelope; nil if that is damaged.
    ///
    /// All its stamps count as new: an edit that had seen the batch had seen every value in it.
    private func rebuiltWork(
        of id: RecordID,
        _ sent: Envelope?,
        in database: Database
    ) throws -> SealedEdit? {
        let batch = try shelf.batches.load(signedBy: keys.signer, from: database).value
        guard let envelope = sent ?? batch?.envelopes.first(where: { $0.recordID == id }),
            case .success(let state) = try open(envelope, of: id, in: database)
        else { return nil }
        return SealedEdit(
            edit: nil,
            isRewrite: false,
            before: RecordState(),
            state: state,
            newStamps: Set(state.names.flatMap(state.stamps(of:))).sorted()
        )
    }
}

/// How many rows of each sync table cannot be read.
package struct SyncInspection: Equatable, Sendable {
    /// Mirrors: what the server held.
    package var mirror = 0
    /// Unsent edits.
    package var outbox = 0
    /// Records of the batch on its way, and one more if the batch cannot be sent.
    package var batch = 0
    /// Records that were pulled while the device was locked.
    package var waiting = 0

    package init(mirror: Int = 0, outbox: Int = 0, batch: Int = 0, waiting: Int = 0) {
        self.mirror = mirror
        self.outbox = outbox
        self.batch = batch
        self.waiting = waiting
    }
}

extension RecordShelf {
    /// Opens every row and counts the damaged ones; rows of a locked class are not counted.
    ///
    /// `signer`: the signer of the batch on its way.
    package func inspect(signer: BatchSigner, in database: Database) throws -> SyncInspection {
        func damaged<Value>(
            _ table: String,
            _ part: (RecordRows) throws -> Kept<Value>
        ) throws -> Int {
            var count = 0
            for bytes in try Data.fetchAll(database, sql: "SELECT record FROM \(table)") {
                do {
                    let record = try RecordID(Array(bytes)).orCorrupt()
                    if try part(rows(of: record, in: database)).isDamaged { count += 1 }
                } catch SealingError.classLocked, SealingError.passcodeNotSet {
                    continue
                }
            }
            return count
        }
        var inspection = SyncInspection()
        inspection.mirror = try damaged("mirror") { try $0.mirror() }
        inspection.outbox = try damaged("outbox") { try $0.edit() }
        inspection.batch = try damaged("batch_record") { try $0.work() }
        if try batches.load(signedBy: signer, from: database).isDamaged { inspection.batch += 1 }
        inspection.waiting = try damaged("waiting") { try $0.waiting() }
        return inspection
    }
}
