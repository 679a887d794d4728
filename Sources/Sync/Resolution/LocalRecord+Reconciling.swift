package import KSCausality

// What a device knows of a record goes up again as a part of its unsent edit: it is sealed,
// refused, blocked, taken apart and found to be superfluous like what was restored from a backup.

extension LocalRecord {
    /// Applies a decision about the record.
    ///
    /// `shown`: the join of the server's siblings; nil if it has none. No batch may hold the
    /// record.
    package mutating func reconcile(with shown: RecordState?, by decision: RecordDecision) {
        precondition(onItsWay == nil, "the batch is answered or taken apart first")
        switch decision.outcome {
        case .missing: return
        case .removed:
            (stub, mirror) = (mirror?.stub ?? stub, nil)
            if edit?.writes != true { edit = nil }
            return
        case .same, .taken, .putUp, .deletedAgain:
            keepFields(beside: shown)
            if shown != nil { stub = nil }
        }
        let old = mirror
        mirror = shown
        if let restored = decision.restored {
            if edit == nil { edit = PendingEdit(restoring: restored) }
            edit?.putUp(restored)
            if decision.isRemoved { edit?.startAfterDeletion(of: restored) }
        }
        unsee(old)
        let state = mirror ?? RecordState()
        if edit?.isVoid(over: state) ?? false { edit = nil }
    }
}

extension LocalRecord {
    /// Keeps the values of the mirror for an unsent edit, before a deletion replaces it that knows
    /// nothing of them but that they are deleted.
    ///
    /// So is a bare deletion, and one that was made again over the older values of a server that
    /// went back. `shown`: the join of the server's siblings.
    package mutating func keepFields(beside shown: RecordState?) {
        guard let shown, let mirror, edit?.writes == true, !shown.isAlive,
            mirror.values.values.joined().contains(where: { !shown.context.contains($0.stamp) })
        else { return }
        edit?.putUp(mirror)
    }

    /// Takes back that the unsent edit replaces writes of which the new mirror knows nothing.
    ///
    /// Somebody has replaced a sibling that could not be opened there, and its author may put it up
    /// again. The edit replaces some values of that write; to say that it has seen the write would
    /// take away the others too. `old`: the mirror that the edit was made over.
    package mutating func unsee(_ old: RecordState?) {
        guard let old, let edit else { return }
        let known = [mirror, edit.restored].compactMap(\.self)
        let isUnseen = { (stamp: Stamp) in
            !known.contains { $0.context.contains(stamp) || $0.deleted.contains(stamp) }
        }
        var partlyReplaced: Set<Stamp> = []
        for (name, held) in old.values {
            let base = edit.assignments[name]?.base ?? []
            for value in held where !base.contains(value.stamp) && isUnseen(value.stamp) {
                partlyReplaced.insert(value.stamp)
            }
        }
        if !partlyReplaced.isEmpty { self.edit?.unsee(partlyReplaced) }
    }

    /// Makes the record's part of a batch go up again with its stamps, since the server does not
    /// have the batch any more.
    ///
    /// The server may have accepted it before it went back. Others have then seen these stamps, and
    /// overwritten or deleted their values; under new stamps the values would come back. A batch
    /// that was refused because a copy of this device wrote as the same actor is taken apart
    /// instead: its context would cover what the copy wrote.
    package mutating func putUpBatch() {
        guard let sent = onItsWay else { return }
        acknowledge()
        if edit == nil { edit = PendingEdit(restoring: sent.state) }
        edit?.putUp(sent.state)
    }
}

extension PendingEdit {
    /// Makes it an edit over the deletion of a state: somebody had deleted all of it, and its user
    /// did not know.
    fileprivate mutating func startAfterDeletion(of state: RecordState) {
        deleting = (deleting ?? StampContext()).merged(with: state.context)
        removeCounters(seen: state, keepsChanges: true)
    }

    /// Replaces these writes no more.
    fileprivate mutating func unsee(_ stamps: Set<Stamp>) {
        for name in assignments.keys { assignments[name]?.base.subtract(stamps) }
    }

    /// Joins the edit with what the account had and the server lost.
    mutating func putUp(_ state: RecordState) {
        join(state)
        isPutUp = true
        revision &+= 1
    }
}

extension RecordState {
    /// The same state after a deletion whose author had seen all of it; counters still count.
    var deletedWhole: RecordState {
        var result = self
        result.deleted = deleted.merged(with: context)
        return result
    }

    /// What remains to be said of a deleted record without its values: which stamps were deleted,
    /// and what its counters no longer count.
    ///
    /// Unlike a ``stub`` it replaces no value. A device may have changed one field while the record
    /// was deleted: the entry then lives with all its fields. It has no totals of counters, since a
    /// write may give its totals and its fields one stamp; the stamp of a cut is the deletion's
    /// own.
    package var deletion: RecordState {
        var result = RecordState()
        result.values = values.filter { $0.key.kind == ValueName.Kind.counterCut }
        for stamp in result.values.values.joined().map(\.stamp) {
            result.context.insertExactly(stamp)
        }
        result.deleted = deleted
        result.deletionNote = deletionNote
        return result
    }

    /// A bare deletion of those of its values of which the states `known` know nothing, and a cut
    /// of such totals.
    ///
    /// An author has seen each value that a write replaces. A record that knows nothing of an
    /// earlier value of its own was removed after a deletion, and made again.
    func deletion(ofAllBut known: RecordState...) -> RecordState {
        var seen = StampContext()
        for state in known { seen.merge(state.context) }
        let past = history + values.flatMap { name, held in held.compactMap { $0.past(of: name) } }
        let held = values.values.joined().map(\.stamp) + past.map(\.stamp)
        var result = RecordState()
        for stamp in held where !seen.contains(stamp) { result.deleted.insertExactly(stamp) }
        for entry in past where entry.isMissing(in: known) {
            result.deleted.insertExactly(entry.stamp)
        }
        return result.joined(with: cuts(ofAllBut: seen))
    }

    /// A bare deletion that says what this one says; where this is nothing, it deletes only a stamp
    /// that no value has.
    ///
    /// It replaces siblings that nobody can open, and every device accepts it.
    package func deletion(ofNothingBut stamp: Stamp) -> RecordState {
        var result = deletion
        if result.deleted.isEmpty { result.deleted.insertExactly(stamp) }
        return result
    }

    /// Whether it only tells what was deleted: it does not even have the fields that name an entry.
    package var isBare: Bool {
        !values.keys.contains(where: \.keepsAlive) && !deleted.isEmpty
    }

    var isEmpty: Bool { values.isEmpty && context.isEmpty && deleted.isEmpty }

    /// Whether a record with the state `known` learns nothing from this one.
    ///
    /// Values of a record that stays deleted are nothing to learn.
    func addsNothing(to known: RecordState) -> Bool {
        let joined = known.joined(with: self)
        if joined == known { return true }
        guard !joined.isAlive, known.isDead else { return false }
        return known.joined(with: joined.deletion) == known
    }

    /// Whether it holds a deletion, and no living item.
    private var isDead: Bool { !isAlive && !deleted.isEmpty }
}

extension PastValue {
    /// Whether a history has room for it, and nothing of its write is left in these states.
    ///
    /// A context covers all earlier stamps of an actor, also those of before a removal.
    fileprivate func isMissing(in known: [RecordState]) -> Bool {
        guard name.keepsHistory, !known.contains(where: { $0.holds(stamp) }) else { return false }
        return History.bounded(known.flatMap(\.history) + [self]).contains(self)
    }
}

extension RecordState {
    fileprivate func holds(_ stamp: Stamp) -> Bool {
        history.contains { $0.stamp == stamp }
            || values.values.joined().contains { $0.stamp == stamp }
    }
}
