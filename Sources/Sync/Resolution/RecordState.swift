package import KSCausality
internal import KSRecords

/// The sealed contents of one record: an item's values, and the stamps that its author had seen.
///
/// For each value name every stamp is either *unknown* (not in the context), *held*, or
/// *superseded* (in the context, not held). Joining takes the highest of these, so it is
/// commutative, associative and idempotent. This requires every held stamp to be in the context;
/// ``init(decoding:)`` checks it.
package struct RecordState: Equatable, Sendable {
    /// How many superseded secrets an item keeps, and as many other values.
    package static let historyCountMax = 20
    /// How many bytes of superseded secrets an item keeps, and as many of other values.
    package static let historyBytesMax = 128 << 10
    /// A larger value is that of an attachment: no text has as many bytes.
    package static let historyTextBytesMax = (64 << 10) + 256
    /// How many bytes of superseded attachments an item keeps: the largest one and its kind.
    package static let historyAttachmentBytesMax = (1 << 20) + 256
    /// How many bytes an unsent edit has for present values and superseded attachments: the rest of
    /// ``RecordKind/editBytesMax`` is for the other superseded values, and for names and stamps.
    package static let unsentBytesMax =
        RecordKind.keychain.editBytesMax - 2 * historyBytesMax - (128 << 10)
    /// Of how many actors the history of an item has the names.
    package static let writersMax = 64

    /// The concurrent values of each name, in order of their stamps; no name has an empty list.
    package internal(set) var values: [ValueName: [StampedValue]] = [:]
    /// The superseded values of names that keep a history, newest first.
    ///
    /// A concurrent value is never among them.
    package internal(set) var history: [PastValue] = []
    /// The stamps its author had seen.
    package internal(set) var context = StampContext()
    /// The stamps that authors of deletes had seen; the values covered by them are deleted.
    package internal(set) var deleted = StampContext()
    /// Who deleted the item last; it stays when the item is made again.
    package internal(set) var deletionNote: DeletionNote?

    /// An empty state.
    package init() {}

    /// The highest time of all that its author had seen.
    package var latestTime: HybridTime { max(context.latestTime, deleted.latestTime) }

    /// What a client keeps of a deleted record: all seen stamps, marked as deleted, and no values
    /// except the totals of counters.
    ///
    /// A new item of the same key starts from it. Without the totals, an increment that arrives
    /// late would bring back what the deletion had covered.
    package var stub: RecordState {
        var stub = RecordState()
        stub.values = values.filter { $0.key.isCounterTotal }
        stub.context = context.merged(with: deleted)
        stub.deleted = stub.context
        stub.deletionNote = deletionNote
        return stub
    }

    /// The same, without those values that a delete covers and that no later write shows again.
    ///
    /// A dropped value is superseded: its stamp stays in the context. Fields and counters stay,
    /// because the fields name the record, and increments may arrive late.
    var withoutDeletedContents: RecordState {
        var result = self
        for (name, held) in values where name.isContent {
            let kept = held.filter { !deleted.contains($0.stamp) }
            result.values[name] = kept.isEmpty ? nil : kept
        }
        result.history = history.filter { !deleted.contains($0.stamp) }
        return result
    }

    /// The join of all these states.
    ///
    /// It joins pairs, then pairs of these: each value is looked at only as often as the number of
    /// states can be halved.
    package static func join(
        _ states: some Sequence<RecordState>,
        historyCountMax: Int = Self.historyCountMax
    ) -> RecordState {
        var states = Array(states)
        while states.count > 1 {
            states = stride(from: 0, to: states.count, by: 2).map { index in
                guard index + 1 < states.count else { return states[index] }
                return states[index].joined(
                    with: states[index + 1],
                    historyCountMax: historyCountMax
                )
            }
        }
        return states.first ?? RecordState()
    }

    /// The join of both states.
    ///
    /// - Parameters:
    ///   - other: a state of the same record.
    ///   - historyCountMax: below the default only in tests.
    /// - Returns: the least upper bound of both.
    package func joined(
        with other: RecordState,
        historyCountMax: Int = Self.historyCountMax
    ) -> RecordState {
        if self == other { return self }
        var result = RecordState()
        var past = history + other.history
        let others = other.values.keys.lazy.filter { values[$0] == nil }
        for name in [Array(values.keys), Array(others)].joined() {
            let mine = values[name] ?? []
            let theirs = other.values[name] ?? []
            let (held, superseded) = Self.split(mine, context, theirs, other.context)
            if !held.isEmpty { result.values[name] = held }
            if name.keepsHistory { past += superseded.compactMap { $0.past(of: name) } }
        }
        result.history = History.bounded(past, countMax: historyCountMax)
        result.context = context.merged(with: other.context)
        result.deleted = deleted.merged(with: other.deleted)
        result.deletionNote = .later(deletionNote, other.deletionNote)
        return result
    }

    /// Splits the values of one name into those that are held and those that one side superseded.
    private static func split(
        _ left: [StampedValue],
        _ leftContext: StampContext,
        _ right: [StampedValue],
        _ rightContext: StampContext
    ) -> (held: [StampedValue], superseded: [StampedValue]) {
        if left == right { return (left, []) }
        if right.isEmpty { return left.split { !rightContext.contains($0.stamp) } }
        if left.isEmpty { return right.split { !leftContext.contains($0.stamp) } }
        let leftStamps = Set(left.map(\.stamp))
        let rightStamps = Set(right.map(\.stamp))
        let fromLeft = left.split {
            rightStamps.contains($0.stamp) || !rightContext.contains($0.stamp)
        }
        let fromRight = right.split {
            leftStamps.contains($0.stamp) || !leftContext.contains($0.stamp)
        }
        let held = Set(fromLeft.held).union(fromRight.held).sorted()
        return (held, fromLeft.superseded + fromRight.superseded)
    }
}

extension [StampedValue] {
    fileprivate func split(
        by isHeld: (StampedValue) -> Bool
    ) -> (held: [StampedValue], superseded: [StampedValue]) {
        if allSatisfy(isHeld) { return (self, []) }
        return (filter(isHeld), filter { !isHeld($0) })
    }
}

extension StampedValue {
    /// This value as an entry of the history; nil for a removed one.
    func past(of name: ValueName) -> PastValue? {
        value.map { PastValue(name: name, stamp: stamp, value: $0) }
    }
}
