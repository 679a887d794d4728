internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSKeychain
internal import KSRecords
internal import KSResolution
internal import KSSealing
internal import KSSyncEngine

/// A deliberate bug in what a device does about a restored server, to test that the simulator finds
/// it.
public enum RestoreBug: String, CaseIterable, Sendable {
    /// What the server lost does not go up again.
    case sendsNothingAgain
    /// The batch on its way is made again, without asking whether the server has it.
    case makesBatchAgain
    /// The batch on its way is dropped.
    case dropsBatch
    /// Edits that were not sent are dropped.
    case dropsUnsentEdits
    /// What was deleted before is not known any more.
    case forgetsDeletedRecords
    /// The server's vector is raised before anything is compared.
    case raisesVectorFirst
    /// A device takes the server's vector over with a page that is not the last one.
    case takesVectorEarly
    /// What the server lost goes up again as new writes.
    case sendsWithNewStamps
    /// Of the items that the server lost, only what they show goes up again.
    case sendsWithoutHistory
    /// A deletion that the server lost goes up after the edits that were made since.
    case sendsEditsBeforeDeletions
    /// A device that was revoked since the backup stays in the account.
    case leavesRevokedDeviceIn
    /// A device stops syncing, and nothing that its user can do lets it go on.
    case pausesForEver
}

extension World {
    /// Lets a device make the mistake of the planted bug, before its next request.
    func spoilReconciliation(on device: SimulatedDevice) throws {
        guard let bug = settings.restoreBug, !device.isLocked,
            let step = try device.replica.reconciliation()?.step
        else { return }
        switch (bug, step) {
        case (.makesBatchAgain, .batch):
            if try device.boxOnItsWay() != nil { try device.replica.takeNewActor() }
        case (.dropsBatch, .batch):
            try device.run("DELETE FROM batch_record", "DELETE FROM batch")
        case (.dropsUnsentEdits, .download):
            try device.run("DELETE FROM outbox")
        case (.sendsNothingAgain, .upload):
            try device.run("DELETE FROM outbox WHERE is_put_up = 1")
        case (.forgetsDeletedRecords, .batch):
            try device.run("DELETE FROM mirror WHERE is_stub = 1")
        case (.raisesVectorFirst, .batch): try raiseVector(to: device)
        case (.takesVectorEarly, .download): try takeVector(on: device)
        case (.sendsWithNewStamps, .upload):
            try spoilPutUps(on: device) { restored, record in
                record.keep(restored, atMilliseconds: device.clock.milliseconds)
            }
        case (.sendsWithoutHistory, .upload):
            try spoilPutUps(on: device) { restored, record in
                var values: [ValueName: [UInt8]] = [:]
                for name in restored.names where name.counter == nil {
                    values[name] = restored.shown(name)
                }
                record.create(values, atMilliseconds: device.clock.milliseconds)
            }
        case (.sendsEditsBeforeDeletions, .upload): try deleteMadeAgain(on: device)
        case (.pausesForEver, .upload):
            try device.run("UPDATE sync_state SET hold = 'circleForked'")
        default: break
        }
    }

    /// Replaces what goes up again of items by other edits.
    private func spoilPutUps(
        on device: SimulatedDevice,
        _ make: (RecordState, inout LocalRecord) -> Void
    ) throws {
        for item in 0..<settings.itemCount {
            let record = try device.record(item: item)
            guard let edit = record.edit, edit.isPutUp, let restored = edit.restored,
                restored.isAlive, edit.assignments.isEmpty
            else { continue }
            var spoilt = LocalRecord(mirror: record.mirror, stub: record.stub)
            make(restored, &spoilt)
            guard let edit = spoilt.edit else { continue }
            try device.replaceEdit(of: device.id(item: item), by: edit)
        }
    }

    /// Deletes the items that were deleted and made again, as if they were made before.
    private func deleteMadeAgain(on device: SimulatedDevice) throws {
        for item in 0..<settings.itemCount {
            guard let edit = try device.record(item: item).edit, edit.isPutUp,
                !edit.assignments.isEmpty, let restored = edit.restored, !restored.isAlive,
                try device.has(item: item)
            else { continue }
            _ = try device.keychain.delete(device.query(item: item))
        }
    }

    private func takeVector(on device: SimulatedDevice) throws {
        let answer = try server.answer(.pull(after: nil), from: device.member)
        guard case .page(let page) = answer else { return }
        try device.database.write { try SyncStateTable.raise(to: page.vector, in: $0) }
    }

    private func raiseVector(to device: SimulatedDevice) throws {
        let vector = try device.database.unsafeRead { try SyncStateTable.vector(from: $0) }
        _ = try server.answer(.raise(to: vector, epoch: server.epoch), from: device.member)
    }
}

extension SimulatedDevice {
    /// Replaces an unsent edit of a keychain item.
    func replaceEdit(of record: RecordID, by edit: PendingEdit) throws {
        try database.write { database in
            let column = try Int64.fetchOne(
                database,
                sql: "SELECT protection FROM outbox WHERE record = ?",
                arguments: [Data(record.bytes)]
            )
            guard let column,
                let protection = ProtectionClass(rawValue: UInt64(bitPattern: column))
            else { return }
            let sealed = try rows.seal(
                edit.encoded,
                table: .outbox,
                record: record,
                kind: .keychain,
                protection: protection
            )
            try database.execute(
                sql: """
                    UPDATE outbox SET edit = ?, revision = ?, is_put_up = 0 WHERE record = ?
                    """,
                arguments: [Data(sealed.box), Data(sealed.revision), Data(record.bytes)]
            )
        }
    }

    /// Runs statements of a planted bug.
    func run(_ statements: String...) throws {
        try database.write { database in
            for statement in statements { try database.execute(sql: statement) }
        }
    }
}
