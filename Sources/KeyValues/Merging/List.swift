internal import KSDigests
internal import KSRecords
internal import KSResolution

/// A list: elements with ids, each with a value and a position of its own.
///
/// A position is a fraction between its neighbours', so nothing refers to an element that may be
/// gone. Moving sets the position alone, so concurrent moves never make two copies. A value also
/// keeps the position at which it was written: should another device have removed the element
/// meanwhile, the edited element stays where it was.
enum List {
    /// Bytes of one position.
    static let positionBytesMax = 64
    static let idBytes = 16

    struct Element: Equatable {
        let id: [UInt8]
        let position: [UInt8]
        let value: PropertyValue
    }

    /// The elements in their order: by position, and equal positions by id.
    static func read(_ state: ItemState) -> [Element] {
        state.names.compactMap { name -> Element? in
            guard case .listElement(let id)? = PartName.part(name),
                let bytes = state.livePart(name),
                // A newer program's element is not shown, and stays in the record.
                let kept = try? KeptElement(decoding: bytes)
            else { return nil }
            let position = state.livePart(PartName.listPosition(id)) ?? kept.position
            return Element(id: id, position: position, value: kept.value)
        }
        .sorted { left, right in
            left.position == right.position
                ? left.id.lexicographicallyPrecedes(right.id)
                : left.position.lexicographicallyPrecedes(right.position)
        }
    }

    static func insert(
        _ values: [PropertyValue],
        at place: Int,
        of elements: [Element],
        random: (Int) -> [UInt8],
        into edit: inout EntryEdit
    ) {
        guard !values.isEmpty else { return }
        let left = place > 0 ? elements[place - 1].position : []
        let right = place < elements.count ? elements[place].position : nil
        let new = values.map { (id: random(idBytes), value: $0) }
        let positions = Self.positions(count: new.count, after: left, before: right, random)
        if positions.contains(where: { $0.count > positionBytesMax }) {
            // All elements get short positions; this happens once in thousands of insertions.
            var all = elements.map { (id: $0.id, value: $0.value) }
            all.insert(contentsOf: new, at: place)
            write(all, Self.positions(count: all.count, after: [], before: nil, random), &edit)
        } else {
            write(new, positions, &edit)
        }
    }

    /// Makes a list of what a plain array holds.
    ///
    /// Ids and positions depend on the elements alone, so two devices that do it at the same time
    /// make one list.
    static func convert(_ values: [PropertyValue], into edit: inout EntryEdit) {
        let elements = values.enumerated().map { index, value in
            let id = SHA256.hash(Array("list \(index) ".utf8) + value.encoded).prefix(idBytes)
            return (id: Array(id), value: value)
        }
        let positions = positions(count: elements.count, after: [], before: nil) { count in
            [UInt8](repeating: 128, count: count)
        }
        write(elements, positions, &edit)
    }

    static func move(
        _ element: Element,
        after left: [UInt8],
        before right: [UInt8]?,
        random: (Int) -> [UInt8],
        in edit: inout EntryEdit
    ) {
        let position = positions(count: 1, after: left, before: right, random)[0]
        edit.set(PartName.listPosition(element.id), position)
    }

    static func set(_ element: Element, to value: PropertyValue, in edit: inout EntryEdit) {
        let kept = KeptElement(position: element.position, value: value)
        edit.set(PartName.listElement(element.id), kept.encoded)
    }

    static func remove(_ id: [UInt8], in edit: inout EntryEdit) {
        edit.remove(PartName.listElement(id))
        edit.remove(PartName.listPosition(id))
    }

    /// Positions whose element is gone; the next edit drops them.
    static func orphans(in state: ItemState) -> [ValueName] {
        state.names.filter { name in
            guard case .listPosition(let id)? = PartName.part(name) else { return false }
            return state.values[PartName.listElement(id)] == nil
        }
    }

    private static func write(
        _ elements: [(id: [UInt8], value: PropertyValue)],
        _ positions: [[UInt8]],
        _ edit: inout EntryEdit
    ) {
        for (element, position) in zip(elements, positions) {
            let kept = KeptElement(position: position, value: element.value)
            edit.set(PartName.listElement(element.id), kept.encoded)
            edit.set(PartName.listPosition(element.id), position)
        }
    }

    // MARK: Positions

    /// Positions between two others, in rising order.
    ///
    /// All begin with the same random bytes, so what two devices insert at one place does not
    /// interleave.
    private static func positions(
        count: Int,
        after left: [UInt8],
        before right: [UInt8]?,
        _ random: (Int) -> [UInt8]
    ) -> [[UInt8]] {
        // A position must not end with 0: there would be none below it.
        let prefix = between(left, right) + random(3).map { max($0, 1) }
        if count == 1 { return [prefix] }
        return (0..<count).map { index in
            let digits = [index / 255 / 255 % 255, index / 255 % 255, index % 255]
            return prefix + digits.map { UInt8($0 + 1) }
        }
    }

    /// Digits of a fraction above `left` and below `right`; nil is above everything.
    private static func between(_ left: [UInt8], _ right: [UInt8]?) -> [UInt8] {
        var digits: [UInt8] = []
        // Two devices may have drawn equal positions; nothing fits between these.
        var right = right.flatMap { left.lexicographicallyPrecedes($0) ? $0 : nil }
        while true {
            let place = digits.count
            let low = place < left.count ? Int(left[place]) : 0
            let high = right.map { place < $0.count ? Int($0[place]) : 0 } ?? 256
            if high - low > 1 {
                // At either end the next digit: halves would use up the room in a few insertions.
                let digit =
                    right == nil ? low + 1 : left.isEmpty ? high - 1 : (low + high) / 2
                return digits + [UInt8(digit)]
            }
            digits.append(UInt8(low))
            if high > low { right = nil }
        }
    }
}

/// The value of an element, and where it was when it was written.
private struct KeptElement {
    let position: [UInt8]
    let value: PropertyValue

    init(position: [UInt8], value: PropertyValue) {
        self.position = position
        self.value = value
    }

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactBytes(position)
        value.encode(into: &encoder)
        return encoder.encoded
    }

    init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        position = try decoder.compactBytes()
        value = try PropertyValue(from: &decoder)
        try decoder.end()
    }
}
