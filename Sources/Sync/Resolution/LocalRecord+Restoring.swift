package import KSCausality

/// What restoring a state from a backup does to a record.
package enum RestoredChange: Equatable, Sendable {
    /// The record had no living item.
    case added
    /// The record learned something, such as an earlier secret.
    case joined
    /// The record has seen all of it.
    case unchanged
    /// It stays deleted: the account knows a deletion that had seen all values of the backup.
    case deleted
}

// A backup holds states with their stamps, so restoring is a join: twice is the same as once, and
// before a login the same as after it.

extension LocalRecord {
    /// Joins the record with a state from a backup.
    ///
    /// `state`: alive, with final stamps. `undeletes`: whether an item that stays deleted is made
    /// again from the state. `clock`: the device's, milliseconds since 1970.
    package mutating func restore(
        _ state: RecordState,
        undeletes: Bool = false,
        atMilliseconds clock: UInt64
    ) -> RestoredChange {
        let before = view
        var changed = self
        let known = knownState
        let isKnown = known.joined(with: state) == known
        if !isKnown {
            changed.edit = edit ?? PendingEdit(atMilliseconds: clock)
            changed.edit?.join(state)
            changed.edit?.revision += 1
        }
        guard before.isAlive || changed.view.isAlive else {
            guard undeletes else { return .deleted }
            changed.makeAgain(from: state, atMilliseconds: clock)
            self = changed
            return .added
        }
        self = changed
        if !before.isAlive { return .added }
        return isKnown ? .unchanged : .joined
    }

    /// Notes that the user keeps an item which another device has deleted.
    ///
    /// `before`: what the user saw before the deletion came. All of it goes up again under new
    /// stamps, its history too, since a deletion covers the old ones. These come right after the
    /// old ones, so that a newer change of a device that was away meanwhile is shown before them.
    package mutating func keep(_ before: RecordState, atMilliseconds clock: UInt64) {
        makeAgain(from: before, atMilliseconds: clock)
        set([.origins: before.encodedOrigins], atMilliseconds: clock)
        // Of an unsent change the stamps are to come.
        guard !before.latestTime.isProvisional else { return }
        edit?.followed = before.latestTime
    }

    /// Adds the earlier values of a deleted item that was just made again.
    ///
    /// `kept`: what ``RecordState/earlierValues(atMilliseconds:)`` was before the deletion. It
    /// counts only if it is of this item, or knows it: others of the same key may have been
    /// deleted.
    package mutating func addHistory(of kept: PendingEdit, atMilliseconds clock: UInt64) {
        guard let made = edit, !kept.companions.isEmpty else { return }
        let secret = made.assignments[.secret]?.value
        let others = kept.companions.filter { $0.name != .secret || $0.value != secret }
        guard kept.assignments[.secret]?.value == secret || others.count < kept.companions.count
        else { return }
        edit?.companions = others + made.companions
        if let origins = kept.assignments[.origins]?.value {
            set([.origins: origins], atMilliseconds: clock)
        }
        edit?.boundCompanions()
    }

    /// Gives what is unsent final stamps, which a backup and this device then have in common.
    ///
    /// The stamps of a batch under way may change, so its values and later ones get others in the
    /// backup alone.
    ///
    /// - Parameter makeStamp: as in ``seal(isRewrite:keepsDeleted:makeStamp:)``. Its
    ///   actor writes nothing else, so nobody can have seen a later stamp of it.
    /// - Returns: the state for a backup; nil if there is no living item.
    package mutating func stampUnsent(
        makeStamp: (_ seen: HybridTime, _ clockMilliseconds: UInt64) -> Stamp
    ) -> RecordState? {
        guard view.isAlive else { return nil }
        guard onItsWay == nil else {
            var apart = self
            _ = apart.takeApart()
            return apart.stampUnsent(makeStamp: makeStamp)
        }
        guard let edit else { return mirror }
        let state = edit.sealed(over: mirror ?? stub ?? RecordState(), makeStamp: makeStamp).state
        if edit.changesState {
            var stamped = PendingEdit(atMilliseconds: edit.editedAtMilliseconds)
            stamped.restored = state
            stamped.isPutUp = edit.isPutUp
            stamped.revision = edit.revision &+ 1
            self.edit = stamped
        }
        return state
    }

    /// Names the device in an edit that was made before it had an account; it stays as it is
    /// otherwise.
    ///
    /// `name`: the field that has the names of devices.
    package mutating func noteDevice(_ device: String, as name: ValueName = .device) {
        guard edit?.writes == true else { return }
        let isEarly = edit?.isFromBeforeAccount ?? false
        let base = Set(editBase.stamps(of: name))
        edit?.assign(Array(device.utf8), to: name, replacing: base)
        if isEarly { edit?.yielding.insert(name) }
    }

    /// What the record has with final stamps.
    private var knownState: RecordState {
        let parts = [mirror ?? stub, onItsWay?.state, edit?.restored].compactMap(\.self)
        return RecordState.join(parts)
    }

    /// Notes that the user made a deleted item again from a state of a backup, under new stamps.
    private mutating func makeAgain(from state: RecordState, atMilliseconds clock: UInt64) {
        let (values, companions) = state.contents
        startAnew(values, atMilliseconds: clock)
        edit?.companions = companions
        edit?.boundCompanions()
        let resets = state.counters.filter { $0.value.base != nil || !$0.value.uncut.isEmpty }
            .mapValues { CounterChange(reset: .to($0.shown)) }
        set([:], counters: resets, atMilliseconds: clock)
    }
}

extension PendingEdit {
    /// An edit that only joins its record with a state.
    package init(restoring state: RecordState) {
        self.init()
        restored = state
        editedAtMilliseconds = state.latestTime.writtenMilliseconds
    }

    init(atMilliseconds clock: UInt64) {
        self.init()
        editedAtMilliseconds = clock
    }

    /// The bytes of what the user did: without a restored state, which has the limit of a record.
    package var ownByteCount: Int {
        guard restored != nil else { return encoded.count }
        var own = self
        own.restored = nil
        return own.encoded.count
    }

    /// Joins the edit with a state from a backup.
    mutating func join(_ state: RecordState) {
        restored = restored?.joined(with: state) ?? state
    }

    /// Whether it does more than to join a restored state.
    var changesState: Bool {
        restored == nil || writes || deleting != nil || !companions.isEmpty || !forgotten.isEmpty
    }

    /// Whether it only restores what the record has seen, or forgets what it does not have.
    package func isVoid(over state: RecordState) -> Bool {
        guard !writes, deleting == nil, companions.isEmpty,
            restored != nil || !forgotten.isEmpty
        else { return false }
        return restored?.addsNothing(to: state) != false && !forgetsSome(of: state)
    }

    /// Marks everything that it sets as made without an account.
    package mutating func noteWithoutAccount() { yielding = Set(assignments.keys) }

    /// Whether all that it sets was set without an account.
    var isFromBeforeAccount: Bool { !yielding.isEmpty && yielding.count == assignments.count }

    /// The early stamp of what was set without an account; nil if its author had seen values of an
    /// account, to which it does not yield then.
    ///
    /// `stamp`: the one that the edit has otherwise. `seen`: the highest time that the author had
    /// seen or made. `state`: the record's, in which an actor's stamps only rise.
    func earlyStamp(_ stamp: Stamp, above seen: HybridTime, over state: RecordState) -> Stamp? {
        let time = HybridTime.withoutAccount(
            atMilliseconds: editedAtMilliseconds,
            seen: max(seen, state.context.highestTime(of: stamp.actor)),
            random: UInt16(truncatingIfNeeded: stamp.time.rawValue)
        )
        return time.map { Stamp(time: $0, actor: stamp.actor) }
    }
}

extension PendingEdit {
    /// The stamp of what the user keeps, right after the stamps that it had; nil for other edits.
    ///
    /// `stamp`, `seen` and `state`: as for ``earlyStamp(_:above:over:)``.
    func followingStamp(
        _ stamp: Stamp,
        above seen: HybridTime,
        over state: RecordState
    ) -> Stamp? {
        guard let followed else { return nil }
        let time = HybridTime.next(
            clockMilliseconds: 0,
            serverMilliseconds: nil,
            seen: max(seen, followed),
            own: state.context.highestTime(of: stamp.actor),
            random: UInt16(truncatingIfNeeded: stamp.time.rawValue)
        )
        return Stamp(time: time, actor: stamp.actor)
    }
}

extension PendingEdit {
    /// Puts what an earlier deletion of the same key kept before the earlier values of this one.
    package mutating func putBefore(earlierValuesOf older: PendingEdit) {
        var kept = older.companions
        if let secret = older.assignments[.secret]?.value {
            kept.append(Companion(name: .secret, value: secret, isSuperseded: true))
        }
        kept.removeAll { earlier in
            companions.contains { $0.name == earlier.name && $0.value == earlier.value }
                || assignments[earlier.name]?.value == earlier.value
        }
        companions = kept + companions
        boundCompanions()
    }
}

extension StampContext {
    /// The highest time of this actor's stamps; zero without any.
    package func highestTime(of actor: ActorID) -> HybridTime {
        (highestStamps + exactStamps).filter { $0.actor == actor }.map(\.time).max() ?? .zero
    }
}

extension RecordState {
    /// The values that the user does not see any more, as an edit of a record that is made again,
    /// with the secret beside them and who had set each.
    ///
    /// Of concurrent values the others become earlier ones too: nobody has to choose again.
    package func earlierValues(atMilliseconds clock: UInt64) -> PendingEdit {
        var edit = PendingEdit(atMilliseconds: clock)
        edit.companions = contents.companions.filter(\.name.keepsHistory).map {
            PendingEdit.Companion(name: $0.name, value: $0.value, isSuperseded: true)
        }
        edit.assign(shownSecret, to: .secret, replacing: [])
        edit.assign(encodedOrigins, to: .origins, replacing: [])
        return edit
    }

    /// What the user sees, to be written elsewhere under new stamps: the values except counters,
    /// and what is kept beside and behind them, oldest first.
    var contents: (values: [ValueName: [UInt8]?], companions: [PendingEdit.Companion]) {
        var values: [ValueName: [UInt8]?] = [:]
        // Names of devices belong to the old stamps.
        let past = pastValues.filter { !$0.name.isAboutWrites }
        var companions = past.reversed().compactMap { past in
            past.value.map {
                PendingEdit.Companion(name: past.name, value: $0, isSuperseded: true)
            }
        }
        for name in names where name.counter == nil && !name.isAboutWrites {
            values.updateValue(shown(name), forKey: name)
            companions += conflictingValues(of: name).reversed().compactMap { other in
                other.value.map {
                    PendingEdit.Companion(name: name, value: $0, isSuperseded: false)
                }
            }
        }
        return (values, companions)
    }
}

extension CounterParts {
    /// The number that the counter shows.
    fileprivate var shown: Int64 {
        let sum = uncut.values.reduce(Int128(base?.number ?? 0)) {
            $0 + Int128($1.totals.plus) - Int128($1.totals.minus)
        }
        return Int64(clamping: sum)
    }
}
