import KSCausality
import KSRecords
import KSResolution
import KSTestSupport

// What devices do by themselves.

extension ReconcileWorld {
    // MARK: Pushing

    mutating func seal(_ device: Int) {
        guard devices[device].batch == nil, devices[device].epoch == epoch,
            devices[device].copies.allSatisfy(\.isCompared)
        else { return }
        var parts: [Part] = []
        var author = devices[device].author
        for record in store.records.indices {
            var copy = devices[device].copies[record]
            let sealed = copy.local.seal { author.stamp($0, $1) }
            if let sealed {
                copy.batchSeen = copy.mirrorSeen.union(copy.editSeen)
                let sibling = Sibling(
                    state: sealed.state,
                    boxHash: hash(),
                    seen: copy.batchSeen
                )
                let counter = devices[device].counter + UInt64(parts.count) + 1
                parts.append(
                    Part(
                        record: record,
                        dot: Dot(actor: author.actor, counter: counter),
                        replaced: copy.writes.filter(\.isOpened).map(\.dot),
                        sibling: sibling
                    )
                )
            }
            copy.editSeen = []
            devices[device].copies[record] = copy
        }
        devices[device].author = author
        guard !parts.isEmpty else { return }
        let number = Int(number())
        devices[device].batch = Batch(
            number: number,
            actor: author.actor,
            epoch: epoch,
            parts: parts
        )
        devices[device].counter += UInt64(parts.count)
    }

    private mutating func hash() -> Hash {
        let number = number()
        return Hash(
            validated: (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * ($0 % 8))) }
        )
    }

    /// Sends the batch: it is accepted, or its answer is lost.
    mutating func push(_ device: Int, isCalm: Bool = false) {
        guard let batch = devices[device].batch, devices[device].epoch == epoch,
            devices[device].copies.allSatisfy(\.isCompared)
        else { return }
        guard batch.epoch == epoch || store.accepted.contains(batch.number) else {
            return putUpBatch(device)
        }
        if !store.accepted.contains(batch.number) { accept(batch) }
        if !isCalm && chance(25) { return }
        acknowledge(device)
    }

    private mutating func accept(_ batch: Batch) {
        if store.closed.contains(batch.actor) { faults.append("a closed actor writes") }
        for part in batch.parts {
            if part.replaced.contains(where: { !store.vector.contains($0) }) {
                faults.append("a batch replaces what the server never had")
            }
            store.step += 1
            store.changed[part.record] = store.step
            store.vector.raise(part.dot.actor, to: part.dot.counter)
            store.records[part.record].write(
                part.sibling,
                dot: part.dot,
                replacing: part.replaced
            )
        }
        store.accepted.insert(batch.number)
    }

    /// Takes the device's accepted batch over into its mirrors.
    private mutating func acknowledge(_ device: Int) {
        guard let batch = devices[device].batch else { return }
        devices[device].batch = nil
        for part in batch.parts {
            var copy = devices[device].copies[part.record]
            copy.local.acknowledge()
            copy.mirrorSeen.formUnion(part.sibling.seen)
            copy.batchSeen = []
            guard !devices[device].seen.contains(part.dot) else {
                // A page has shown it, and perhaps what came after it.
                devices[device].copies[part.record] = copy
                continue
            }
            copy.writes.removeAll { part.replaced.contains($0.dot) }
            copy.writes.append(
                .init(dot: part.dot, boxHash: part.sibling.boxHash, isOpened: true)
            )
            let state = part.sibling.state
            settle(&copy, copy.local.mirror?.joined(with: state) ?? state)
            devices[device].copies[part.record] = copy
            devices[device].seen.raise(part.dot.actor, to: part.dot.counter)
        }
    }

    private mutating func putUpBatch(_ device: Int) {
        guard let batch = devices[device].batch else { return }
        devices[device].batch = nil
        for part in batch.parts {
            if bug == .newStamps {
                _ = devices[device].copies[part.record].local.takeApart()
            } else {
                devices[device].copies[part.record].local.putUpBatch()
            }
            devices[device].copies[part.record].editSeen
                .formUnion(devices[device].copies[part.record].batchSeen)
            devices[device].copies[part.record].batchSeen = []
        }
        takeNewActor(device)
    }

    private mutating func takeNewActor(_ device: Int) {
        devices[device].author = Author(number(), clock: devices[device].author.clock)
        devices[device].counter = 0
    }

    // MARK: Pulling

    /// What the replica does with a record's new mirror.
    private func settle(_ copy: inout Copy, _ state: RecordState?) {
        copy.local.keepFields(beside: state)
        copy.local.mirror = state
        guard let state else { return }
        copy.local.stub = nil
        if copy.local.edit?.isVoid(over: state) ?? false { copy.local.edit = nil }
        if copy.local.edit == nil, copy.local.onItsWay == nil { copy.editSeen = [] }
        guard !state.isAlive, copy.local.onItsWay == nil, copy.local.edit?.isDeleteOnly ?? true
        else { return }
        copy.local = LocalRecord(stub: state.stub)
        copy.editSeen = []
    }

    /// One request for changes; a device that finds another life of the store compares, a record at
    /// a time.
    ///
    /// - Returns: whether nothing is left to compare.
    @discardableResult
    mutating func contact(_ device: Int) -> Bool {
        guard devices[device].epoch == epoch else {
            begin(device)
            return false
        }
        let open = devices[device].copies.indices.filter { !devices[device].copies[$0].isCompared }
        guard let record = open.randomElement(using: &random) else {
            // It was away for so long that it missed a removal.
            if devices[device].applied < store.horizon, devices[device].isReconciled {
                begin(device)
                return false
            }
            pull(device)
            raise(device)
            return true
        }
        compare(record, on: device)
        if open.count == 1 {
            // As with a last page: all records are known at one moment.
            pull(device)
            devices[device].seen.raise(to: store.vector)
        }
        return open.count == 1
    }

    private mutating func begin(_ device: Int) {
        if bug == .sendsOldBatches {
            devices[device].epoch = epoch
            if let batch = devices[device].batch { accept(batch) }
        }
        let isResent = devices[device].batch.map { store.accepted.contains($0.number) } ?? false
        if isResent { acknowledge(device) } else { putUpBatch(device) }
        takeNewActor(device)
        if bug == .raisesFirst { store.vector.raise(to: devices[device].seen) }
        devices[device].epoch = epoch
        devices[device].isReconciled = false
        devices[device].applied = 0
        for record in store.records.indices {
            devices[device].copies[record].isCompared = false
        }
    }

    func shown(_ record: Int) -> [RecordComparison.Shown] {
        store.records[record].entries.map {
            .init(dot: $0.dot, boxHash: $0.value.boxHash, state: $0.value.state)
        }
    }

    func known(_ copy: Copy) -> RecordComparison.Known? {
        guard let content = copy.local.mirror ?? copy.local.stub else { return nil }
        return .init(
            writes: copy.writes,
            content: content,
            isStub: copy.local.mirror == nil
        )
    }

    private func spoilt(_ decision: RecordDecision, for copy: Copy) -> RecordDecision {
        guard decision.restored != nil else { return decision }
        let taken = RecordDecision(.taken)
        switch bug {
        case .takesAlways where decision.outcome == .putUp: return taken
        case .editsAlone where copy.local.edit?.isDeleteOnly == false: return taken
        case .forgetsDeletions where decision.outcome == .deletedAgain: return taken
        default: return decision
        }
    }

    mutating func compare(_ record: Int, on device: Int) {
        var copy = devices[device].copies[record]
        let comparison = RecordComparison(
            known: known(copy),
            shown: shown(record),
            seen: devices[device].seen,
            accepted: store.vector
        )
        let decision = spoilt(comparison.decision(for: copy.local.edit), for: copy)
        outcomes["\(decision.outcome)", default: 0] += 1
        devices[device].heldBack += decision.heldBack
        let before = copy.mirrorSeen
        copy.local.reconcile(with: comparison.shownState, by: decision)
        copy.isCompared = true
        if decision.outcome != .missing {
            let siblings = store.records[record].entries
            copy.writes = siblings.map {
                .init(dot: $0.dot, boxHash: $0.value.boxHash, isOpened: true)
            }
            copy.mirrorSeen = siblings.reduce(into: []) { $0.formUnion($1.value.seen) }
            if decision.restored != nil { copy.editSeen.formUnion(before) }
            if siblings.isEmpty, copy.local.stub != nil { copy.mirrorSeen = before }
            settle(&copy, copy.local.mirror)
        }
        devices[device].copies[record] = copy
    }

    /// Takes over every record as the server has it.
    mutating func pull(_ device: Int) {
        for record in store.records.indices {
            let siblings = store.records[record].entries
            guard !siblings.isEmpty else { continue }
            var copy = devices[device].copies[record]
            let dots = Set(copy.writes.map(\.dot))
            let back = siblings.filter {
                devices[device].seen.contains($0.dot) && !dots.contains($0.dot)
            }
            if !back.isEmpty { faults.append("record \(record) went back for device \(device)") }
            copy.writes = siblings.map {
                .init(dot: $0.dot, boxHash: $0.value.boxHash, isOpened: true)
            }
            copy.mirrorSeen = siblings.reduce(into: []) { $0.formUnion($1.value.seen) }
            settle(&copy, RecordState.join(siblings.map(\.value.state)))
            devices[device].copies[record] = copy
        }
        devices[device].seen.raise(to: store.vector)
        devices[device].applied = store.step
    }

    /// Raises the server's vector once all that it lost is there again.
    private mutating func raise(_ device: Int) {
        guard !devices[device].isReconciled, devices[device].batch == nil,
            devices[device].copies.allSatisfy({ $0.local.edit?.isPutUp != true })
        else { return }
        let vector = devices[device].seen.without(devices[device].heldBack)
        let before = store.vector
        store.vector.raise(to: vector)
        for entry in store.vector.entries where entry.counter > before[entry.actor] {
            store.closed.insert(entry.actor)
        }
        devices[device].heldBack = []
        devices[device].isReconciled = true
    }
}
