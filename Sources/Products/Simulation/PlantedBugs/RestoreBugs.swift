internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSKeychain
internal import KSRecords
internal import KSResolution
internal import KSSealing
internal import KSSyncEngine

// What a device does about a server that went back.

extension PlantedBug {
    package static let sendsNothingAgain = PlantedBug(
        "sendsNothingAgain",
        "What the server lost does not go up again",
        breaks: .nothingIsLost,
        in: .restores
    )
    package static let makesBatchAgain = PlantedBug(
        "makesBatchAgain",
        "The batch under way is made again, without asking whether the server has it",
        breaks: .nothingComesBack,
        in: .restores
    )
    package static let dropsBatch = PlantedBug(
        "dropsBatch",
        "The batch under way is dropped when the server went back",
        breaks: .nothingIsLost,
        in: .restores
    )
    package static let dropsUnsentEdits = PlantedBug(
        "dropsUnsentEdits",
        "Edits that were not sent are dropped when the server went back",
        breaks: .nothingIsLost,
        in: .restores
    )
    package static let forgetsDeletedRecords = PlantedBug(
        "forgetsDeletedRecords",
        "What was deleted before is not known any more",
        breaks: .nothingComesBack,
        in: .restores
    )
    static let forgetsOwnVector = PlantedBug(
        "forgetsOwnVector",
        "A device forgets which writes it has seen when the server went back",
        breaks: .nothingComesBack,
        in: .restoredRemovals
    )
    package static let raisesVectorFirst = PlantedBug(
        "raisesVectorFirst",
        "The server's vector is raised before anything is compared",
        breaks: .nothingIsLost,
        in: .restores
    )
    package static let takesVectorEarly = PlantedBug(
        "takesVectorEarly",
        "While records are compared, the vector is taken from a middle page",
        breaks: .nothingIsLost,
        in: .restores
    )
    package static let sendsWithNewStamps = PlantedBug(
        "sendsWithNewStamps",
        "What the server lost goes up again as new writes",
        breaks: .nothingComesBack,
        in: .restores
    )
    package static let sendsWithoutHistory = PlantedBug(
        "sendsWithoutHistory",
        "Of the items that the server lost, only what they show goes up again",
        breaks: .historyStays,
        in: .restores
    )
    package static let sendsEditsBeforeDeletions = PlantedBug(
        "sendsEditsBeforeDeletions",
        "A deletion that the server lost goes up after the edits made since",
        breaks: .nothingIsLost,
        in: .restores
    )
    package static let leavesRevokedDeviceIn = PlantedBug(
        "leavesRevokedDeviceIn",
        "A device that was revoked since the backup stays in the account",
        breaks: .revokedStayOut,
        in: .revocations
    )
    package static let pausesForEver = PlantedBug(
        "pausesForEver",
        "A device stops syncing, and nothing that its user can do lets it go on",
        breaks: .syncEnds,
        in: .restores
    )

    static let ofRestores = [
        sendsNothingAgain, makesBatchAgain, dropsBatch, dropsUnsentEdits, forgetsDeletedRecords,
        forgetsOwnVector, raisesVectorFirst, takesVectorEarly, sendsWithNewStamps,
        sendsWithoutHistory, sendsEditsBeforeDeletions, leavesRevokedDeviceIn, pausesForEver,
    ]
}

extension World {
    /// Lets a device make a mistake about a restored server, before its next request.
    func spoilReconciliation(on device: SimulatedDevice) throws {
        guard let bug = settings.bug, !device.isLocked,
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
        case (.forgetsOwnVector, .batch): try device.run("DELETE FROM sync_vector")
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
            try device.putEdit(edit, of: device.id(item: item))
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
