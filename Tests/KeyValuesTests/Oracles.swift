import KSKeyValues

/// What a value may be, judged by the log of operations alone.
///
/// An operation *survives* if no later one that had seen it undoes it. Nothing here uses stamps,
/// contexts or joins.
enum Oracle {
    /// Every increment that the last reset had not seen counts; of concurrent resets any may win.
    static func counter(_ log: [MergeWorld.Operation], undone: Set<Int>) -> Set<Int64> {
        var increments: [(index: Int, change: Int64)] = []
        var resets: [(index: Int, value: Int64, past: Set<Int>)] = []
        for (index, operation) in log.enumerated() {
            switch operation.write {
            case .increment(let change) where !undone.contains(index):
                increments.append((index, change))
            case .reset(let value): resets.append((index, value, operation.past))
            default: break
            }
        }
        let newest = resets.filter { reset in !resets.contains { $0.past.contains(reset.index) } }
        guard !newest.isEmpty else { return [increments.reduce(0) { $0 + $1.change }] }
        return Set(
            newest.map { reset in
                let unseen = increments.filter { !reset.past.contains($0.index) }
                return reset.value + unseen.reduce(0) { $0 + $1.change }
            }
        )
    }

    static func set(_ log: [MergeWorld.Operation]) -> Set<PropertyValue> {
        var present: Set<PropertyValue> = []
        for (index, operation) in log.enumerated() {
            guard case .insert(let elements) = operation.write else { continue }
            for element in elements {
                let isRemoved = log.contains { other in
                    guard case .remove(let removed) = other.write else { return false }
                    return removed.contains(element) && other.past.contains(index)
                }
                if !isRemoved { present.insert(element) }
            }
        }
        return present
    }

    /// The values that each field may show; an empty set where it must be missing.
    static func map(_ log: [MergeWorld.Operation]) -> [String: Set<PropertyValue>] {
        var fields: [String: Set<PropertyValue>] = [:]
        for (index, operation) in log.enumerated() {
            guard case .setField(let field, let value) = operation.write else { continue }
            let isReplaced = log.contains { other in
                guard other.past.contains(index) else { return false }
                switch other.write {
                case .setField(field, _), .removeField(field): return true
                default: return false
                }
            }
            if isReplaced { fields[field, default: []].formUnion([]) }
            if !isReplaced { fields[field, default: []].insert(value) }
        }
        return fields
    }

    /// The sum of a field's increments that no removal had seen; nil where there is none.
    static func fieldCounter(_ log: [MergeWorld.Operation], _ field: String) -> Int64? {
        var sum: Int64?
        for (index, operation) in log.enumerated() {
            guard case .incrementField(field, let change) = operation.write else { continue }
            let isRemoved = log.contains { other in
                guard case .removeField(field) = other.write else { return false }
                return other.past.contains(index)
            }
            if !isRemoved { sum = (sum ?? 0) + change }
        }
        return sum
    }

    static func extreme(_ log: [MergeWorld.Operation], _ type: MergeType) -> Int64? {
        let values = log.compactMap { operation -> Int64? in
            guard case .set(.integer(let value), _) = operation.write else { return nil }
            return value
        }
        return type == .maximum ? values.max() : values.min()
    }

    /// The values that a register may show: those that no other write had seen.
    static func register(_ log: [MergeWorld.Operation]) -> Set<PropertyValue> {
        var values: Set<PropertyValue> = []
        for (index, operation) in log.enumerated() {
            guard case .set(let value, _) = operation.write else { continue }
            if !log.contains(where: { other in
                guard case .set = other.write else { return false }
                return other.past.contains(index)
            }) {
                values.insert(value)
            }
        }
        return values
    }
}
