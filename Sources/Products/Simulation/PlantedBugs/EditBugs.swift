internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSRecords
internal import KSResolution
internal import KSSealing
internal import KSSyncEngine
internal import KSWire

// What happens to unsent edits, and to the batch under way.

extension PlantedBug {
    static let keepsOneValue = PlantedBug(
        "keepsOneValue",
        "Of a field's concurrent values a device keeps the one that it shows",
        breaks: .conflictsStay,
        in: .fields
    )
    static let sealsOverPresent = PlantedBug(
        "sealsOverPresent",
        "An edit replaces what is there when it is sealed",
        breaks: .nothingIsLost
    )
    static let deletesPresent = PlantedBug(
        "deletesPresent",
        "A deletion covers what is there when it is sealed",
        breaks: .nothingIsLost
    )
    static let renamesShownValue = PlantedBug(
        "renamesShownValue",
        "A rename takes along only what the item shows",
        breaks: .nothingIsLost
    )
    static let splitsRename = PlantedBug(
        "splitsRename",
        "The halves of a rename go in two batches",
        breaks: .renamesAreWhole
    )
    static let dropsEditsTakenApart = PlantedBug(
        "dropsEditsTakenApart",
        "When a batch is taken apart, its edits are dropped",
        breaks: .nothingIsLost,
        in: .revocations
    )
    static let sealsAcceptedAgain = PlantedBug(
        "sealsAcceptedAgain",
        "A batch without an answer is sealed again although it was accepted",
        breaks: .nothingComesBack
    )
    static let dropsUnanswered = PlantedBug(
        "dropsUnanswered",
        "A batch without an answer is dropped",
        breaks: .nothingIsLost
    )
    static let dropsEditsAtStart = PlantedBug(
        "dropsEditsAtStart",
        "Edits that are not sent end with the process",
        breaks: .nothingIsLost
    )
    static let dropsBatchAtStart = PlantedBug(
        "dropsBatchAtStart",
        "The batch under way ends with the process",
        breaks: .nothingIsLost,
        in: .restarts
    )
    static let dropsTooLarge = PlantedBug(
        "dropsTooLarge",
        "Edits that a proxy refuses for their size are dropped",
        breaks: .nothingIsLost,
        in: .proxy
    )
    static let dropsEditsAtMove = PlantedBug(
        "dropsEditsAtMove",
        "Edits that are not sent end when another server is named",
        breaks: .nothingIsLost,
        in: .moves
    )

    static let ofEdits = [
        keepsOneValue, sealsOverPresent, deletesPresent, renamesShownValue, splitsRename,
        dropsEditsTakenApart, sealsAcceptedAgain, dropsUnanswered, dropsEditsAtStart,
        dropsBatchAtStart, dropsTooLarge, dropsEditsAtMove,
    ]
}

/// A batch under way.
struct SentBatch: Equatable {
    let box: Hash
    let records: [RecordID]
}

extension World {
    /// Spoils a device's edits before its next request.
    func spoilEdits(of device: SimulatedDevice) throws {
        guard let bug = settings.bug, !device.isLocked else { return }
        switch bug {
        case .sealsOverPresent, .deletesPresent:
            for item in 0..<settings.itemCount {
                try widenEdit(of: item, on: device, isDeletion: bug == .deletesPresent)
            }
        case .keepsOneValue:
            for item in 0..<settings.itemCount { try settleConflicts(of: item, on: device) }
        case .splitsRename:
            try device.run(
                """
                UPDATE outbox SET blocked = NULL WHERE blocked = 'tied'
                    AND NOT EXISTS (SELECT 1 FROM outbox WHERE blocked IS NULL)
                    AND NOT EXISTS (SELECT 1 FROM batch)
                """
            )
        case .dropsEditsTakenApart: try dropEditsTakenApart(on: device)
        default: break
        }
    }

    /// Spoils a device's edits after it has applied an answer.
    func spoilEdits(
        of device: SimulatedDevice,
        after answer: SyncAnswer,
        to request: SyncRequest
    ) throws {
        guard let bug = settings.bug, !device.isLocked else { return }
        if bug == .dropsEditsTakenApart { try dropEditsTakenApart(on: device) }
        guard case .push(let batch, _) = request else { return }
        switch (bug, answer) {
        case (.sealsAcceptedAgain, .failed): try device.replica.takeNewActor()
        case (.dropsUnanswered, .failed):
            try device.run("DELETE FROM batch_record", "DELETE FROM batch")
        case (.dropsTooLarge, .refused(.tooLarge, _)):
            for envelope in batch.envelopes {
                try device.run("DELETE FROM outbox WHERE record = ?", of: envelope.recordID)
            }
        default: break
        }
    }

    /// Spoils a device's edits when its process has ended.
    func spoilEdits(atStartOf device: SimulatedDevice) throws {
        switch settings.bug {
        case .dropsEditsAtStart?: try device.run("DELETE FROM outbox")
        case .dropsBatchAtStart?:
            try device.run("DELETE FROM batch_record", "DELETE FROM batch")
        default: break
        }
    }

    /// Spoils a rename that a user has just made.
    func spoilRename(of item: Int, to target: Int, on device: SimulatedDevice) throws {
        switch settings.bug {
        case .splitsRename?:
            try device.run(
                "UPDATE outbox SET tied_to = NULL WHERE record = ?",
                of: device.id(item: item)
            )
            try device.run(
                "UPDATE outbox SET blocked = 'tied' WHERE record = ?",
                of: device.id(item: target)
            )
        case .renamesShownValue?:
            let record = try device.record(item: target)
            guard let edit = record.edit else { return }
            var shown = LocalRecord(mirror: record.mirror, stub: record.stub)
            shown.create(
                edit.assignments.compactMapValues(\.value),
                atMilliseconds: edit.editedAtMilliseconds
            )
            try shown.edit.map { try device.putEdit($0, of: device.id(item: target)) }
        default: break
        }
    }

    /// Lets an unsent edit replace, or a deletion cover, what has arrived since.
    private func widenEdit(of item: Int, on device: SimulatedDevice, isDeletion: Bool) throws {
        let record = try device.record(item: item)
        guard let edit = record.edit, let mirror = record.mirror, record.onItsWay == nil,
            edit.restored == nil, edit.companions.isEmpty
        else { return }
        var later = LocalRecord(mirror: mirror)
        if isDeletion, edit.isDeleteOnly {
            later.delete(atMilliseconds: edit.editedAtMilliseconds, note: edit.deletionNote)
        } else if !isDeletion, edit.deleting == nil {
            later.set(
                edit.assignments.mapValues(\.value),
                atMilliseconds: edit.editedAtMilliseconds
            )
        }
        guard let widened = later.edit else { return }
        try device.putEdit(widened, of: device.id(item: item))
    }

    /// Sets each field again that has concurrent values, to the one that is shown.
    private func settleConflicts(of item: Int, on device: SimulatedDevice) throws {
        let record = try device.record(item: item)
        guard let mirror = record.mirror, mirror.isAlive, record.onItsWay == nil,
            record.edit == nil
        else { return }
        var values: [ValueName: [UInt8]?] = [:]
        for name in mirror.names where !mirror.conflictingValues(of: name).isEmpty {
            values.updateValue(mirror.shown(name), forKey: name)
        }
        guard !values.isEmpty else { return }
        var settled = record
        settled.set(values, atMilliseconds: device.clock.milliseconds)
        try settled.edit.map { try device.putEdit($0, of: device.id(item: item)) }
    }

    private func dropEditsTakenApart(on device: SimulatedDevice) throws {
        let batch = try device.batchOnItsWay()
        let before = planted.batches[device.index]
        planted.batches[device.index] = batch
        guard let earlier = before, earlier != batch,
            !servers.contains(where: { $0.hasTaken(earlier.box) })
        else { return }
        trace("\(device.name) drops the edits of a batch that it takes apart")
        for record in earlier.records {
            try device.run("DELETE FROM outbox WHERE record = ?", of: record)
        }
    }
}

extension SimulatedDevice {
    func batchOnItsWay() throws -> SentBatch? {
        guard let box = try boxOnItsWay() else { return nil }
        let records = try database.unsafeRead { database in
            try Data.fetchAll(database, sql: "SELECT record FROM batch_record ORDER BY id")
        }
        return SentBatch(box: box, records: records.compactMap { RecordID(Array($0)) })
    }

    func protection(of record: RecordID, in table: String) throws -> ProtectionClass? {
        let column = try database.unsafeRead { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT protection FROM \(table) WHERE record = ?",
                arguments: [Data(record.bytes)]
            )
        }
        return column.flatMap { ProtectionClass(rawValue: UInt64(bitPattern: $0)) }
    }

    /// Puts an unsent edit of a keychain item into the outbox, or in the place of the one there.
    func putEdit(_ edit: PendingEdit, of record: RecordID) throws {
        let kept = try protection(of: record, in: "outbox") ?? protection(of: record, in: "mirror")
        guard let protection = kept else { return }
        try database.write { database in
            let sealed = try rows.seal(
                edit.encoded,
                table: .outbox,
                record: record,
                kind: .keychain,
                protection: protection
            )
            try database.execute(
                sql: """
                    INSERT INTO outbox (record, kind, protection, edit, revision)
                    VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (record) DO UPDATE
                    SET edit = excluded.edit, revision = excluded.revision, is_put_up = 0
                    """,
                arguments: [
                    Data(record.bytes), Int64(bitPattern: RecordKind.keychain.rawValue),
                    Int64(bitPattern: protection.rawValue), Data(sealed.box), Data(sealed.revision),
                ]
            )
        }
    }
}
