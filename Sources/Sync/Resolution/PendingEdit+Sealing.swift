package import KSCausality

/// An edit inside a batch, until the batch is accepted or taken apart.
package struct SealedEdit: Equatable, Sendable {
    /// Nil when the batch only writes the joined state back.
    package let edit: PendingEdit?
    /// Whether the batch writes the joined state back, with or without an edit.
    package let isRewrite: Bool
    /// The state that it was sealed over.
    package let before: RecordState
    /// The state in the record's envelope.
    package let state: RecordState
    /// The stamps of this edit's values, in order.
    package let newStamps: [Stamp]

    package init(
        edit: PendingEdit?,
        isRewrite: Bool,
        before: RecordState,
        state: RecordState,
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
    ///   - keepsDeleted: whether a deleted record keeps its contents.
    ///   - makeStamp: makes a stamp of the device's actor above `seen`, the stamps that the user
    ///     had seen when acting, and above all stamps that it made before
    ///     (``Causality/HybridTime/next(clockMilliseconds:serverMilliseconds:seen:own:random:)``).
    /// - Returns: the batch's part of it.
    package func sealed(
        over state: RecordState,
        isRewrite: Bool = false,
        keepsDeleted: Bool = true,
        makeStamp: (_ seen: HybridTime, _ clockMilliseconds: UInt64) -> Stamp
    ) -> SealedEdit {
        // Not above stamps that arrived since: otherwise an older edit would be shown over a newer
        // one, only because its device was offline.
        var last = latestTime
        func nextStamp(atMilliseconds clock: UInt64? = nil) -> Stamp {
            let stamp = makeStamp(last, clock ?? editedAtMilliseconds)
            if isFromBeforeAccount, let early = earlyStamp(stamp, above: last, over: state) {
                last = early.time
                return early
            }
            if let following = followingStamp(stamp, above: last, over: state) {
                last = following.time
                return following
            }
            precondition(stamp.time > min(last, .seenMax), "a stamp is above what had been seen")
            last = stamp.time
            return stamp
        }
        let start = restored.map { state.joined(with: $0) } ?? state
        func contents(_ state: RecordState) -> RecordState {
            keepsDeleted || state.isAlive ? state : state.withoutDeletedContents
        }
        guard changesState else {
            return SealedEdit(
                edit: self,
                isRewrite: isRewrite,
                before: state,
                state: contents(start),
                newStamps: []
            )
        }
        var result = EditedState(start)
        if let deleting { result.delete(deleting, deletionNote) }
        let earlier = earlierSteps
        for step in earlier { result.add(step, nextStamp(atMilliseconds: step.milliseconds)) }
        let timed = Set(earlier.lazy.flatMap(\.assignments.keys))
        let stamp = nextStamp()
        if writes { result.newStamps.append(stamp) }
        let early =
            yielding.isEmpty || isFromBeforeAccount
            ? nil : earlyStamp(stamp, above: latestTime, over: state)
        if let early { result.newStamps.insert(early, at: 0) }
        for (name, assignment) in assignments where !timed.contains(name) {
            result.assign(assignment, to: name, yielding.contains(name) ? early ?? stamp : stamp)
        }
        seal(countersInto: &result.state, stamp: stamp)
        result.finish(upTo: stamp)
        result.state.forget(forgotten)
        return SealedEdit(
            edit: self,
            isRewrite: isRewrite,
            before: state,
            state: contents(result.state),
            newStamps: result.newStamps
        )
    }

    /// What gets a stamp below the edit's own: an older value must not beat what another device has
    /// set since.
    fileprivate struct EarlierStep {
        /// Nil: that of the edit.
        var milliseconds: UInt64?
        var companion: Companion?
        var assignments: [ValueName: Assignment] = [:]
    }

    /// The companions, and the assignments that the user made before the last change, in the order
    /// of their stamps: an assignment comes after all earlier values of its name.
    private var earlierSteps: [EarlierStep] {
        var times = assignments.compactMapValues(\.milliseconds)
        var steps: [(time: UInt64, step: EarlierStep)] = []
        var time: UInt64 = 0
        for companion in companions {
            time = max(time, companion.milliseconds ?? editedAtMilliseconds)
            if let own = times[companion.name] { times[companion.name] = max(own, time) }
            let step = EarlierStep(milliseconds: companion.milliseconds, companion: companion)
            steps.append((time, step))
        }
        guard !times.isEmpty else { return steps.map(\.step) }
        let earlier = times.filter { !yielding.contains($0.key) && $0.value < editedAtMilliseconds }
        for (time, names) in Dictionary(grouping: earlier.keys, by: { earlier[$0] ?? 0 }) {
            let values = names.compactMap { name in assignments[name].map { (name, $0) } }
            let step = EarlierStep(
                milliseconds: time,
                assignments: Dictionary(uniqueKeysWithValues: values)
            )
            steps.append((time, step))
        }
        // Of one time, the companions come first, in their order.
        return steps.enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element.step)
    }

    /// The edit after its predecessor's batch was accepted: it replaces that batch's values too.
    package func acknowledging(_ batch: SealedEdit) -> PendingEdit {
        guard hadSeenBatch else { return self }
        var result = self
        result.addSeen(batch.newStamps)
        result.addSeen(countersOf: batch)
        result.hadSeenBatch = false
        return result
    }
}

/// A state to which an edit is being applied, step by step.
private struct EditedState {
    var state: RecordState
    /// The stamps of the edit's values, in order.
    var newStamps: [Stamp] = []
    private var past: [PastValue] = []
    private var added: [(name: ValueName, value: StampedValue)] = []

    init(_ state: RecordState) {
        self.state = state
    }

    mutating func delete(_ seen: StampContext, _ note: DeletionNote?) {
        state.deleted.merge(seen)
        state.deletionNote = note?.after(state.deletionNote) ?? state.deletionNote
        for stamp in seen.exactStamps { state.context.insertExactly(stamp) }
    }

    mutating func add(_ step: PendingEdit.EarlierStep, _ stamp: Stamp) {
        newStamps.append(stamp)
        for (name, assignment) in step.assignments { assign(assignment, to: name, stamp) }
        guard let companion = step.companion else { return }
        if companion.isSuperseded {
            past.append(PastValue(name: companion.name, stamp: stamp, value: companion.value))
        } else {
            added.append((companion.name, StampedValue(stamp: stamp, value: companion.value)))
        }
    }

    mutating func assign(_ assignment: PendingEdit.Assignment, to name: ValueName, _ stamp: Stamp) {
        let replaced = state.remove(assignment.base, of: name)
        if name.keepsHistory { past += replaced.compactMap { $0.past(of: name) } }
        for stamp in assignment.base { state.context.insertExactly(stamp) }
        guard assignment.value != nil || name.hasPlaceholder else { return }
        added.append((name, StampedValue(stamp: stamp, value: assignment.value)))
    }

    /// Inserts the new values, whose stamps are at most `stamp`.
    mutating func finish(upTo stamp: Stamp) {
        // Each name is sorted once: an item that was renamed may bring many values of one.
        for (name, values) in Dictionary(grouping: added, by: \.name) {
            state.values[name] = ((state.values[name] ?? []) + values.map(\.value)).sorted()
        }
        state.context.raise(to: stamp)
        for stamp in newStamps { state.context.insertExactly(stamp) }
        if !past.isEmpty { state.history = History.bounded(state.history + past) }
    }
}

extension SealedEdit {
    /// The edit after its batch is taken apart: the sealed edit with the later one on top.
    ///
    /// The next sealing makes new stamps. Those of the refused batch may still arrive, so they are
    /// named one by one; "actor → highest" would also cover writes of a copy of the actor.
    package func unsealed(under later: PendingEdit?) -> PendingEdit? {
        guard let edit else { return later }
        var result = edit
        if let later, let deleting = later.deleting {
            result = later
            var seen = deleting
            if let earlier = edit.deleting { seen.merge(earlier) }
            if let restored = edit.restored {
                seen.merge(restored.context)
                if edit.isPutUp { result.putUp(restored) }
            }
            for stamp in newStamps { seen.insertExactly(stamp) }
            for stamp in edit.assignments.values.flatMap(\.base) { seen.insertExactly(stamp) }
            result.deleting = seen
            result.underlay(seenCountersOf: edit)
        } else if let later {
            result.overlay(later)
            result.forget(whatWasForgottenIn: later, of: state)
        }
        for name in result.assignments.keys {
            result.assignments[name]?.base.formUnion(newStamps)
        }
        result.withdrawCounters(newStamps)
        result.editedAtMilliseconds = later?.editedAtMilliseconds ?? edit.editedAtMilliseconds
        result.hadSeenBatch = false
        result.revision = max(edit.revision, later?.revision ?? 0) &+ 1
        return result
    }
}

extension PendingEdit {
    /// Adds a later edit without a deletion on top of this one.
    fileprivate mutating func overlay(_ later: PendingEdit) {
        if let further = later.restored { join(further) }
        if later.editedAtMilliseconds > editedAtMilliseconds { keepTimes() }
        followed = nil
        isPutUp = isPutUp || later.isPutUp
        for (name, assignment) in later.assignments {
            assign(assignment.value, to: name, replacing: assignment.base)
            assignments[name]?.milliseconds = assignment.milliseconds
        }
        yielding.formUnion(later.yielding)
        forgotten.formUnion(later.forgotten)
        overlay(countersOf: later)
        companions += later.companions
        boundCompanions()
    }
}
