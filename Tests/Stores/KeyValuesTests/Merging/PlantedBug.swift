import KSKeyValues
import KSResolution

/// A fault that the tests must notice.
enum PlantedBug: CaseIterable {
    /// A register forgets the values that it does not show.
    case forgottenLosers
    /// A join leaves out a deleted state if that is the second one.
    case lopsidedJoin
    /// A maximum accepts every number that is set.
    case loweredMaximum
    /// A minimum shows the highest of concurrent numbers.
    case highestMinimum
    /// The counter forgets what was reset.
    case droppedCut
    /// A batch that is taken apart loses its increments.
    case forgottenIncrements
    /// A device that was put back to an earlier copy keeps its actor when its batch is refused.
    case keptActor
    /// The server accepts a second write under a dot, and two copies of a device make equal stamps.
    case reusedDot
    /// 1 and 1.0 are one element.
    case equatedNumbers
    /// A program that writes a counter is taken to have read what the device shows now.
    case forgottenView
    /// The removal of a map's field beats changes that it had not seen.
    case removalWins
    /// A list's element is moved by a removal and an insertion.
    case copiedMoves
    /// List elements with equal positions are in the order of their values.
    case valuesDecide
    /// A removal takes the element that has the index now.
    case removalByIndex

    /// The type whose histories reveal the fault.
    var type: MergeType {
        switch self {
        case .forgottenLosers, .lopsidedJoin: .register
        case .loweredMaximum: .maximum
        case .highestMinimum: .minimum
        case .droppedCut, .forgottenIncrements, .keptActor, .forgottenView: .counter
        case .reusedDot, .equatedNumbers: .set
        case .removalWins: .map
        case .copiedMoves, .valuesDecide, .removalByIndex: .list
        }
    }

    /// Those that the few steps of the exhaustive histories can reveal: without copied devices,
    /// refused batches and equal numbers.
    static let inShortHistories: [PlantedBug] = [
        .forgottenLosers, .highestMinimum, .droppedCut, .removalWins, .copiedMoves,
    ]
}

extension MergingWorld {
    /// The element whose id this is, or whose copy has it.
    func original(_ id: [UInt8]) -> [UInt8] { copies[id] ?? id }

    /// Moves an element as ``PlantedBug/copiedMoves`` does.
    mutating func moveCopy(
        from index: Int,
        to target: Int,
        of list: MergedList,
        on device: Int
    ) throws(KeyValueError) {
        let element = list.elements[index]
        let place = index < target ? target + 1 : target
        var edit = try list.insert([element.value], at: place, using: &random)
        edit.values.merge(try list.remove(at: index).values) { $1 }
        var changes = log.orphans(devices[device].known, ids: ids)
            .map { OperationLog.Change.dropMoves(id: $0) }
        try devices[device].record.apply(edit, as: .list, atMilliseconds: clock(of: device))
        let id = original(element.id)
        let old = Set(list.elements.map(\.id))
        for copy in MergedList(devices[device].record.view).elements where !old.contains(copy.id) {
            copies[copy.id] = id
            changes.append(.move(id: id, position: copy.position))
        }
        note(changes, on: device)
    }
}

extension OperationLog {
    /// The fields that a removal in the set hides under ``PlantedBug/removalWins``: nobody changed
    /// them after it.
    func removedFields(_ known: UInt64) -> Set<[UInt8]> {
        var removed: Set<[UInt8]> = []
        changes(known) { index, change in
            guard case .removeField(let field) = change else { return }
            let later = seen(known) { change in
                switch change {
                case .setField(field, _), .increment(field, _), .reset(field, _): true
                default: false
                }
            }
            if isKept(index, later) { removed.insert(field) }
        }
        return removed
    }
}

extension Shown {
    func without(_ fields: Set<[UInt8]>) -> Shown {
        guard case .map(let shown) = self else { return self }
        return .map(shown.filter { !fields.contains($0.key) })
    }
}
