import KSKeyValues
import KSResolution

// The operations of the exhaustive histories.

extension MergingWorld {
    /// One operation of a user.
    enum Deed {
        /// Adds: sets a register, counts one up, inserts into a set; of a map it counts a field up,
        /// of a list it moves the first element to the end, or inserts two into an empty one.
        case add
        /// Takes away: the first element, a map's field; of a register the entry is deleted, of a
        /// counter the number is reset.
        case remove
        /// Sets a map's field to a value.
        case setField
        /// Inserts an element of a list between the first two.
        case insert
        /// Sets the first element of a list.
        case setElement
    }

    /// The two operations that the users of an exhaustive history choose from.
    struct Deeds: Sendable {
        let type: MergeType
        let add: Deed
        let remove: Deed

        static let all: [Deeds] =
            MergeType.allCases.map { Deeds(type: $0, add: .add, remove: .remove) } + [
                Deeds(type: .map, add: .setField, remove: .remove),
                Deeds(type: .map, add: .add, remove: .setField),
                Deeds(type: .list, add: .insert, remove: .remove),
                Deeds(type: .list, add: .add, remove: .setElement),
            ]
    }

    mutating func perform(_ deed: Deed, on device: Int) {
        let view = devices[device].record.view
        let value = Self.value(0, UInt8(log.nodes.count))
        let made: (edit: EntryEdit, changes: [OperationLog.Change])
        switch (type, deed) {
        case (.list, _): return changeList(deed, on: device, MergedList(view), view)
        case (.register, .remove), (.maximum, .remove), (.minimum, .remove):
            return delete(on: device)
        case (.register, _): made = (Register.set(value), [.set(value)])
        case (.maximum, _), (.minimum, _):
            let register = ExtremeRegister(view, type, by: Self.isSmaller)
            let edit = register.extended(to: value, type, by: Self.isSmaller)
            made = (edit, edit.isEmpty ? [] : [.set(value)])
        case (.counter, .remove): made = (Counter.reset(to: 100), [.reset([], 100)])
        case (.counter, _): made = (Counter.increment(by: 1), [.increment([], 1)])
        case (.set, .remove): made = (MergedSet.remove([[1]]), [.remove([1])])
        case (.set, _): made = (MergedSet.add([[1]]), [.add([1])])
        case (.map, .setField):
            made = (MergedMap(view).set([1], to: value), [.setField([1], value)])
        case (.map, .remove):
            let map = MergedMap(view)
            guard map.fields[[1]] != nil else { return }
            made = (map.remove([1]), [.removeField([1])])
        case (.map, _): made = (MergedMap(view).increment([1], by: 1), [.increment([1], 1)])
        }
        apply(made.edit, made.changes, on: device, creates: !view.isAlive)
    }

    private mutating func changeList(
        _ deed: Deed,
        on device: Int,
        _ list: MergedList,
        _ view: RecordState
    ) {
        // No two elements are equal, because changes are derived from what is shown.
        let value = Self.value(1, UInt8(log.nodes.count))
        do throws(KeyValueError) {
            let count = list.elements.count
            let edit: EntryEdit
            switch deed {
            case .remove where count == 0: return
            case .remove: edit = try list.remove(at: 0)
            case _ where count == 0: edit = try list.insert([[0], [1]], at: 0, using: &random)
            case .insert: edit = try list.insert([value], at: 1, using: &random)
            case .setElement: edit = try list.set(value, at: 0)
            case .add, .setField:
                if bug == .copiedMoves {
                    return try moveCopy(from: 0, to: count - 1, of: list, on: device)
                }
                edit = try list.move(from: 0, to: count - 1, using: &random)
            }
            try apply(edit, from: list, on: device, creates: !view.isAlive)
        } catch {
            difference = difference ?? "a write was refused: \(error)"
        }
    }
}
