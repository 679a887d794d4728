internal import KSKeychain
internal import KSResolution

/// Knows what every user did and had seen, and says whether the outcome is what they were promised.
struct Oracle {
    enum Kind: Equatable {
        case secret
        case note
        case delete
        case renameAway
    }

    /// Something a user did to one item.
    struct Write {
        let kind: Kind
        let item: Int
        let device: Int
        /// The writes that its author had seen, and those that their authors had seen.
        let past: Set<Int>
    }

    private(set) var writes: [Write] = []
    /// Writes whose value a rename has carried to other items; there they are writes of their own.
    private var homes: [Int: Set<Int>] = [:]
    private var moved: Set<Int> = []
    /// How often a write's value was carried to an item.
    private var moveCounts: [Home: Int] = [:]

    /// Writes that two copies of one device both had still to send.
    ///
    /// Each copy's is a write of its
    /// own, made without having seen the other or what became of it, and nothing tells them apart.
    private var repeated: Set<Int> = []
    /// Writes that may have been lost with a database in whose place an earlier copy was put.
    ///
    /// No promise speaks of what only that disk held.
    private var uncertain: Set<Int> = []

    private struct Home: Hashable {
        let number: Int
        let item: Int
    }

    /// The number that the next write will have.
    var nextNumber: Int { writes.count }

    mutating func note(_ kind: Kind, item: Int, device: Int, seen: Set<Int>) {
        let past = seen.reduce(into: seen) { $0.formUnion(writes[$1].past) }
        homes[writes.count] = [item]
        writes.append(Write(kind: kind, item: item, device: device, past: past))
    }

    mutating func noteMove(of numbers: Set<Int>, to item: Int) {
        moved.formUnion(numbers)
        for number in numbers {
            homes[number, default: []].insert(item)
            moveCounts[Home(number: number, item: item), default: 0] += 1
        }
    }

    mutating func noteRepeated(_ numbers: Set<Int>) {
        repeated.formUnion(numbers)
    }

    /// Some of what a device wrote to these items since this many writes may be gone.
    mutating func noteLost(by device: Int, items: Set<Int>, from number: Int) {
        for number in writes.indices.dropFirst(number)
        where writes[number].device == device && items.contains(writes[number].item) {
            uncertain.insert(number)
        }
    }

    /// Whether a write that a deleter of the item knew can have come there in one way only.
    ///
    /// What was carried there twice may have come after the deletion, too.
    private func isIn(_ item: Int, once number: Int) -> Bool {
        writes[number].item != item && moveCounts[Home(number: number, item: item)] == 1
    }

    // MARK: What a state shows

    static func secret(_ number: Int) -> String { "secret \(number)" }
    static func note(_ number: Int) -> String { "note \(number)" }

    /// The writes whose values are anywhere in a state.
    static func numbers(in state: ItemState) -> Set<Int> {
        let comment = ValueName.field(AttributeName.comment.text)
        let values =
            (state.values[.secret] ?? []).compactMap(\.value)
            + (state.values[comment] ?? []).compactMap(\.value)
            + state.history.compactMap(\.value)
        return Set(values.compactMap(number))
    }

    /// The writes whose values an unsent edit holds.
    static func numbers(in edit: PendingEdit) -> Set<Int> {
        let comment = ValueName.field(AttributeName.comment.text)
        let assigned = [.secret, comment].compactMap { edit.assignments[$0]?.value }
        return Set((assigned + edit.companions.map(\.value)).compactMap(number))
    }

    /// The write that a value is of: what follows its last blank.
    static func number(_ value: [UInt8]) -> Int? {
        let digits = value.reversed().prefix { (48...57).contains($0) }.reversed()
        return Int(String(decoding: Array(digits), as: UTF8.self))
    }

    // MARK: Promises

    /// Holds what a fresh device sees of each item against what was promised.
    func check(_ states: [ItemState]) throws(WorldFailure) {
        var visible: Set<Int> = []
        for state in states where state.isAlive {
            let secrets =
                state.candidates(for: .secret).compactMap(\.value)
                + state.shownHistory.compactMap(\.value)
            visible.formUnion(secrets.compactMap(Self.number))
        }
        var overwritten: Set<Int> = []
        for write in writes where write.kind == .secret || write.kind == .delete {
            overwritten.formUnion(write.past)
        }
        for (number, write) in writes.enumerated() where write.kind == .secret {
            // One that was lost with its disk may be nowhere, and may have overwritten others.
            guard
                visible.contains(number) || overwritten.contains(number)
                    || uncertain.contains(number)
            else {
                throw .secretLost(write: number)
            }
        }
        for (item, state) in states.enumerated() { try check(state, of: item) }
    }

    private func check(_ state: ItemState, of item: Int) throws(WorldFailure) {
        var deleted: Set<Int> = []
        // What was deleted for sure: by a deletion that was not lost with its disk, and not in one
        // of two copies only.
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
        } else {
            let expected = undeleted.filter { !deleted.contains($0) && !uncertain.contains($0) }
            guard expected.isEmpty else { throw .itemGone(item: item) }
        }
    }

    /// A secret that somebody deleted after seeing it is not history, and current only where the
    /// item that another edit kept alive has no other secret.
    ///
    /// Of a write that two copies made, a deletion may have covered one or both: it is neither
    /// surely deleted nor surely another secret.
    private func checkDeleted(
        _ state: ItemState,
        of item: Int,
        deleted: Set<Int>,
        surelyDeleted: Set<Int>
    ) throws(WorldFailure) {
        func numbers(_ values: [StampedValue]) -> [Int] {
            values.compactMap(\.value).compactMap(Self.number).filter { number in
                writes[number].item == item && !moved.contains(number)
            }
        }
        let current = numbers(state.candidates(for: .secret))
        let hasOther = current.contains { !deleted.contains($0) }
        let wrong = numbers(state.shownHistory) + (hasOther ? current : [])
        guard !wrong.contains(where: surelyDeleted.contains) else { throw .cameBack(item: item) }
    }

    /// A secret that somebody overwrote after seeing it is history, not current.
    private func checkStale(
        _ state: ItemState,
        of item: Int,
        deleted: Set<Int>
    ) throws(WorldFailure) {
        let current = state.candidates(for: .secret).compactMap(\.value).compactMap(Self.number)
        for number in current
        where writes[number].item == item && !moved.contains(number) && !repeated.contains(number) {
            let successor = writes.indices.first { other in
                writes[other].kind == .secret && writes[other].item == item
                    && !moved.contains(other) && !deleted.contains(other)
                    && !uncertain.contains(other)
                    && writes[other].past.contains(number)
            }
            if successor != nil { throw .stale(write: number) }
        }
    }
}
