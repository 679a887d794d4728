internal import Foundation
package import GRDB
internal import KSRecords
internal import KSResolution
package import KSSealing

// Rows of sync that cannot be read any more. What the server has is downloaded once more, what it
// does not have yet is made again of the items themselves, and no row stops another.

extension Replica {
    /// Asks for everything once more when an edit waits for a record that is damaged here: once
    /// after a start, since what did not come with a whole download is not on the server.
    func lookForDamage() throws {
        guard !hasLookedForDamage else { return }
        let isDamaged = try database.unsafeRead { database in
            try !WaitingTable.isEmpty(in: database)
                || self.shelf.outbox.setAside(in: database).contains { aside in
                    try self.shelf.rows(of: aside.record, in: database).mirror().isDamaged
                }
        }
        if isDamaged { try database.write { try SyncStateTable.askForAll(in: $0) } }
        hasLookedForDamage = true
    }

    /// A record as its rows say; what cannot be read of them is made again first.
    ///
    /// - Parameters:
    ///   - found: the record's rows, as they were read.
    ///   - kind: the record's.
    ///   - joined: what the server is known to hold by now, should the mirror be damaged.
    ///   - sent: what the batch on its way holds of it, where that is known.
    ///   - database: the transaction of the step.
    /// - Returns: the record, and whether all that the device had of it beside the mirror is there.
    /// - Throws: ``SealingError/classLocked(_:)``, and what the database throws.
    func mended(
        _ found: FoundRecord,
        _ kind: RecordKind,
        over joined: ItemState? = nil,
        sent: Envelope? = nil,
        in database: Database
    ) throws -> (record: LocalRecord, isWhole: Bool) {
        let id = found.rows.id
        var record = found.record
        if found.work.isDamaged {
            record.onItsWay = try workMadeAgain(of: id, sent, in: database)
        }
        if found.edit.isDamaged {
            let held = [record.mirror, record.onItsWay?.state].compactMap { $0 }
            let known = held.isEmpty ? nil : ItemState.join(held)
            let state = found.mirror.isDamaged ? joined ?? known : known
            record.edit = try editMadeAgain(of: id, kind, over: state, in: database)
        }
        if found.work.isDamaged, let work = record.onItsWay {
            record.completeDeletion(of: work.state, isAll: !found.mirror.isDamaged)
        }
        return (record, isWhole: !found.work.isDamaged || record.onItsWay != nil)
    }

    /// The unsent edit of a record, where it cannot be read: what differs between the entry and the
    /// record.
    ///
    /// Where the store remembers the entry's deletion, it is the deletion of what the record holds.
    /// Otherwise it replaces nothing, for nobody knows any more what its author had seen: what the
    /// record holds stands beside it as a conflict.
    /// - Returns: nil when nothing differs, or there is neither entry nor deletion.
    func editMadeAgain(
        of id: RecordID,
        _ kind: RecordKind,
        over state: ItemState?,
        in database: Database
    ) throws -> PendingEdit? {
        try stores[kind].flatMap { try editMadeAgain(of: id, over: state, $0, in: database) }
    }

    private func editMadeAgain<Store: SyncedStore>(
        of id: RecordID,
        over state: ItemState?,
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

    /// What the batch on its way holds of a record, out of the envelope alone; nil when not even
    /// that opens.
    ///
    /// An edit that had seen the batch had seen every value in it.
    private func workMadeAgain(
        of id: RecordID,
        _ sent: Envelope?,
        in database: Database
    ) throws -> SealedEdit? {
        let batch = try shelf.batches.load(signedBy: keys.signer, from: database).value
        guard let envelope = sent ?? batch?.envelopes.first(where: { $0.recordID == id }),
            case .state(let state) = try open(envelope, of: id)
        else { return nil }
        return SealedEdit(
            edit: nil,
            isRewrite: false,
            before: ItemState(),
            state: state,
            newStamps: Set(state.names.flatMap(state.stamps(of:))).sorted()
        )
    }
}

/// How many rows of what sync keeps beside the items cannot be read.
package struct SyncInspection: Equatable, Sendable {
    /// What the server held, as this device knew it.
    package var mirror = 0
    /// Unsent edits.
    package var outbox = 0
    /// Records of the batch on its way; all of it counts as one more where it cannot be sent.
    package var batch = 0
    /// Records that came while the device was locked.
    package var waiting = 0

    package init() {}
}

extension RecordShelf {
    /// Opens every row; those whose class is locked are well as far as can be told.
    ///
    /// `signer`: whose the batch on its way is.
    package func inspect(
        signer: BatchSigner,
        in database: Database
    ) throws -> SyncInspection {
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
