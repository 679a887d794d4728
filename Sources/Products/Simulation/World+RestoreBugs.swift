internal import GRDB
internal import KSCausality
internal import KSRecords
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
        default: break
        }
    }

    private func raiseVector(to device: SimulatedDevice) throws {
        let vector = try device.database.unsafeRead { try SyncStateTable.vector(from: $0) }
        _ = try server.answer(.raise(to: vector, epoch: server.epoch), from: device.member)
    }
}

extension SimulatedDevice {
    /// Runs statements of a planted bug.
    func run(_ statements: String...) throws {
        try database.write { database in
            for statement in statements { try database.execute(sql: statement) }
        }
    }
}
