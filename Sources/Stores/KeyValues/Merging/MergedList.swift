internal import KSCausality
internal import KSRecords
package import KSResolution

/// A list: elements in an order, which can be inserted, set, moved and removed.
///
/// An element exists while it has a value: a change of the value beats a concurrent removal, a move
/// does not. The latest of concurrent moves wins, so an element never appears twice.
package struct MergedList: Equatable, Sendable {
    package struct Element: Equatable, Sendable {
        /// 16 random bytes.
        package let id: [UInt8]
        package let value: [UInt8]
        /// Concurrent values that are not shown, newest first.
        package let conflicts: [[UInt8]]
        package let position: [UInt8]
    }

    package static let idBytesCount = 16

    /// In order of their positions; equal positions in order of the ids.
    package let elements: [Element]
    /// Positions of elements that were removed meanwhile; the next edit drops them.
    private let orphans: [ValueName]

    package init(_ state: RecordState) {
        guard state.isAlive else {
            (elements, orphans) = ([], [])
            return
        }
        var elements: [Element] = []
        var names: Set<ValueName> = []
        for (id, values) in state.visibleElements(of: .list) {
            let contents = values.compactMap { $0.value.flatMap(ListContent.init) }
            guard let shown = contents.last else { continue }
            var seen: Set<[UInt8]> = [shown.value]
            let name = MergeType.list.position(id)
            names.insert(name)
            elements.append(
                Element(
                    id: id,
                    value: shown.value,
                    conflicts: contents.reversed().map(\.value).filter { seen.insert($0).inserted },
                    position: state.visiblePosition(name) ?? shown.position
                )
            )
        }
        self.elements = elements.sorted { left, right in
            left.position == right.position
                ? left.id.lexicographicallyPrecedes(right.id)
                : left.position.lexicographicallyPrecedes(right.position)
        }
        orphans = state.values.keys.filter { name in
            name.kind == ValueName.Kind.position
                && name.nameBytes.first == MergeType.list.rawValue && !names.contains(name)
        }
    }

    /// The values in order.
    package var values: [[UInt8]] { elements.map(\.value) }

    // MARK: Edits

    /// Inserts values before the element with this index, or at the end.
    ///
    /// - Parameters:
    ///   - values: in their order.
    ///   - index: from 0 to the number of elements.
    ///   - limits: for the length of positions.
    ///   - random: makes ids and positions.
    /// - Returns: the edit.
    /// - Throws: ``KeyValueError/noSuchPlace(_:count:)``, or
    ///   ``KeyValueError/limitExceeded(_:wanted:max:)``.
    package func insert(
        _ values: [[UInt8]],
        at index: Int,
        limits: MergeLimits = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        guard (0...elements.count).contains(index) else { throw noElement(index) }
        var items = elements.map(PlannedElement.kept)
        items.insert(contentsOf: values.map(PlannedElement.new), at: index)
        return try edit(to: items, limits: limits, using: &random)
    }

    /// Sets the value of an element, which stays where it is.
    package func set(_ value: [UInt8], at index: Int) throws(KeyValueError) -> EntryEdit {
        guard elements.indices.contains(index) else { throw noElement(index) }
        return edit { edit in
            edit.set(elements[index].id, value, elements[index].position)
        }
    }

    package func remove(at index: Int) throws(KeyValueError) -> EntryEdit {
        guard elements.indices.contains(index) else { throw noElement(index) }
        return edit { $0.remove(elements[index].id) }
    }

    /// Moves an element to where it has the index `target` afterwards.
    ///
    /// - Parameters:
    ///   - index: the element.
    ///   - target: its new index.
    ///   - limits: for the length of positions.
    ///   - random: makes the position.
    /// - Returns: the edit.
    /// - Throws: ``KeyValueError/noSuchPlace(_:count:)``, or
    ///   ``KeyValueError/limitExceeded(_:wanted:max:)``.
    package func move(
        from index: Int,
        to target: Int,
        limits: MergeLimits = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        guard elements.indices.contains(index) else { throw noElement(index) }
        guard elements.indices.contains(target) else { throw noElement(target) }
        var items = elements.map(PlannedElement.kept)
        let element = elements[index]
        items.remove(at: index)
        items.insert(.moved(element), at: target)
        return try edit(to: items, limits: limits, using: &random)
    }

    /// Gives all elements new, short positions in the same order.
    ///
    /// What another device moves or inserts meanwhile may end up elsewhere in the list.
    package func rebalance(using random: inout some RandomNumberGenerator) -> EntryEdit {
        let run = ListPosition.run(elements.count, after: nil, before: nil, using: &random)
        return edit { edit in
            for (element, position) in zip(elements, run ?? []) {
                edit.values[MergeType.list.position(element.id)] = position
            }
        }
    }

    /// The edit of a program that read this list and wrote `values`.
    ///
    /// - Parameters:
    ///   - values: the new list.
    ///   - limits: for the length of positions.
    ///   - random: makes ids and positions.
    /// - Returns: the edit; an element that only changed its place is moved.
    /// - Throws: ``KeyValueError/limitExceeded(_:wanted:max:)``.
    package func difference(
        to values: [[UInt8]],
        limits: MergeLimits = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        try edit(
            to: ListDifference(from: elements, to: values).items,
            limits: limits,
            using: &random
        )
    }

    private func noElement(_ index: Int) -> KeyValueError {
        .noSuchPlace(index, count: elements.count)
    }

    private func edit(_ body: (inout EntryEdit) -> Void) -> EntryEdit {
        var edit = EntryEdit()
        for name in orphans { edit.remove(name) }
        body(&edit)
        return edit
    }

    /// The edit that makes the list from these items; elements that are not among them are removed.
    private func edit(
        to items: [PlannedElement],
        limits: MergeLimits,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        var edit = edit { _ in }
        var left = Set(elements.map(\.id))
        var last: [UInt8]?
        var run: [PlannedElement] = []
        for item in items {
            if let id = item.element?.id { left.remove(id) }
            guard let position = item.anchor else {
                run.append(item)
                continue
            }
            guard let placed = Self.place(run, after: last, before: position, using: &random) else {
                // Nothing lies between equal positions, so this element is moved as well.
                run.append(item)
                continue
            }
            try edit.place(placed, limits)
            if case .changed(let element, let value) = item {
                edit.set(element.id, value, element.position)
            }
            (run, last) = ([], position)
        }
        if let placed = Self.place(run, after: last, before: nil, using: &random) {
            try edit.place(placed, limits)
        }
        for id in left { edit.remove(id) }
        return edit
    }

    /// Gives the items of a run their positions; new ones get ids.
    private static func place(
        _ run: [PlannedElement],
        after last: [UInt8]?,
        before next: [UInt8]?,
        using random: inout some RandomNumberGenerator
    ) -> [PlacedItem]? {
        guard !run.isEmpty else { return [] }
        guard
            let positions = ListPosition.run(run.count, after: last, before: next, using: &random)
        else { return nil }
        var placed: [PlacedItem] = []
        for (item, position) in zip(run, positions) {
            let newID = (0..<idBytesCount).map { _ in UInt8.random(in: 0...255, using: &random) }
            placed.append(PlacedItem(item: item, position: position, newID: newID))
        }
        return placed
    }
}

/// One element of the list that an edit makes.
enum PlannedElement {
    case kept(MergedList.Element)
    /// An element with another value in the same place.
    case changed(MergedList.Element, [UInt8])
    case moved(MergedList.Element)
    case new([UInt8])

    var element: MergedList.Element? {
        switch self {
        case .kept(let element), .changed(let element, _), .moved(let element): element
        case .new: nil
        }
    }

    /// The position that stays; nil for an element that gets a new one.
    var anchor: [UInt8]? {
        switch self {
        case .kept(let element), .changed(let element, _): element.position
        case .moved, .new: nil
        }
    }
}

private struct PlacedItem {
    let item: PlannedElement
    let position: [UInt8]
    let newID: [UInt8]
}

/// The value of a list's element, with the position that it had when it was written.
///
/// The position is used until the element is moved, and again if the move was removed.
struct ListContent {
    let position: [UInt8]
    let value: [UInt8]

    init(position: [UInt8], value: [UInt8]) {
        self.position = position
        self.value = value
    }

    /// Nil for bytes of another form.
    init?(_ encoded: [UInt8]) {
        var decoder = CanonicalDecoder(encoded)
        do throws(RecordsError) {
            position = try decoder.compactBytes()
            value = try decoder.compactBytes()
            try decoder.end()
        } catch {
            return nil
        }
    }

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactBytes(position)
        encoder.compactBytes(value)
        return encoder.encoded
    }
}

extension EntryEdit {
    fileprivate mutating func set(_ id: [UInt8], _ value: [UInt8], _ position: [UInt8]) {
        let content = ListContent(position: position, value: value)
        values[MergeType.list.element(id)] = content.encoded
    }

    fileprivate mutating func remove(_ id: [UInt8]) {
        remove(MergeType.list.element(id))
        remove(MergeType.list.position(id))
    }

    fileprivate mutating func place(
        _ placed: [PlacedItem],
        _ limits: MergeLimits
    ) throws(KeyValueError) {
        for placed in placed {
            guard placed.position.count <= limits.positionBytesMax else {
                throw .limitExceeded(
                    .positionBytes,
                    wanted: placed.position.count,
                    max: limits.positionBytesMax
                )
            }
            switch placed.item {
            case .new(let value): set(placed.newID, value, placed.position)
            case .kept(let element), .moved(let element):
                values[MergeType.list.position(element.id)] = placed.position
            case .changed(let element, let value):
                set(element.id, value, placed.position)
                values[MergeType.list.position(element.id)] = placed.position
            }
        }
    }
}

extension RecordState {
    /// Where an element was last moved, unless a delete had seen the move.
    fileprivate func visiblePosition(_ name: ValueName) -> [UInt8]? {
        values[name]?.last { !deleted.contains($0.stamp) }?.value
    }
}
