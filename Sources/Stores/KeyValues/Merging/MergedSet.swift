internal import KSCausality
package import KSResolution

/// A set: an addition beats a concurrent removal, and a removal leaves nothing behind.
///
/// Elements are equal if their canonical bytes are, so the integer 1 and the real 1.0 differ.
package struct MergedSet: Equatable, Sendable {
    /// In order of their bytes.
    package let elements: [[UInt8]]

    package init(_ state: RecordState) {
        guard state.isAlive else {
            elements = []
            return
        }
        elements = state.visibleElements(of: .set).map(\.bytes).sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }

    /// Adds elements; existing ones then survive a concurrent removal too.
    package static func add(_ elements: some Sequence<[UInt8]>) -> EntryEdit {
        var edit = EntryEdit()
        for element in elements { edit.values[MergeType.set.element(element)] = [] }
        return edit
    }

    package static func remove(_ elements: some Sequence<[UInt8]>) -> EntryEdit {
        var edit = EntryEdit()
        for element in elements { edit.remove(MergeType.set.element(element)) }
        return edit
    }

    /// The edit of a program that read this set and wrote `elements`.
    package func difference(to elements: some Sequence<[UInt8]>) -> EntryEdit {
        let (old, new) = (Set(self.elements), Set(elements))
        var edit = Self.add(new.subtracting(old))
        for element in old.subtracting(new) { edit.remove(MergeType.set.element(element)) }
        return edit
    }
}

extension RecordState {
    /// The elements of a type with a value that no delete had seen: the rest of their names, and
    /// these values in order of their stamps.
    func visibleElements(of type: MergeType) -> [(bytes: [UInt8], values: [StampedValue])] {
        values.compactMap { name, held in
            guard name.kind == ValueName.Kind.element, name.nameBytes.first == type.rawValue else {
                return nil
            }
            let visible = held.filter { !deleted.contains($0.stamp) && $0.value != nil }
            return visible.isEmpty ? nil : (Array(name.nameBytes.dropFirst()), visible)
        }
    }
}
