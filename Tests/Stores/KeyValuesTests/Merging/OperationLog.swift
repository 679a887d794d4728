/// The oracle: operations, the operations that each had seen, and what a user must see of them.
///
/// It knows neither stamps' contexts nor value names. An operation is one node; a set of nodes is a
/// mask of up to 64 bits. `past` is transitive.
struct OperationLog {
    /// The effect of an operation on one part of an entry; a counter's field is empty.
    enum Change {
        case set([UInt8])
        case add([UInt8])
        case remove([UInt8])
        case setField([UInt8], [UInt8])
        case increment([UInt8], Int)
        case reset([UInt8], Int)
        case removeField([UInt8])
        case setElement(id: [UInt8], value: [UInt8], position: [UInt8])
        case move(id: [UInt8], position: [UInt8])
        case removeElement(id: [UInt8])
        case dropMoves(id: [UInt8])
    }

    /// Orders concurrent operations; unsent ones have the largest.
    struct Order: Comparable {
        static let unsent = Order(time: .max, actor: .max)
        let time: UInt64
        let actor: UInt64

        static func < (left: Order, right: Order) -> Bool {
            (left.time, left.actor) < (right.time, right.actor)
        }
    }

    struct Node {
        var changes: [Change]
        /// Whether it removes all that its author had seen: a deletion, or a creation after one.
        var clears = false
        var creates = false
        var past: UInt64
        /// The node that it repeats, after a refused batch.
        var repeats: Int?
        var order = Order.unsent
    }

    static let nodesMax = 64
    var nodes: [Node] = []

    static func mask(_ nodes: some Sequence<Int>) -> UInt64 {
        nodes.reduce(0) { $0 | 1 << UInt64($1) }
    }

    /// The nodes of a set that no deletion in the set had seen.
    private func uncleared(_ known: UInt64) -> UInt64 {
        var cleared: UInt64 = 0
        forEach(known) { _, node in if node.clears { cleared |= node.past } }
        return known & ~cleared
    }

    private func forEach(_ mask: UInt64, _ body: (Int, Node) -> Void) {
        var rest = mask
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            body(index, nodes[index])
        }
    }

    func changes(_ mask: UInt64, _ body: (Int, Change) -> Void) {
        forEach(mask) { index, node in for change in node.changes { body(index, change) } }
    }

    /// All nodes that nodes with a change of this sort had seen.
    func seen(_ known: UInt64, by isSuch: (Change) -> Bool) -> UInt64 {
        var seen: UInt64 = 0
        changes(known) { index, change in if isSuch(change) { seen |= nodes[index].past } }
        return seen
    }

    func isKept(_ index: Int, _ seen: UInt64) -> Bool { seen >> UInt64(index) & 1 == 0 }

    /// The values of a part that nothing has replaced, the shown one first.
    private func candidates(
        _ known: UInt64,
        value: (Change) -> [UInt8]?,
        isReplaced: (Change) -> Bool
    ) -> [(index: Int, value: [UInt8])] {
        let replaced = seen(known, by: isReplaced)
        var found: [(index: Int, value: [UInt8])] = []
        changes(uncleared(known)) { index, change in
            if let value = value(change), isKept(index, replaced) { found.append((index, value)) }
        }
        return found.sorted { nodes[$0.index].order > nodes[$1.index].order }
    }

    /// The different values after the first one.
    private func losers(_ found: [(index: Int, value: [UInt8])]) -> [[UInt8]] {
        var seen: Set<[UInt8]> = Set(found.prefix(1).map(\.value))
        return found.map(\.value).filter { seen.insert($0).inserted }
    }
}

// MARK: What must be seen

extension OperationLog {
    /// Whether an operation keeps the entry: it added something, even if that was
    /// removed since, and no deletion had seen it.
    private func exists(_ known: UInt64) -> Bool {
        var exists = false
        let uncleared = uncleared(known)
        forEach(uncleared) { _, node in if node.creates { exists = true } }
        changes(uncleared) { _, change in
            switch change {
            case .set, .add, .setField, .increment, .reset, .setElement: exists = true
            case .remove, .removeField, .move, .removeElement, .dropMoves: break
            }
        }
        return exists
    }

    private func isRemoval(_ change: Change, of element: [UInt8]) -> Bool {
        if case .remove(element) = change { true } else { false }
    }

    private func replacesRegister(_ change: Change, _ field: [UInt8]) -> Bool {
        switch change {
        case .setField(field, _), .increment(field, _), .reset(field, _), .removeField(field): true
        default: false
        }
    }

    private func replacesBase(_ change: Change, _ field: [UInt8]) -> Bool {
        switch change {
        case .setField(field, _), .reset(field, _), .removeField(field): true
        default: false
        }
    }

    func register(_ known: UInt64) -> Shown {
        guard exists(known) else { return .absent }
        let found = candidates(known) { change in
            if case .set(let value) = change { value } else { nil }
        } isReplaced: { change in
            if case .set = change { true } else { false }
        }
        return .register(value: found.first?.value, losers: losers(found))
    }

    /// The kind of a value: data that begins with a kind and a number, after its type and length.
    static func kind(of value: [UInt8]) -> UInt8 { value[2] }

    static func number(of value: [UInt8]) -> UInt8 { value[3] }

    /// The shown value of a register of values that are a kind and a number.
    ///
    /// `sign`: 1 for a maximum, -1 for a minimum.
    func extreme(_ known: UInt64, sign: Int) -> Shown {
        guard exists(known) else { return .absent }
        var best: [UInt8]?
        changes(uncleared(known)) { _, change in
            guard case .set(let value) = change else { return }
            guard let old = best else { return best = value }
            let mine = Int(Self.number(of: value)) * sign
            let theirs = Int(Self.number(of: old)) * sign
            let isOfHigherKind = Self.kind(of: value) > Self.kind(of: old)
            if mine > theirs || (mine == theirs && isOfHigherKind) { best = value }
        }
        return .extreme(best)
    }

    func set(_ known: UInt64) -> Shown {
        guard exists(known) else { return .absent }
        var elements: Set<[UInt8]> = []
        changes(uncleared(known)) { index, change in
            guard case .add(let element) = change else { return }
            if isKept(index, seen(known) { isRemoval($0, of: element) }) {
                elements.insert(element)
            }
        }
        return .set(elements)
    }

    /// A counter's value, and the order of the last operation that counts; nil without any.
    private func counter(_ field: [UInt8], _ known: UInt64) -> (value: Int, order: Order)? {
        var repeated: UInt64 = 0
        forEach(known) { _, node in if let old = node.repeats { repeated |= 1 << UInt64(old) } }
        let dropped = seen(known) { replacesBase($0, field) }
        var value = 0
        var last: Order?
        var base: (number: Int, order: Order)?
        changes(uncleared(known)) { index, change in
            guard isKept(index, dropped) else { return }
            let order = nodes[index].order
            switch change {
            case .increment(field, let number) where isKept(index, repeated):
                value += number
                last = max(last ?? order, order)
            case .reset(field, let number):
                if base.map({ $0.order < order }) ?? true { base = (number, order) }
            default: break
            }
        }
        guard let order = [last, base?.order].compactMap(\.self).max() else { return nil }
        return (value + (base?.number ?? 0), order)
    }

    func counter(_ known: UInt64) -> Shown {
        guard exists(known) else { return .absent }
        return .counter(counter([], known)?.value ?? 0)
    }

    func map(_ known: UInt64, fields: [[UInt8]]) -> Shown {
        guard exists(known) else { return .absent }
        var shown: [[UInt8]: Shown.Field] = [:]
        for field in fields {
            let found = candidates(known) { change in
                if case .setField(field, let value) = change { value } else { nil }
            } isReplaced: {
                replacesRegister($0, field)
            }
            let counter = counter(field, known)
            let isBoth = counter != nil && !found.isEmpty
            if let counter, found.first.map({ nodes[$0.index].order < counter.order }) ?? true {
                shown[field] = Shown.Field(
                    value: nil,
                    losers: [],
                    counter: counter.value,
                    isBoth: isBoth
                )
            } else if let first = found.first {
                shown[field] = Shown.Field(
                    value: first.value,
                    losers: losers(found),
                    counter: nil,
                    isBoth: isBoth
                )
            }
        }
        return .map(shown)
    }

    /// Ids of removed elements that still have a move which nobody dropped.
    func orphans(_ known: UInt64, ids: [[UInt8]]) -> [[UInt8]] {
        ids.filter { element($0, known) == nil && lastMove($0, known) != nil }
    }

    private func lastMove(_ id: [UInt8], _ known: UInt64) -> [UInt8]? {
        candidates(known) { change in
            if case .move(id, let position) = change { position } else { nil }
        } isReplaced: { change in
            switch change {
            case .move(id, _), .removeElement(id), .dropMoves(id): true
            default: false
            }
        }.first?.value
    }

    private func element(_ id: [UInt8], _ known: UInt64) -> Shown.Element? {
        let found = candidates(known) { change in
            if case .setElement(id, let value, _) = change { value } else { nil }
        } isReplaced: { change in
            switch change {
            case .setElement(id, _, _), .removeElement(id): true
            default: false
            }
        }
        guard let first = found.first else { return nil }
        var position: [UInt8] = []
        for change in nodes[first.index].changes {
            if case .setElement(id, _, let written) = change { position = written }
        }
        return Shown.Element(
            id: id,
            value: first.value,
            losers: losers(found),
            position: lastMove(id, known) ?? position
        )
    }

    func list(_ known: UInt64, ids: [[UInt8]]) -> Shown {
        guard exists(known) else { return .absent }
        let elements = ids.compactMap { element($0, known) }
        return .list(
            elements.sorted { left, right in
                left.position == right.position
                    ? left.id.lexicographicallyPrecedes(right.id)
                    : left.position.lexicographicallyPrecedes(right.position)
            }
        )
    }
}

/// What a user sees of an entry.
enum Shown: Equatable {
    struct Field: Equatable {
        let value: [UInt8]?
        let losers: [[UInt8]]
        let counter: Int?
        let isBoth: Bool
    }

    struct Element: Equatable {
        let id: [UInt8]
        let value: [UInt8]
        let losers: [[UInt8]]
        let position: [UInt8]
    }

    case absent
    case register(value: [UInt8]?, losers: [[UInt8]])
    case extreme([UInt8]?)
    case counter(Int)
    case set(Set<[UInt8]>)
    case map([[UInt8]: Field])
    case list([Element])
}
