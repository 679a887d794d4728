package import KSCausality
package import KSRecords

/// A device's parts of one record: the server's state, the batch under way, and the unsent edit.
package struct LocalRecord: Equatable, Sendable {
    /// The join of the siblings that the server holds; nil when it holds none.
    package var mirror: RecordState?
    /// The stub of a deleted record.
    package var stub: RecordState?
    /// The record's part of a batch without an answer.
    package var onItsWay: SealedEdit?
    /// The edit that no batch holds yet.
    package var edit: PendingEdit?

    package init(
        mirror: RecordState? = nil,
        stub: RecordState? = nil,
        onItsWay: SealedEdit? = nil,
        edit: PendingEdit? = nil
    ) {
        self.mirror = mirror
        self.stub = stub
        self.onItsWay = onItsWay
        self.edit = edit
    }

    /// What the user sees now.
    ///
    /// It must not be encoded: unsent values have provisional stamps.
    package var view: RecordState {
        let state = sealedState
        guard let edit else { return state }
        var time = HybridTime.provisional(atMilliseconds: edit.editedAtMilliseconds).rawValue
        let seen = onItsWay.map { edit.acknowledging($0) } ?? edit
        return seen.sealed(over: state) { _, _ in
            time += 1
            return Stamp(time: HybridTime(rawValue: time), actor: .unsent)
        }.state
    }

    /// What the user will see once the unsent edit is sent: a newer value that has arrived is shown
    /// before the edit's.
    ///
    /// It must not be encoded either.
    package var viewOnceSent: RecordState {
        let state = sealedState
        guard let edit else { return state }
        var own = HybridTime.zero
        return edit.sealed(over: state) { seen, clock in
            own = .next(
                clockMilliseconds: clock,
                serverMilliseconds: nil,
                seen: seen,
                own: own,
                random: 0
            )
            return Stamp(time: own, actor: .unsent)
        }.state
    }

    /// The earliest time at which a deleted record was deleted, milliseconds since 1970.
    ///
    /// A deletion makes no stamp, so this is the time of the last write that it covered. Only an
    /// unsent deletion has its own time.
    package var deletedMilliseconds: UInt64 {
        max(sealedState.latestTime.writtenMilliseconds, edit?.editedAtMilliseconds ?? 0)
    }

    /// What the server holds, joined with the batch under way.
    private var sealedState: RecordState {
        let state = mirror ?? stub ?? RecordState()
        return onItsWay.map { state.joined(with: $0.state) } ?? state
    }

    /// The state whose stamps an edit made now replaces.
    ///
    /// It is the mirror, the state under the batch under way, and what was restored. The batch's
    /// own stamps are added when it is accepted.
    var editBase: RecordState {
        let state = mirror ?? RecordState()
        return [onItsWay?.before, onItsWay?.edit?.restored, edit?.restored].compactMap(\.self)
            .reduce(state) { $0.joined(with: $1) }
    }

    private mutating func change(
        atMilliseconds clock: UInt64,
        _ body: (inout PendingEdit) -> Void
    ) {
        var edit = edit ?? PendingEdit()
        if clock > edit.editedAtMilliseconds { edit.keepTimes() }
        body(&edit)
        edit.followed = nil
        edit.editedAtMilliseconds = clock
        edit.hadSeenBatch = edit.hadSeenBatch || onItsWay != nil
        edit.revision &+= 1
        self.edit = edit
    }

    /// The state whose counters an edit made now has seen: with the totals of a deleted record.
    private var counterBase: RecordState {
        guard mirror == nil, let stub else { return editBase }
        return stub.joined(with: editBase)
    }

    /// Notes that the user set these values, where nil removes one, and changed these counters.
    package mutating func set(
        _ changes: [ValueName: [UInt8]?],
        counters: [[UInt8]: CounterChange] = [:],
        atMilliseconds clock: UInt64
    ) {
        set(changes, over: editBase, atMilliseconds: clock)
        if !counters.isEmpty {
            let seen = counterBase
            edit?.change(counters, seen: seen)
        }
        // A batch under way may hold what was removed.
        guard onItsWay == nil, edit?.hadSeenBatch == false else { return }
        edit?.dropEmptyRemovals(of: changes.keys, counters: counters.keys)
    }

    private mutating func set(
        _ changes: [ValueName: [UInt8]?],
        over base: RecordState,
        atMilliseconds clock: UInt64
    ) {
        change(atMilliseconds: clock) { edit in
            for (name, value) in changes {
                edit.assign(value, to: name, replacing: Set(base.stamps(of: name)))
            }
        }
    }

    /// Notes that the user added the item, when none was visible.
    ///
    /// Names that only the deleted item of the same key had are removed, or their old values would
    /// be shown. If a live item was invisible to the user, its values stay beside the new ones.
    package mutating func create(
        _ values: [ValueName: [UInt8]],
        counters: [[UInt8]: CounterChange] = [:],
        atMilliseconds clock: UInt64
    ) {
        if view.isAlive {
            set(values.mapValues { $0 }, over: RecordState(), atMilliseconds: clock)
        } else {
            startAnew(values.mapValues { $0 }, atMilliseconds: clock)
        }
        edit?.change(counters, seen: RecordState())
    }

    mutating func startAnew(_ values: [ValueName: [UInt8]?], atMilliseconds clock: UInt64) {
        var changes = values
        for name in view.names where values[name] == nil && name.counter == nil {
            changes.updateValue(nil, forKey: name)
        }
        let seen = counterBase
        set(changes, atMilliseconds: clock)
        edit?.removeCounters(seen: seen)
    }

    /// Notes that the user made a deleted item again, by an edit of a device that did not know the
    /// record.
    package mutating func makeAgain(by made: PendingEdit) {
        let values = made.assignments.mapValues(\.value)
        startAnew(values, atMilliseconds: made.editedAtMilliseconds)
        edit?.companions += made.companions
        edit?.overlay(countersOf: made)
    }

    /// Notes that the user deleted the item.
    ///
    /// An item that was never sent leaves no trace. If the record cannot be read (`isUnreadable`),
    /// ``completeDeletion(of:isAll:)`` deletes its contents once they are known. `note`: what other
    /// devices show of the deletion.
    package mutating func delete(
        atMilliseconds clock: UInt64,
        isUnreadable: Bool = false,
        note: DeletionNote? = nil
    ) {
        let restored = edit?.restored
        guard mirror != nil || onItsWay != nil || isUnreadable || restored != nil else {
            edit = nil
            return
        }
        let (before, sent) = (counterBase, onItsWay?.edit?.counters.keys.map(\.self) ?? [])
        var seen = (mirror ?? stub ?? RecordState()).context
        if let onItsWay { seen.merge(onItsWay.before.context) }
        for state in [onItsWay?.edit?.restored, restored] { seen.merge(state?.context ?? .init()) }
        if let earlier = edit?.deleting { seen.merge(earlier) }
        for stamp in (edit?.assignments.values.flatMap(\.base) ?? []) { seen.insertExactly(stamp) }
        for stamp in edit?.counters.values.flatMap(\.withdrawn) ?? [] { seen.insertExactly(stamp) }
        change(atMilliseconds: clock) { edit in
            if !edit.isPutUp { edit.restored = nil }
            edit.yielding = []
            edit.assignments = [:]
            edit.companions = []
            edit.removeCounters(seen: before, others: sent)
            edit.deleting = seen
            edit.deletionNote = note ?? edit.deletionNote
            edit.deletesUnread = edit.deletesUnread || isUnreadable
        }
    }

    /// Extends the deletion of an unreadable record to contents that are now known.
    ///
    /// `isAll`: nothing else is unreadable.
    package mutating func completeDeletion(of held: RecordState, isAll: Bool) {
        guard let edit, edit.deletesUnread else { return }
        self.edit?.deleting = edit.deleting.map { $0.merged(with: held.context) }
        self.edit?.removeCounters(seen: held, keepsChanges: true)
        self.edit?.deletesUnread = !isAll
    }

    /// Notes that the user changed the item's key, and with it its record.
    ///
    /// The old record is deleted, and all its values except counters move to the new one under new
    /// stamps.
    ///
    /// - Parameters:
    ///   - source: the old record.
    ///   - sourceID: its id, which the new one names.
    ///   - target: the new record, without a visible item.
    ///   - changes: the values that the user set, with the key's attributes.
    ///   - device: the name of this device, for the note in the old record.
    ///   - clock: the device's clock, milliseconds since 1970.
    package static func rename(
        _ source: inout LocalRecord,
        id sourceID: RecordID,
        to target: inout LocalRecord,
        changes: [ValueName: [UInt8]?],
        by device: String? = nil,
        atMilliseconds clock: UInt64
    ) {
        let isKnownElsewhere =
            source.mirror != nil || source.onItsWay != nil || source.edit?.restored != nil
        let view = source.view
        var (values, companions) = view.contents
        if isKnownElsewhere || view.shown(.origins) != nil {
            // The new stamps say nothing about when a value was set, and where.
            values.updateValue(view.encodedOrigins, forKey: .origins)
        }
        // An item renamed before it was ever sent names the record that others know.
        if isKnownElsewhere { values.updateValue(sourceID.bytes, forKey: .movedFrom) }
        let note = device.map {
            DeletionNote(milliseconds: clock, device: $0, isMove: true)
        }
        source.delete(atMilliseconds: clock, note: note)
        target.startAnew(values, atMilliseconds: clock)
        target.edit?.companions = companions
        target.edit?.boundCompanions()
        target.set(changes, atMilliseconds: clock)
    }

    /// Moves the unsent edit into a batch.
    ///
    /// - Parameters:
    ///   - isRewrite: whether the joined state is uploaded even without an edit.
    ///   - keepsDeleted: whether a deleted record keeps its contents.
    ///   - makeStamp: see ``PendingEdit/sealed(over:isRewrite:keepsDeleted:makeStamp:)``.
    /// - Returns: the batch's part of it; nil if there is nothing to send.
    package mutating func seal(
        isRewrite: Bool = false,
        keepsDeleted: Bool = true,
        makeStamp: (_ seen: HybridTime, _ clockMilliseconds: UInt64) -> Stamp
    ) -> SealedEdit? {
        precondition(onItsWay == nil, "one batch at a time")
        var pending = edit
        edit = nil
        var state = mirror ?? stub ?? RecordState()
        if let edit = pending, edit.isPutUp, !edit.writes {
            // A deletion that goes up again replaces no value, unlike an entry that is made again:
            // else an edit on another device would stand alone, without the fields that name it.
            if mirror == nil { state = RecordState() }
            if let restored = edit.restored, restored.isBare {
                pending?.restored = restored.deletion
            }
        }
        if let pending, pending.isVoid(over: state), !isRewrite { return nil }
        if let pending,
            mirror != nil || pending.restored != nil || !pending.assignments.isEmpty
                || pending.setsCounters
        {
            onItsWay = pending.sealed(
                over: state,
                isRewrite: isRewrite,
                keepsDeleted: keepsDeleted,
                makeStamp: makeStamp
            )
        } else if isRewrite, let mirror {
            onItsWay = SealedEdit(
                edit: nil,
                isRewrite: true,
                before: mirror,
                state: mirror,
                newStamps: []
            )
        }
        return onItsWay
    }

    /// Notes that the batch was accepted: an unsent edit that had seen it replaces its values too.
    ///
    /// The caller sets the mirror to what the server holds.
    package mutating func acknowledge() {
        guard let accepted = onItsWay else { return }
        edit = edit?.acknowledging(accepted)
        onItsWay = nil
    }

    /// Turns the record's part of a batch back into an unsent edit.
    ///
    /// - Returns: whether the joined state has to be uploaded again too.
    package mutating func takeApart() -> Bool {
        guard let refused = onItsWay else { return false }
        onItsWay = nil
        edit = refused.unsealed(under: edit)
        if refused.isRewrite {
            mirror = mirror?.joined(with: refused.before) ?? refused.before
        }
        return refused.isRewrite
    }
}

extension ActorID {
    /// Stands in ``LocalRecord/view`` for the actor that will send what is not sent yet.
    package static let unsent = ActorID(rawValue: .max)
}
