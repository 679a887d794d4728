/// Which place of a list a write means.
package enum ListPlace: Equatable, Sendable {
    /// In the list as it is when the write is carried out.
    case index(Int)
    /// In the list as the program read it.
    case seen(SeenPlace)
}

extension ListPlace: ExpressibleByIntegerLiteral {
    package init(integerLiteral index: Int) { self = .index(index) }
}

/// A place of a list as a program read it, which is found again after others changed the list.
///
/// It has the element at the place and those around it, not the whole list: a thousand writes to a
/// long list have to fit into one call.
package struct SeenPlace: Equatable, Sendable {
    /// An element, by its value and its number among equal ones.
    package struct Element: Equatable, Sendable {
        /// Encoded.
        package let value: [UInt8]
        /// How many equal elements came before it.
        package let earlier: Int
        /// How many equal elements the list had, this one included.
        package let count: Int

        /// Nil if it is not one of them.
        package init?(value: [UInt8], earlier: Int, count: Int) {
            guard (0..<count).contains(earlier) else { return nil }
            (self.value, self.earlier, self.count) = (value, earlier, count)
        }
    }

    /// How many elements it has on each side.
    static let neighborsMax = 4

    package let index: Int
    /// The element at the index; nil for the place after the last one.
    package let element: Element?
    /// The elements before the place, nearest first.
    package let before: [Element]
    /// The elements after ``element``, nearest first.
    package let after: [Element]

    package init(index: Int, element: Element?, before: [Element], after: [Element]) {
        (self.index, self.element) = (index, element)
        (self.before, self.after) = (before, after)
    }

    /// - Parameters:
    ///   - index: from 0 to the number of values.
    ///   - values: the list that the program read.
    package init(_ index: Int, in values: [[UInt8]]) {
        func element(_ index: Int) -> Element? {
            guard values.indices.contains(index) else { return nil }
            let value = values[index]
            return Element(
                value: value,
                earlier: values[..<index].count { $0 == value },
                count: values.count { $0 == value }
            )
        }
        self.init(
            index: index,
            element: element(index),
            before: (1...Self.neighborsMax).compactMap { element(index - $0) },
            after: (1...Self.neighborsMax).compactMap { element(index + $0) }
        )
    }
}

// MARK: The place in a list that others have changed

extension SeenPlace {
    /// The index of the element; nil if it was removed or replaced.
    func element(in values: [[UInt8]]) -> Int? {
        guard let element else { return nil }
        let equal = values.indices.filter { values[$0] == element.value }
        if equal.count == element.count { return equal[element.earlier] }
        // An equal element was added or removed: the program means the one between the same
        // neighbors.
        let between = equal.first { index in
            (index == 0 ? nil : values[index - 1]) == before.first?.value
                && (index + 1 == values.count ? nil : values[index + 1]) == after.first?.value
        }
        // If equal elements were removed, the rest may not be the one that the program means.
        return between ?? (equal.count < element.count ? nil : nearest(of: equal, to: index))
    }

    /// The index at which an insertion goes: beside the nearest element that is still there.
    func gap(in values: [[UInt8]]) -> Int {
        let following = (element.map { [$0] } ?? []) + after
        for distance in 0..<max(before.count, following.count) {
            if before.indices.contains(distance),
                let place = find(before[distance], near: index.moved(by: -1 - distance), in: values)
            {
                return place + 1
            }
            if following.indices.contains(distance),
                let place = find(following[distance], near: index.moved(by: distance), in: values)
            {
                return place
            }
        }
        if following.isEmpty { return values.count }
        return min(max(index, 0), values.count)
    }

    private func find(_ element: Element, near index: Int, in values: [[UInt8]]) -> Int? {
        let equal = values.indices.filter { values[$0] == element.value }
        return equal.count == element.count
            ? equal[element.earlier] : nearest(of: equal, to: index)
    }

    private func nearest(of places: [Int], to index: Int) -> Int? {
        // Bytes from elsewhere may hold any index.
        places.min { $0.distanceMagnitude(to: index) < $1.distanceMagnitude(to: index) }
    }
}

// These do not overflow.
extension Int {
    /// The index at this distance, or the first or last possible one.
    fileprivate func moved(by distance: Int) -> Int {
        let (index, isBeyond) = addingReportingOverflow(distance)
        guard isBeyond else { return index }
        return distance < 0 ? .min : .max
    }

    fileprivate func distanceMagnitude(to other: Int) -> UInt {
        self < other ? UInt(bitPattern: other &- self) : UInt(bitPattern: self &- other)
    }
}

extension ListPlace {
    /// The index of the element that is meant; nil if it was removed or replaced.
    fileprivate func element(in values: [[UInt8]]) -> Int? {
        switch self {
        case .index(let index): index
        case .seen(let place): place.element(in: values)
        }
    }

    /// The index at which an insertion goes.
    fileprivate func gap(in values: [[UInt8]]) -> Int {
        switch self {
        case .index(let index): index
        case .seen(let place): place.gap(in: values)
        }
    }
}

// An index can make an edit fail; a place that a program saw never does.
extension MergedList {
    /// Inserts values at a place.
    package func insert(
        _ values: [[UInt8]],
        at place: ListPlace,
        limits: MergeLimits = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        try insert(values, at: place.gap(in: self.values), limits: limits, using: &random)
    }

    /// Sets the value of an element, or inserts it where the element was removed or replaced.
    package func set(
        _ value: [UInt8],
        at place: ListPlace,
        limits: MergeLimits = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        guard let index = place.element(in: values) else {
            return try insert([value], at: place, limits: limits, using: &random)
        }
        return try set(value, at: index)
    }

    /// Removes an element; nothing happens if it was removed or replaced.
    package func remove(at place: ListPlace) throws(KeyValueError) -> EntryEdit {
        guard let index = place.element(in: values) else { return EntryEdit() }
        return try remove(at: index)
    }

    /// Moves an element; nothing happens if it was removed or replaced.
    ///
    /// - Parameters:
    ///   - place: the element.
    ///   - target: its new place, in the list without it.
    ///   - limits: for the length of positions.
    ///   - random: makes the position.
    /// - Returns: the edit.
    /// - Throws: ``KeyValueError/noSuchPlace(_:count:)`` for an index, or
    ///   ``KeyValueError/limitExceeded(_:wanted:max:)``.
    package func move(
        from place: ListPlace,
        to target: ListPlace,
        limits: MergeLimits = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(KeyValueError) -> EntryEdit {
        guard let index = place.element(in: values) else { return EntryEdit() }
        var others = values
        if others.indices.contains(index) { others.remove(at: index) }
        let end = target.gap(in: others)
        return try move(from: index, to: end, limits: limits, using: &random)
    }
}
