package import KSCausality
package import KSRecords

/// What a device knows of a record, beside what the server shows of it after its store went back.
///
/// A store goes back when it is restored from a backup, emptied or replaced. Which writes it has
/// lost, and which it shows again, follows from dots and vectors alone; what goes up again is a
/// state with the stamps that it always had. So any number of devices may put up the same record,
/// under dots of their own: the join of all these writes is the join of one.
package struct RecordComparison: Sendable {
    /// What the device had of the record: its mirror, or the stub of a deleted record.
    package struct Known: Sendable {
        /// A sibling that the server held.
        package struct Write: Hashable, Sendable {
            package let dot: Dot
            package let boxHash: Hash
            /// False if the sibling is quarantined: the device does not have its contents.
            package let isOpened: Bool

            package init(dot: Dot, boxHash: Hash, isOpened: Bool) {
                self.dot = dot
                self.boxHash = boxHash
                self.isOpened = isOpened
            }
        }

        package let writes: [Write]
        /// The join of the opened siblings, or the stub.
        package let content: RecordState
        package let isStub: Bool

        package init(writes: [Write], content: RecordState, isStub: Bool) {
            self.writes = writes
            self.content = content
            self.isStub = isStub
        }
    }

    /// A sibling that the server holds now.
    package struct Shown: Sendable {
        package let dot: Dot
        package let boxHash: Hash
        /// Nil if it does not open.
        package let state: RecordState?

        package init(dot: Dot, boxHash: Hash, state: RecordState?) {
            self.dot = dot
            self.boxHash = boxHash
            self.state = state
        }
    }

    private let known: Known?
    private let shown: [Shown]
    private let seen: VersionVector
    private let accepted: VersionVector

    /// - Parameters:
    ///   - known: what the device had; nil if it had nothing, or cannot read it.
    ///   - shown: the server's siblings without those that others of them replace; empty if the
    ///     server has no such record.
    ///   - seen: the account vector that the device knew, which covers only writes whose records it
    ///     has seen. Empty for a record whose mirror is damaged: nothing follows from it then.
    ///   - accepted: the server's vector, from the page that showed the record; for a record that
    ///     no page has shown, from the last page.
    package init(
        known: Known?,
        shown: [Shown],
        seen: VersionVector,
        accepted: VersionVector
    ) {
        self.known = known
        self.shown = shown
        self.seen = seen
        self.accepted = accepted
    }

    /// The join of the server's siblings; nil if it has none that opens.
    package var shownState: RecordState? {
        let states = shown.compactMap(\.state)
        return states.isEmpty ? nil : RecordState.join(states)
    }

    /// Those of the known writes that the server does not have, and has not replaced.
    ///
    /// It has never accepted them, or something else under the same name; or nobody may open them
    /// any more, since it has lost and got back the entry of the circle that ended their keys.
    private var lost: [Known.Write] {
        let present = Dictionary(uniqueKeysWithValues: shown.map { ($0.dot, $0) })
        return (known?.writes ?? []).filter { write in
            guard let sibling = present[write.dot] else { return !accepted.contains(write.dot) }
            return sibling.boxHash != write.boxHash || (write.isOpened && sibling.state == nil)
        }
    }

    /// Those of the server's siblings that the device knows to be replaced or deleted: its vector
    /// covers them, and its record does not hold them.
    private var returned: [Shown] {
        let dots = Set((known?.writes ?? []).map(\.dot))
        return shown.filter { seen.contains($0.dot) && !dots.contains($0.dot) }
    }

    /// Whether the server shows a value beside which the device knows a newer one, of which the
    /// server knows nothing but that it was deleted.
    ///
    /// Another device may have deleted the record, and raised the vector to all that it had seen;
    /// its stub has no values. If somebody has changed the older record meanwhile, it lives, and
    /// only the devices that have not heard of the deletion have its newest values. Where the
    /// server has no deletion either, the record was removed and made again: what was deleted stays
    /// so.
    private var showsReplaced: Bool {
        guard let known, !known.isStub, let state = shownState, state.isAlive else { return false }
        return state.values.contains { name, held in
            let own = known.content.values[name] ?? []
            let stamps = own.map(\.stamp)
            let isOnlyDeleted = own.contains {
                !state.context.contains($0.stamp) && state.deleted.contains($0.stamp)
            }
            let isReplaced = held.contains {
                known.content.context.contains($0.stamp) && !stamps.contains($0.stamp)
            }
            return isOnlyDeleted && isReplaced
        }
    }

    /// Decides about the record.
    ///
    /// - Parameters:
    ///   - edit: the unsent edit. A batch without an answer has been sent once more, and was
    ///     answered or taken apart.
    ///   - isRemovalProven: whether somebody other than the server says that deleted records which
    ///     the server lacks were deleted.
    /// - Returns: what ``LocalRecord/reconcile(with:by:)`` applies.
    package func decision(
        for edit: PendingEdit?,
        isRemovalProven: Bool = false
    ) -> RecordDecision {
        let (lost, returned) = (lost, returned)
        let heldBack = lost.filter { !$0.isOpened && !accepted.contains($0.dot) }.map(\.dot)
        // A bare deletion tells what was deleted, not that it has replaced anything.
        let isBare = shownState.map { $0.isBare && known?.isStub == false } ?? false
        // A sibling that does not open may stand for what the device knows by an earlier one.
        let isHidden = known != nil && shown.contains { $0.state == nil }
        guard !lost.isEmpty || !returned.isEmpty || isBare || isHidden || showsReplaced else {
            return unchangedDecision(for: edit, isRemovalProven: isRemovalProven)
        }
        let knowledge = knowledge(for: edit, returned)
        let present = shownState ?? RecordState()
        guard !knowledge.isEmpty, !knowledge.addsNothing(to: present) else {
            return RecordDecision(.taken, heldBack: heldBack)
        }
        let isDeletion = known?.isStub ?? true
        return RecordDecision(
            isDeletion ? .deletedAgain : .putUp,
            restored: knowledge,
            heldBack: heldBack
        )
    }

    /// The decision about a record of which the server has lost nothing.
    private func unchangedDecision(
        for edit: PendingEdit?,
        isRemovalProven: Bool
    ) -> RecordDecision {
        guard shown.isEmpty else {
            let dots = Set((known?.writes ?? []).map(\.dot))
            return RecordDecision(Set(shown.map(\.dot)) == dots ? .same : .taken)
        }
        guard let known, !known.isStub else { return RecordDecision(.same) }
        // The server has accepted all of it, and removed the record since: it was deleted. What the
        // user wrote later stays, and with it the values that the user did not change.
        let deleted = known.content.deletedWhole
        let isAlive =
            edit?.writes ?? false
            || edit?.restored.map { deleted.joined(with: $0).isAlive && isRemovalProven } ?? false
        if isAlive {
            return RecordDecision(.putUp, restored: known.content, isRemoved: isRemovalProven)
        }
        return RecordDecision(isRemovalProven ? .removed : .missing)
    }

    /// What the device has to tell the server about the record, apart from its unsent edit.
    private func knowledge(for edit: PendingEdit?, _ returned: [Shown]) -> RecordState {
        guard let known else {
            let back = RecordState.join(returned.compactMap(\.state))
            if let edit, let restored = edit.restored {
                // An earlier comparison has put the mirror into the edit, or else it was restored
                // since.
                return edit.isPutUp ? back.deletion(ofAllBut: restored) : RecordState()
            }
            let stub = back.stub.joined(with: back.cuts(ofAllBut: StampContext()))
            return edit?.writes ?? false ? stub : stub.deletion
        }
        // What was replaced by a sibling that does not open need not have been deleted.
        let isDeletion = known.writes.allSatisfy(\.isOpened)
        let back = RecordState.join(isDeletion ? returned.compactMap(\.state) : [])
        // An earlier comparison has put into the edit what a still older store lacked, and this one
        // shows again: the mirror became that store's.
        let putUp = edit.flatMap { $0.isPutUp ? $0.restored : nil }
        let forgotten = back.deletion(ofAllBut: known.content, putUp ?? RecordState())
        guard known.isStub else {
            return forgotten.isEmpty ? known.content : known.content.joined(with: forgotten)
        }
        let deletion =
            putUp == nil
            ? back.stub.deletion.joined(with: back.cuts(ofAllBut: known.content.context))
            : forgotten
        // A deletion changes no field. An edit over a stub makes the entry again: that replaces
        // every value that its user knew to be deleted.
        return (edit?.writes ?? false ? known.content : known.content.deletion)
            .joined(with: deletion)
    }
}

/// What a device does with a record after it was compared with a store that went back.
package struct RecordDecision: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        /// The server has what the device knew.
        case same
        /// The device takes over what the server has.
        case taken
        /// The server lost writes, which go up again.
        case putUp
        /// The server lost a deletion, which goes up again.
        case deletedAgain
        /// The server lacks the record, and says that it has accepted all writes of it. Only the
        /// server says so: the record stays, and goes up with the next edit.
        case missing
        /// The same, and another device has confirmed it: the record was deleted.
        case removed
    }

    package let outcome: Outcome
    /// The state with which the record is joined before its unsent edit applies; its stamps are
    /// those that its authors gave.
    package let restored: RecordState?
    /// Lost writes that this device cannot put up, because it could not open them: neither its own
    /// vector nor the server's may cover them.
    package let heldBack: [Dot]
    /// Whether the restored state was deleted, and the unsent edit made over it keeps the record.
    package let isRemoved: Bool

    package init(
        _ outcome: Outcome,
        restored: RecordState? = nil,
        heldBack: [Dot] = [],
        isRemoved: Bool = false
    ) {
        self.isRemoved = isRemoved
        self.outcome = outcome
        self.restored = restored
        self.heldBack = heldBack
    }
}
