internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSWire

// What a device sends to an account without room for all of it: first what makes room, then the
// small edits. A large one holds back no smaller one, and is named until there is room for it.

extension Replica {
    /// Whether the account has no room for a batch, but other edits would make room, or fit.
    ///
    /// Only then is the batch taken apart: it waits for room that others make as it is.
    func hasEditsThatGoFirst(insteadOf request: SyncRequest) throws -> Bool {
        guard case .push(let batch, _) = request else { return false }
        return try database.unsafeRead { database in
            if try !self.editsThatShrink(in: database).isEmpty { return true }
            // A batch that seems to fit was refused: the server counts in another way.
            guard let room = self.room,
                batch.envelopes.reduce(0, { $0 + $1.chargedBytes }) > room
            else { return false }
            let records = try self.shelf.batches.records(in: database)
            let tied = Set(records.filter { $0.tiedTo != nil }.map(\.record))
                .union(records.compactMap(\.tiedTo))
            return try batch.envelopes.contains {
                $0.chargedBytes <= room && !tied.contains($0.recordID)
            } || !self.editsThatFit(in: database).isEmpty
        }
    }

    /// The unsent edits that make their records smaller, the oldest first.
    ///
    /// A renamed item takes as much room as before.
    func editsThatShrink(in database: Database) throws -> [OutboxTable.Waiting] {
        try shelf.outbox.oldest(.max, in: database).filter { waiting in
            guard waiting.tiedTo == nil else { return false }
            return try shelf.find(waiting.record, from: database).record.shrinks
        }
    }

    /// The unsent edits for which the account has room, the oldest first.
    ///
    /// Records that go up together are left out: the server takes all of them or none.
    func editsThatFit(in database: Database) throws -> [OutboxTable.Waiting] {
        guard var left = room else { return [] }
        return try shelf.outbox.oldest(.max, in: database).filter { waiting in
            guard waiting.tiedTo == nil,
                try shelf.outbox.sources(of: waiting.record, in: database).isEmpty
            else { return false }
            let view = try shelf.find(waiting.record, from: database).record.view
            let bytes = view.chargedBytesMax
            guard bytes <= left else { return false }
            left -= bytes
            return true
        }
    }

    /// What goes first, after the account had no room for a batch.
    func editsThatGoFirst(in database: Database) throws -> [OutboxTable.Waiting] {
        let shrinking = try editsThatShrink(in: database)
        return shrinking.isEmpty ? try editsThatFit(in: database) : shrinking
    }

    /// Notes how much room the account has, as the server says.
    func noteRoom(_ usage: AccountUsage?) {
        guard let usage else { return }
        room = usage.bytesMax.map { $0 - min($0, usage.bytes) }
    }

    /// Notes what an accepted batch may have taken of it.
    func noteRoomTaken(by batch: Batch) {
        let bytes = batch.envelopes.reduce(0) { $0 + $1.chargedBytes }
        room = room.map { $0 - min($0, bytes) }
    }

    /// The records of the batch for which the account has no room.
    func recordsWithoutRoom(in database: Database) throws -> [WithoutRoom] {
        guard refusedWrite == .quotaExceeded else { return [] }
        return try shelf.batches.records(in: database).map { waiting in
            let view = try shelf.find(waiting.record, from: database).record.view
            return WithoutRoom(record: waiting.record, bytesMax: view.chargedBytesMax)
        }
    }
}

extension Envelope {
    /// About what the server charges for the write, in bytes, if it replaces nothing.
    fileprivate var chargedBytes: UInt64 {
        UInt64(isTombstone ? Limits.deletedRecordBytes : box.count + 128 + 16 * replaced.count)
    }
}

extension RecordState {
    /// The most that the server may charge for a write of this state, in bytes.
    ///
    /// Padding makes boxes of sizes that are powers of two.
    fileprivate var chargedBytesMax: UInt64 {
        let count = encoded.count + 64
        var bytes = 256
        while bytes < count { bytes *= 2 }
        return UInt64(bytes + 256 + 16 * Limits.siblingsMax)
    }
}

extension LocalRecord {
    /// Whether the unsent edit deletes the record, or makes its box smaller.
    ///
    /// Padding makes boxes of sizes that are powers of two.
    fileprivate var shrinks: Bool {
        var unedited = self
        unedited.edit = nil
        let (before, after) = (unedited.view, view)
        guard edit != nil, before.isAlive else { return false }
        return !after.isAlive || after.encoded.count <= before.encoded.count / 2
    }
}
