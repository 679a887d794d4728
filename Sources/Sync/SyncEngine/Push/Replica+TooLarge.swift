internal import GRDB
internal import KSCausality
internal import KSRecords
internal import KSResolution
internal import KSWire

// Handles a batch that is refused as a whole for its size, mostly by a proxy before the server. It
// is taken apart and sealed again as smaller batches, down to one record. A record that is refused
// alone is blocked, so that it holds back no other.

extension Replica {
    /// How large the boxes of a batch may be together, in bytes.
    var batchBytesMax: Int { sizeLimit?.boxBytesMax ?? Limits.batchBytesMax }

    var sizeLimit: RequestSizes.Limit? { sizes.limit(atMilliseconds: clock()) }

    /// Other than the standard only in simulated worlds, whose records are small.
    package func splitBatches(downTo boxBytes: Int) { sizes.boxBytesMin = boxBytes }

    func loadSizeLimit() throws {
        let value = try database.unsafeRead { database in
            // A damaged value is forgotten: the next refusal restores it.
            try Kept { try self.accountValues.load(.sizeLimit, from: database) }
        }
        guard case .kept(let bytes?) = value else { return }
        sizes.limit = RequestSizes.Limit(encoded: bytes)
    }

    /// Forgets the limit: the user says that it is gone.
    func forgetSizeLimit(in database: Database) throws {
        try accountValues.delete(.sizeLimit, in: database)
        sizes.limit = nil
    }

    /// Whether a record with such a box was refused in a batch of its own.
    func isRefused(boxBytes: Int) -> Bool {
        sizeLimit?.boxBytesRefused.map { boxBytes >= $0 } ?? false
    }

    /// Handles the refusal of a batch for its size.
    ///
    /// If an earlier request with the batch had no answer, the server may have accepted it, and a
    /// proxy that changed since cannot know. Its edits must not be made a second time, so a pull
    /// comes first: it shows whether the batch is there.
    func receiveTooLarge(_ batch: Batch) throws {
        report.lastRefusal = .tooLarge
        guard batch.envelopes.reduce(0, { $0 + $1.box.count }) >= sizes.boxBytesMin else {
            refusedWrite = .tooLarge
            return fail(.push)
        }
        guard sizes.mayHaveArrived else { return try makeSmaller(batch) }
        sizes.looksForBatch = true
        tell(.madeSmaller(.push))
    }

    /// Decides about a batch after the pull that ``receiveTooLarge(_:)`` waited for.
    func settleSoughtBatch() throws {
        guard sizes.looksForBatch else { return }
        if let batch = try batchOnItsWay(hasKeys: true) {
            if try hasArrived(batch) {
                try acknowledge(batch)
            } else {
                try makeSmaller(batch)
            }
        }
        sizes.looksForBatch = false
    }

    private func makeSmaller(_ batch: Batch) throws {
        let unsendable = sizes.learn(
            from: batch,
            requestBytes: batch.requestBytes,
            nowMilliseconds: clock()
        )
        var blocked: [(envelope: Envelope, reason: BlockedReason)] = []
        if let unsendable { blocked = [(unsendable, .proxyLimit)] }
        if let limit = sizes.limit {
            try database.write {
                try self.accountValues.save(limit.encoded, as: .sizeLimit, in: $0)
            }
        }
        try takeNewActor(leavingOut: blocked)
        refusedWrite = nil
        tell(.madeSmaller(.push))
    }

    /// Whether the server has accepted the batch, by what it last showed.
    ///
    /// A batch is accepted as a whole, so one write of it that is there says it for all. If others
    /// have replaced them, a record has seen the stamp of such a write. The vector alone says it
    /// not: a copy of this device may have written other records under the same dots.
    private func hasArrived(_ batch: Batch) throws -> Bool {
        guard let last = batch.envelopes.last else { return false }
        return try database.unsafeRead { database in
            let shown = try SyncStateTable.shownVector(from: database)
            guard shown.contains(last.dot) else { return false }
            var isSeen = false
            for envelope in batch.envelopes {
                let found = try self.shelf.find(envelope.recordID, from: database)
                guard let mirror = found.mirror.value else { continue }
                if let shown = mirror.siblings.first(where: { $0.dot == envelope.dot }) {
                    return shown.boxHash == envelope.boxHash
                }
                let stamps = found.record.onItsWay?.newStamps ?? []
                isSeen = isSeen || stamps.contains(where: mirror.content.context.contains)
            }
            return isSeen && !self.wantsNewActor
        }
    }
}

extension Batch {
    /// About the size of a request with this batch, in bytes.
    ///
    /// Beside each box are a record's id, its dot and what it replaces.
    fileprivate var requestBytes: Int {
        envelopes.reduce(signedHeader.count + signature.count) {
            $0 + $1.box.count + 64 + 16 * $1.replaced.count
        }
    }
}
