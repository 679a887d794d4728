package import KSCausality

/// An edit inside a batch, until the batch is accepted or taken apart.
package struct SealedEdit: Equatable, Sendable {
    /// Nil when the batch only writes the joined state back.
    package let edit: PendingEdit?
    /// Whether the batch writes the joined state back, with or without an edit.
    package let isRewrite: Bool
    /// The state that it was sealed over.
    package let before: ItemState
    /// The state in the record's envelope.
    package let state: ItemState
    /// The stamps of this edit's values, in order.
    package let newStamps: [Stamp]

    package init(
        edit: PendingEdit?,
        isRewrite: Bool,
        before: ItemState,
        state: ItemState,
        newStamps: [Stamp]
    ) {
        self.edit = edit
        self.isRewrite = isRewrite
        self.before = before
        self.state = state
        self.newStamps = newStamps
    }
}

extension PendingEdit {
    /// Applies the edit to a state.
    ///
    /// - Parameters:
    ///   - state: the device's present state of the record; values that the user had not seen stay
    ///     concurrent.
    ///   - isRewrite: whether the joined state would be uploaded without the edit too.
    ///   - makeStamp: makes a stamp of the device's actor above `seen`, the stamps that the user
    ///     had seen when acting, and above all stamps that it made before
    ///     (``Causality/HybridTime/next(clockMilliseconds:serverMilliseconds:seen:own:random:)``).
    /// - Returns: the batch's part of it.
    package func sealed(
        over state: ItemState,
        isRewrite: Bool = false,
        makeStamp: (_ seen: HybridTime, _ clockMilliseconds: UInt64) -> Stamp
    ) -> SealedEdit {
        // Not above stamps that arrived since: an older edit would be shown over a newer one only
        // because its device was offline.
        var last = latestTime
        func nextStamp() -> Stamp {
            let stamp = makeStamp(last, editedAtMilliseconds)
            precondition(stamp.time > min(last, .seenMax), "a stamp is above what had been seen")
            last = stamp.time
            return stamp
        }
        var result = EditedState(state)
        if let deleting { result.delete(deleting) }
        for companion in companions { result.add(companion, nextStamp()) }
        let stamp = nextStamp()
        if setsValues { result.newStamps.append(stamp) }
        for (name, assignment) in assignments { result.assign(assignment, to: name, stamp) }
        for (counter, increment) in increments { result.add(increment, to: counter, stamp) }
        result.finish(upTo: stamp)
        return SealedEdit(
            edit: self,
            isRewrite: isRewrite,
            before: state,
            state: result.state,
            newStamps: result.newStamps
        )
    }

    /// The edit after its predecessor's batch was accepted: it replaces that batch's values too.
    package func acknowledging(_ newStamps: [Stamp]) -> PendingEdit {
        guard hadSeenBatch else { return self }
        var result = self
        result.addSeen(newStamps)
        result.hadSeenBatch = false
        return result
    }
}

/// A state to which an edit is being applied, step by step.
private struct EditedState {
    var state: ItemState
    /// The stamps of the edit's values, in order.
    var newStamps: [Stamp] = []
    private var past: [PastSecret] = []
    private var added: [(name: ValueName, value: StampedValue)] = []

    init(_ state: ItemState) {
        self.state = state
    }

    mutating func delete(_ seen: StampContext) {
        state.deleted.merge(seen)
        for stamp in seen.exactStamps { state.context.insertExactly(stamp) }
    }

    mutating func add(_ companion: PendingEdit.Companion, _ stamp: Stamp) {
        newStamps.append(stamp)
        if companion.isSuperseded {
            past.append(PastSecret(stamp: stamp, value: companion.value))
        } else {
            added.append((companion.name, StampedValue(stamp: stamp, value: companion.value)))
        }
    }

    mutating func assign(
        _ assignment: PendingEdit.Assignment,
        to name: ValueName,
        _ stamp: Stamp
    ) {
        let held = state.values[name] ?? []
        if name == .secret {
            let replaced = held.filter { assignment.base.contains($0.stamp) }
            past += replaced.compactMap(\.pastSecret)
        }
        state.values[name] = held.filter { !assignment.base.contains($0.stamp) }
        for stamp in assignment.base { state.context.insertExactly(stamp) }
        if assignment.value == nil, !name.keepsRemovals { return }
        added.append((name, StampedValue(stamp: stamp, value: assignment.value)))
    }

    /// Adds to the counter's entry of the stamp's actor, which nobody else writes.
    mutating func add(_ increment: CounterTotals, to counter: [UInt8], _ stamp: Stamp) {
        let name = ValueName.counterEntry(counter, of: stamp.actor)
        let held = state.values[name] ?? []
        for value in held { state.context.insertExactly(value.stamp) }
        state.values[name] = nil
        let entry = CounterEntry(held, startingAt: stamp).adding(increment)
        added.append((name, StampedValue(stamp: stamp, value: entry.encoded)))
    }

    /// Puts the new values in, below `stamp` and at it.
    mutating func finish(upTo stamp: Stamp) {
        for (name, value) in added {
            state.values[name] = ((state.values[name] ?? []) + [value]).sorted()
        }
        state.values = state.values.filter { !$0.value.isEmpty }
        state.context.raise(to: stamp)
        for stamp in newStamps { state.context.insertExactly(stamp) }
        if !past.isEmpty {
            state.history = History.bounded(
                state.history + past,
                countMax: ItemState.historyCountMax
            )
        }
    }
}

extension SealedEdit {
    /// The edit after its batch is taken apart: the sealed edit with the later one on top.
    ///
    /// The next sealing makes new stamps. Those of the refused batch may still arrive, so they are
    /// named one by one; "actor → highest" would also cover writes of a copy of the actor.
    package func unsealed(under later: PendingEdit?) -> PendingEdit? {
        guard let edit else { return later }
        guard let later else {
            var result = edit
            result.addSeen(refused: self)
            result.hadSeenBatch = false
            result.revision += 1
            return result
        }
        var result = edit
        if let deleting = later.deleting {
            result = later
            var seen = deleting
            if let earlier = edit.deleting { seen.merge(earlier) }
            for stamp in newStamps { seen.insertExactly(stamp) }
            for stamp in edit.assignments.values.flatMap(\.base) { seen.insertExactly(stamp) }
            result.deleting = seen
            result.addSeen(newStamps)
        } else {
            result.overlay(later)
            result.addSeen(refused: self)
        }
        result.editedAtMilliseconds = later.editedAtMilliseconds
        result.hadSeenBatch = false
        result.revision = max(edit.revision, later.revision) + 1
        return result
    }
}

extension PendingEdit {
    /// Adds a later edit without a deletion on top of this one.
    fileprivate mutating func overlay(_ later: PendingEdit) {
        for (name, assignment) in later.assignments {
            let earlier = assignments[name]
            if name == .secret {
                supersedeSecret(earlier?.value, by: assignment.value)
            } else {
                companions.removeAll { $0.name == name }
            }
            let base = assignment.base.union(earlier?.base ?? [])
            assignments[name] = Assignment(value: assignment.value, base: base)
        }
        for name in later.assignments.keys { forgetIncrements(before: name) }
        for (counter, increment) in later.increments {
            increments[counter, default: CounterTotals()].add(increment)
        }
        companions += later.companions
        boundCompanions()
    }

    /// Replaces the values of a batch that was refused, should it arrive after all.
    ///
    /// What it added to counters is added again under the next actor. So the entries of the refused
    /// batch are set back to what they were under it.
    fileprivate mutating func addSeen(refused batch: SealedEdit) {
        for name in assignments.keys { assignments[name]?.base.formUnion(batch.newStamps) }
        guard let actor = batch.newStamps.last?.actor, let edit = batch.edit else { return }
        for counter in edit.increments.keys {
            let name = ValueName.counterEntry(counter, of: actor)
            let held = batch.before.values[name] ?? []
            let before = edit.deleting == nil ? CounterEntry(held) : nil
            assignments[name] = Assignment(
                value: before?.encoded,
                base: Set(held.map(\.stamp)).union(batch.newStamps)
            )
        }
    }
}
