internal import KSKeychain
package import KSResolution

/// Knows what every user did and had seen, and checks the outcome against the promises.
package struct Oracle {
    package enum Kind: Equatable {
        case secret
        case note
        case delete
        case renameAway
    }

    /// A field of an item beside its secret.
    enum Field: CaseIterable {
        case note
        case title
        /// It keeps no history.
        case description

        var attribute: AttributeName {
            switch self {
            case .note: .comment
            case .title: .label
            case .description: .description
            }
        }

        var name: ValueName { .field(attribute.text) }
    }

    /// Something a user did to one item.
    struct Write {
        let kind: Kind
        /// Of a note.
        let field: Field
        let item: Int
        let device: Int
        /// The writes that its author had seen, and transitively theirs.
        let past: Set<Int>
    }

    private(set) var writes: [Write] = []
    /// The items to which renames moved a write's value; each counts as a separate write.
    private var homes: [Int: Set<Int>] = [:]
    private var moved: Set<Int> = []
    /// How often a write's value was moved to an item.
    private var moveCounts: [Home: Int] = [:]

    /// Writes that two copies of one device both had still to send.
    ///
    /// Each copy makes a write of its own without having seen the other, and the two look the same.
    private var repeated: Set<Int> = []
    /// Writes that may have been lost when a database was put back to an earlier copy, or with an
    /// item that was deleted from a device without account.
    ///
    /// No promise covers writes that only that disk held.
    private var uncertain: Set<Int> = []

    /// Whether each earlier secret has to be in the history.
    ///
    /// A device without an account keeps no earlier secrets, so not in worlds with returns.
    package var holdsHistory = true

    /// What users kept although others had deleted it.
    private var kept: [Kept] = []

    private struct Kept {
        let item: Int
        /// The write of the secret that it showed.
        let secret: Int?
        /// The number of the next write then.
        let writeCount: Int
    }

    private struct Home: Hashable {
        let number: Int
        let item: Int
    }

    package init() {}

    /// The number of the next write.
    var nextNumber: Int { writes.count }

    package mutating func note(_ kind: Kind, item: Int, device: Int, seen: Set<Int>) {
        note(kind, .note, item: item, device: device, seen: seen)
    }

    mutating func note(_ kind: Kind, _ field: Field, item: Int, device: Int, seen: Set<Int>) {
        let past = seen.reduce(into: seen) { $0.formUnion(writes[$1].past) }
        homes[writes.count] = [item]
        writes.append(Write(kind: kind, field: field, item: item, device: device, past: past))
    }

    package mutating func noteMove(of numbers: Set<Int>, to item: Int) {
        moved.formUnion(numbers)
        for number in numbers {
            homes[number, default: []].insert(item)
            moveCounts[Home(number: number, item: item), default: 0] += 1
        }
    }

    /// Notes that a user keeps an item that others have deleted: its values become new writes.
    package mutating func noteKept(_ numbers: Set<Int>, item: Int, secret: Int?) {
        noteMove(of: numbers, to: item)
        kept.append(Kept(item: item, secret: secret, writeCount: writes.count))
    }

    package mutating func noteRepeated(_ numbers: Set<Int>) {
        repeated.formUnion(numbers)
    }

    /// Notes that a device's writes may be lost, from this number on: those to `items`, and
    /// `numbers`.
    package mutating func noteLost(
        by device: Int,
        items: Set<Int>,
        numbers: Set<Int> = [],
        from number: Int,
        except kept: Set<Int> = []
    ) {
        for number in writes.indices.dropFirst(number) where writes[number].device == device {
            let isLost = items.contains(writes[number].item) || numbers.contains(number)
            if isLost, !kept.contains(number) { uncertain.insert(number) }
        }
    }

    /// Notes that these writes may be lost.
    package mutating func noteLost(_ numbers: Set<Int>) { uncertain.formUnion(numbers) }

    /// Whether a write can have reached an item in one way only.
    ///
    /// A value that was moved there twice may have arrived after the deletion.
    private func isIn(_ item: Int, once number: Int) -> Bool {
        writes[number].item != item && moveCounts[Home(number: number, item: item)] == 1
    }

    /// Whether a write has never been moved to another item, or from this one.
    func isOnlyIn(_ item: Int, _ number: Int) -> Bool {
        writes.indices.contains(number) && writes[number].item == item && !moved.contains(number)
            && !uncertain.contains(number)
    }

    // MARK: What a state shows

    package static func secret(_ number: Int) -> String { "secret \(number)" }
    package static func note(_ number: Int) -> String { "note \(number)" }

    /// The writes whose values are anywhere in a state.
    static func numbers(in state: RecordState) -> Set<Int> {
        let current = names.flatMap { state.values[$0] ?? [] }
        let past = state.history.filter { names.contains($0.name) }
        return Set(numbers(current.map(\.value) + past.map(\.value)))
    }

    /// The writes whose values an unsent edit holds.
    static func numbers(in edit: PendingEdit) -> Set<Int> {
        let assigned = names.compactMap { edit.assignments[$0]?.value }
        let companions = edit.companions.filter { names.contains($0.name) }
        return Set((assigned + companions.map(\.value)).compactMap(number))
    }

    /// What has the number of a write at its end: the name of a device ends in a number too.
    private static let names = [.secret] + Field.allCases.map(\.name)

    private static func numbers(_ values: [[UInt8]?]) -> [Int] {
        values.compactMap { $0.flatMap(number) }
    }

    /// The number of a value's write, which follows its last blank.
    package static func number(_ value: [UInt8]) -> Int? {
        let digits = value.reversed().prefix { (48...57).contains($0) }.reversed()
        return Int(String(decoding: Array(digits), as: UTF8.self))
    }

    // MARK: Promises

    /// Checks a new device's state of each item against the promises.
    package func check(_ states: [RecordState]) throws(WorldFailure) {
        var visible: Set<Int> = []
        for state in states where state.isAlive {
            let secrets = state.candidates(for: .secret).map(\.value)
            visible.formUnion(Self.numbers(secrets + state.shownHistory.map(\.value)))
        }
        var overwritten: Set<Int> = []
        for write in writes where write.kind == .secret || write.kind == .delete {
            overwritten.formUnion(write.past)
        }
        for (number, write) in writes.enumerated() where write.kind == .secret {
            // A write that was lost with its disk may be missing, and may have overwritten others.
            let mayBeMissing = overwritten.contains(number) || uncertain.contains(number)
            guard visible.contains(number) || mayBeMissing else { throw .secretLost(write: number) }
        }
        for (item, state) in states.enumerated() { try check(state, of: item) }
        try checkKept(states)
    }

    /// Checks that a kept item is there if nobody has written to it since, with its secret.
    private func checkKept(_ states: [RecordState]) throws(WorldFailure) {
        for kept in kept
        where !writes.dropFirst(kept.writeCount).contains(where: { $0.item == kept.item }) {
            let state = states[kept.item]
            let secrets = state.candidates(for: .secret) + state.shownHistory
            guard state.isAlive,
                kept.secret.map(Self.numbers(secrets.map(\.value)).contains) ?? true
            else { throw .itemGone(item: kept.item) }
        }
    }

    /// Checks that a secret which was replaced and not deleted is in the history, if there is room.
    private func checkHistory(
        _ state: RecordState,
        of item: Int,
        deleted: Set<Int>
    ) throws(WorldFailure) {
        guard holdsHistory else { return }
        let secrets = writes.indices.filter {
            writes[$0].kind == .secret && homes[$0]?.contains(item) == true
        }
        guard secrets.count <= RecordState.historyCountMax else { return }
        let values = state.candidates(for: .secret) + state.shownHistory
        let shown = Set(Self.numbers(values.map(\.value)))
        for number in secrets where writes[number].item == item {
            let mayBeMissing = moved.contains(number) || uncertain.contains(number)
            guard shown.contains(number) || mayBeMissing || deleted.contains(number) else {
                throw .historyLost(write: number)
            }
        }
    }

    private func check(_ state: RecordState, of item: Int) throws(WorldFailure) {
        var deleted: Set<Int> = []
        // Writes that were certainly deleted: neither lost with a disk, nor by only one of two
        // copies.
        var surelyDeleted: Set<Int> = []
        for (number, write) in writes.enumerated() where write.item == item {
            if write.kind == .delete || write.kind == .renameAway {
                deleted.formUnion(write.past)
                if !uncertain.contains(number) { surelyDeleted.formUnion(write.past) }
            }
        }
        surelyDeleted.subtract(repeated)
        let here = writes.indices.filter { number in
            (writes[number].kind == .secret || writes[number].kind == .note)
                && homes[number]?.contains(item) == true
        }
        let undeleted = here.filter { !surelyDeleted.contains($0) && !moved.contains($0) }
        if state.isAlive {
            let hasMoved = here.contains { number in
                moved.contains(number)
                    && !(surelyDeleted.contains(number) && isIn(item, once: number))
            }
            guard !undeleted.isEmpty || hasMoved else { throw .cameBack(item: item) }
            guard state.shownSecret != nil else { throw .withoutSecret(item: item) }
            try checkStale(state, of: item, deleted: deleted)
            try checkDeleted(state, of: item, deleted: deleted, surelyDeleted: surelyDeleted)
            try checkHistory(state, of: item, deleted: deleted)
            try checkConflicts(state, of: item, deleted: deleted)
        } else {
            let expected = undeleted.filter { !deleted.contains($0) && !uncertain.contains($0) }
            guard expected.isEmpty else { throw .itemGone(item: item) }
        }
    }

    /// Checks that each value is current which nobody who had seen it has replaced or deleted.
    ///
    /// What was changed without an account is compared with the account's values by a device, and
    /// what a user keeps becomes a new write.
    private func checkConflicts(
        _ state: RecordState,
        of item: Int,
        deleted: Set<Int>
    ) throws(WorldFailure) {
        guard holdsHistory, !kept.contains(where: { $0.item == item }) else { return }
        for (number, write) in writes.enumerated()
        where write.item == item && (write.kind == .secret || write.kind == .note) {
            let isExcused =
                moved.contains(number) || uncertain.contains(number) || deleted.contains(number)
            let isReplaced = writes.contains { other in
                other.item == item && other.kind == write.kind && other.field == write.field
                    && other.past.contains(number)
            }
            guard !isExcused, !isReplaced else { continue }
            let name = write.kind == .secret ? ValueName.secret : write.field.name
            let current = Self.numbers(state.candidates(for: name).map(\.value))
            guard current.contains(number) else { throw .concurrentValueLost(write: number) }
        }
    }

    /// Checks that a deleted secret is not in the history.
    ///
    /// It may be current only if another edit kept the item alive and it has no other secret. Of a
    /// write that two copies made, a deletion may have covered one or both, so it is not checked.
    private func checkDeleted(
        _ state: RecordState,
        of item: Int,
        deleted: Set<Int>,
        surelyDeleted: Set<Int>
    ) throws(WorldFailure) {
        func numbers(_ values: [[UInt8]?]) -> [Int] {
            Self.numbers(values).filter { writes[$0].item == item && !moved.contains($0) }
        }
        let current = numbers(state.candidates(for: .secret).map(\.value))
        let hasOther = current.contains { !deleted.contains($0) }
        let wrong = numbers(state.shownHistory.map(\.value)) + (hasOther ? current : [])
        guard !wrong.contains(where: surelyDeleted.contains) else { throw .cameBack(item: item) }
    }

    /// Checks that no current secret was overwritten by somebody who had seen it.
    private func checkStale(
        _ state: RecordState,
        of item: Int,
        deleted: Set<Int>
    ) throws(WorldFailure) {
        for number in Self.numbers(state.candidates(for: .secret).map(\.value))
        where writes[number].item == item && !moved.contains(number) && !repeated.contains(number) {
            let hasSuccessor = writes.indices.contains { other in
                writes[other].kind == .secret && writes[other].item == item
                    && !moved.contains(other) && !deleted.contains(other)
                    && !uncertain.contains(other)
                    && writes[other].past.contains(number)
            }
            if hasSuccessor { throw .stale(write: number) }
        }
    }
}
