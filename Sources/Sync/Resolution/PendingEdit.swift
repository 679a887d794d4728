package import KSCausality
internal import KSRedaction

/// The user's changes of one item that no batch holds yet.
///
/// It keeps the stamps that the user had seen *when acting*: those that each value replaces, and
/// those that a delete covers. Later pulls do not add to them.
package struct PendingEdit: Equatable, Sendable {
    /// A value that the user set.
    package struct Assignment: Equatable, Sendable {
        /// Nil when the user removed the attribute.
        package let value: [UInt8]?
        /// The stamps it replaces.
        package var base: Set<Stamp>
        /// The clock when the user set it, milliseconds since 1970; nil: with the rest of the edit.
        var milliseconds: UInt64?
    }

    /// How many assignments of an edit have times of their own.
    private static let timedMax = 64

    /// A further value of a renamed item, whose stamp is below those of the assignments.
    package struct Companion: Equatable, Sendable {
        package let name: ValueName
        package let value: [UInt8]
        /// Whether it only enters the history, or stays as a concurrent value.
        package let isSuperseded: Bool
        /// The clock when the user set it, milliseconds since 1970; nil: with the rest of the edit.
        package let milliseconds: UInt64?

        init(name: ValueName, value: [UInt8], isSuperseded: Bool, milliseconds: UInt64? = nil) {
            self.name = name
            self.value = value
            self.isSuperseded = isSuperseded
            self.milliseconds = milliseconds
        }
    }

    /// A state from a backup, which the record is joined with before the rest of the edit applies.
    ///
    /// Its values keep their stamps, so that it changes nothing where it was joined before.
    package internal(set) var restored: RecordState?
    /// Whether the account had what is restored, and the server lost it: then a deletion of it goes
    /// up too, since other devices have it.
    package internal(set) var isPutUp = false
    package internal(set) var assignments: [ValueName: Assignment] = [:]
    /// Those of the assignments that were made without an account: they get early stamps, so that
    /// values of the account come before them.
    package internal(set) var yielding: Set<ValueName> = []
    /// The highest time of what the user keeps although others have deleted it; nil for all other
    /// edits.
    ///
    /// The stamps of this edit come right after it.
    var followed: HybridTime?
    /// In the order in which they get their stamps, oldest first.
    package internal(set) var companions: [Companion] = []
    /// The entries of the history whose values are forgotten.
    var forgotten: Set<PastPlace> = []
    /// The changes of counters, by their names.
    package internal(set) var counters: [[UInt8]: CounterEdit] = [:]
    /// What the user had seen when deleting, before any of the assignments.
    package internal(set) var deleting: StampContext?
    /// Who deleted, and when; only with `deleting`.
    package internal(set) var deletionNote: DeletionNote?
    /// Whether the user also deleted something unreadable, which `deleting` does not cover.
    package internal(set) var deletesUnread = false
    /// The clock at the edit, milliseconds since 1970: what its stamps start from.
    package internal(set) var editedAtMilliseconds: UInt64 = 0
    /// Whether the user had seen the item's values in the batch under way; if so, the edit replaces
    /// its stamps too once it is accepted.
    package internal(set) var hadSeenBatch = false
    /// Rises with every change, so that a reader notices it.
    package internal(set) var revision: UInt64 = 0

    /// An empty edit.
    package init() {}

    /// Whether it only deletes.
    package var isDeleteOnly: Bool {
        deleting != nil && restored == nil && assignments.isEmpty && !setsCounters
    }

    /// Whether it sets or removes values; a delete alone does not.
    var writes: Bool { !assignments.isEmpty || !counters.isEmpty }

    /// The deletion and the creation after it, as two edits to be sealed in this order; nil unless
    /// the edit is both.
    package var halves: (deletion: PendingEdit, creation: PendingEdit)? {
        guard let deleting, !deletesUnread, !isDeleteOnly else { return nil }
        var deletion = PendingEdit()
        deletion.deleting = deleting
        deletion.deletionNote = deletionNote
        if isPutUp { (deletion.restored, deletion.isPutUp) = (restored, true) }
        deletion.editedAtMilliseconds = editedAtMilliseconds
        deletion.revision = revision
        var creation = self
        creation.deleting = nil
        creation.deletionNote = nil
        return (deletion, creation)
    }

    /// The highest time among all that the user had seen.
    package var latestTime: HybridTime {
        let bases = assignments.values.lazy.flatMap(\.base).map(\.time).max() ?? .zero
        let counted = counters.values.lazy.flatMap { $0.replaced.union($0.withdrawn) }.map(\.time)
        return max(bases, counted.max() ?? .zero, deleting?.latestTime ?? .zero)
    }

    /// Counts these stamps, named one by one, as seen by everything in this edit.
    mutating func addSeen(_ stamps: [Stamp]) {
        for name in assignments.keys { assignments[name]?.base.formUnion(stamps) }
        for stamp in stamps { deleting?.insertExactly(stamp) }
    }

    /// Lets the values that users tell by their history keep their time when the edit gets a later
    /// one.
    mutating func keepTimes() {
        guard editedAtMilliseconds > 0, assignments.count <= Self.timedMax else { return }
        for (name, assignment) in assignments
        where name.keepsHistory && assignment.milliseconds == nil {
            assignments[name]?.milliseconds = editedAtMilliseconds
        }
    }

    /// Sets a value, or removes it where `value` is nil, in place of an earlier assignment.
    mutating func assign(_ value: [UInt8]?, to name: ValueName, replacing base: Set<Stamp>) {
        let earlier = assignments[name]
        yielding.remove(name)
        if name.keepsHistory {
            supersede(earlier, of: name, by: value)
        } else {
            companions.removeAll { $0.name == name }
        }
        assignments[name] = Assignment(value: value, base: base.union(earlier?.base ?? []))
        boundCompanions()
    }

    /// Drops removals that remove nothing from the record: this edit itself had made the values.
    ///
    /// Otherwise the edit of a list that is used as a queue would grow until it is sent.
    mutating func dropEmptyRemovals(
        of names: some Sequence<ValueName>,
        counters others: some Sequence<[UInt8]>
    ) {
        for name in names where !name.hasPlaceholder {
            guard let assignment = assignments[name], assignment.value == nil else { continue }
            if assignment.base.isEmpty { assignments[name] = nil }
        }
        for name in others where counters[name]?.isEmptyRemoval ?? false { counters[name] = nil }
    }

    /// Moves concurrent values and the replaced one into the history, because a later one was set.
    private mutating func supersede(
        _ earlier: Assignment?,
        of name: ValueName,
        by value: [UInt8]?
    ) {
        companions = companions.map { companion in
            guard companion.name == name else { return companion }
            return Companion(
                name: name,
                value: companion.value,
                isSuperseded: true,
                milliseconds: companion.milliseconds
            )
        }
        guard let replaced = earlier?.value, replaced != value else { return }
        companions.append(
            Companion(
                name: name,
                value: replaced,
                isSuperseded: true,
                // By default that of the change before this one.
                milliseconds: earlier?.milliseconds
                    ?? (editedAtMilliseconds == 0 ? nil : editedAtMilliseconds)
            )
        )
    }

    /// Drops the oldest superseded values beyond the limits of an item's history.
    ///
    /// Present values come first, those of a renamed item too: an edit that is too large would be
    /// refused.
    mutating func boundCompanions() {
        guard !companions.isEmpty else { return }
        let present =
            assignments.values.reduce(0) { $0 + ($1.value?.count ?? 0) }
            + companions.reduce(0) { $0 + ($1.isSuperseded ? 0 : $1.value.count) }
        let room = RecordState.unsentBytesMax - present
        var rooms = History.Rooms(
            attachmentBytesMax: max(0, min(room, RecordState.historyAttachmentBytesMax))
        )
        var kept: [Companion] = []
        for companion in companions.reversed() {
            if companion.isSuperseded {
                let count = UInt64(companion.value.count)
                guard rooms.take(companion.name, count) == true else { continue }
            }
            kept.append(companion)
        }
        companions = kept.reversed()
    }
}

extension PendingEdit.Assignment: Redacted {
    package var shownPart: String {
        "\(value.map { "\($0.count) bytes" } ?? "removed"), replaces \(base.count)"
    }
}

extension PendingEdit.Companion: Redacted {
    package var shownPart: String { "\(name), \(value.count) bytes" }
}
