internal import KSKeyValues

// Keys whose concurrent changes are merged. The type is declared by the first change, and sealed
// with the value; another type is refused from then on.

extension KeyValueStore {
    /// A counter: the increments of all devices add up.
    public func counter(_ key: String) -> KeyValueCounter { KeyValueCounter(store: self, key: key) }

    /// A set: an addition wins over a concurrent removal.
    public func set<Element>(of type: Element.Type, _ key: String) -> KeyValueSet<Element> {
        KeyValueSet(store: self, key: key)
    }

    /// A list: elements in an order that all devices share.
    public func list<Element>(of type: Element.Type, _ key: String) -> KeyValueList<Element> {
        KeyValueList(store: self, key: key)
    }

    /// A map: each field merges by itself, as a last written value or as a counter.
    public func map(_ key: String) -> KeyValueMap { KeyValueMap(store: self, key: key) }

    /// Shows the highest number that any device has ever set.
    ///
    /// - Throws: ``KeyValueStoreError``.
    public func raise(_ key: String, to number: some KeyValueConvertible) throws(KeyValueStoreError)
    {
        try transaction { $0.raise(key, to: number) }
    }

    /// Shows the lowest number that any device has ever set.
    ///
    /// - Throws: ``KeyValueStoreError``.
    public func lower(_ key: String, to number: some KeyValueConvertible) throws(KeyValueStoreError)
    {
        try transaction { $0.lower(key, to: number) }
    }

    fileprivate func write(_ key: String, _ write: EntryWrite) throws(KeyValueStoreError) {
        try transaction { $0.append(key, write) }
    }
}

/// A number to which all devices add.
public struct KeyValueCounter: Sendable {
    let store: KeyValueStore
    /// The key in the store.
    public let key: String

    /// The sum; 0 if there is no counter, and beyond 64 bits the nearest number that fits.
    public var value: Int64 { store.value(forKey: key) ?? 0 }

    /// Whether the sum is beyond 64 bits.
    public var overflows: Bool {
        store.session.read { $0.entry(StoreKey(key))?.overflows ?? false }
    }

    /// Adds a number, which may be negative.
    ///
    /// - Throws: ``KeyValueStoreError`` if the key has another type.
    public func increment(by number: Int64 = 1) throws(KeyValueStoreError) {
        try store.write(key, .increment(by: number))
    }

    /// Starts again from a number; increments that other devices make at the same time still count.
    ///
    /// - Throws: ``KeyValueStoreError`` if the key has another type.
    public func reset(to number: Int64 = 0) throws(KeyValueStoreError) {
        try store.write(key, .reset(to: number))
    }
}

/// Different elements, which all devices add and remove.
public struct KeyValueSet<Element: KeyValueConvertible & Hashable>: Sendable {
    let store: KeyValueStore
    /// The key in the store.
    public let key: String

    /// The elements of this type.
    public var elements: Set<Element> {
        Set((store.value([KeyValue].self, forKey: key) ?? []).compactMap(Element.init))
    }

    /// Whether an element is in the set.
    public func contains(_ element: Element) -> Bool { elements.contains(element) }

    /// Adds elements.
    ///
    /// - Throws: ``KeyValueStoreError`` if the key has another type, or a limit is reached.
    public func insert(_ elements: Element...) throws(KeyValueStoreError) {
        try store.write(key, .insert(elements.map(\.keyValue.property)))
    }

    /// Removes elements; nothing happens for those that are not there.
    ///
    /// - Throws: ``KeyValueStoreError`` if the key has another type.
    public func remove(_ elements: Element...) throws(KeyValueStoreError) {
        try store.write(key, .remove(elements.map(\.keyValue.property)))
    }
}

/// Elements in an order that all devices share.
///
/// An index means the list that this process last read, with what it has written since. If others
/// have changed the list meanwhile, the element that was read there is found in the present list;
/// one that was removed is not removed again, and a new one goes beside its neighbors.
public struct KeyValueList<Element: KeyValueConvertible>: Sendable {
    let store: KeyValueStore
    /// The key in the store.
    public let key: String

    /// The elements; empty if one of them has another type.
    public var elements: [Element] { store.value(forKey: key) ?? [] }

    /// Inserts elements before the one with this index, or at the end.
    ///
    /// - Throws: ``KeyValueStoreError`` for an index beyond the end, another type of the key, or a
    ///   limit.
    public func insert(_ elements: Element..., at index: Int) throws(KeyValueStoreError) {
        try store.write(key, .insertAt(.index(index), elements.map(\.keyValue.property)))
    }

    /// Adds elements at the end.
    ///
    /// - Throws: ``KeyValueStoreError`` for another type of the key, or a limit.
    public func append(_ elements: Element...) throws(KeyValueStoreError) {
        try store.write(key, .append(elements.map(\.keyValue.property)))
    }

    /// Replaces an element, which keeps its place; one that was removed meanwhile is there again.
    ///
    /// - Throws: ``KeyValueStoreError`` if there is no such element.
    public func set(_ element: Element, at index: Int) throws(KeyValueStoreError) {
        try store.write(key, .setAt(.index(index), element.keyValue.property))
    }

    /// Removes an element.
    ///
    /// - Throws: ``KeyValueStoreError`` if there is no such element.
    public func remove(at index: Int) throws(KeyValueStoreError) {
        try store.write(key, .removeAt(.index(index)))
    }

    /// Moves an element to where it has the index `target` afterwards.
    ///
    /// - Throws: ``KeyValueStoreError`` if there is no such element.
    public func move(from index: Int, to target: Int) throws(KeyValueStoreError) {
        try store.write(key, .move(from: .index(index), to: .index(target)))
    }
}

/// Named fields: each holds the last value that was written, or is a counter.
public struct KeyValueMap: Sendable {
    let store: KeyValueStore
    /// The key in the store.
    public let key: String

    /// The fields with their values; a counter's is an integer.
    public var fields: [String: KeyValue] {
        store.value([String: KeyValue].self, forKey: key) ?? [:]
    }

    /// Sets a field; to a counter the difference from the number that was last read is added.
    ///
    /// - Throws: ``KeyValueStoreError`` if the key has another type, or a limit is reached.
    public func set(
        _ value: some KeyValueConvertible,
        forField field: String
    ) throws(KeyValueStoreError) {
        try store.write(key, .setField(field, value.keyValue.property))
    }

    /// Adds to a field, which is a counter from then on.
    ///
    /// - Throws: ``KeyValueStoreError`` if the field or the key has another type.
    public func increment(_ field: String, by number: Int64 = 1) throws(KeyValueStoreError) {
        try store.write(key, .incrementField(field, by: number))
    }

    /// Removes a field, unless another device has set it since it was read.
    ///
    /// - Throws: ``KeyValueStoreError`` if the key has another type.
    public func remove(_ field: String) throws(KeyValueStoreError) {
        try store.write(key, .removeField(field))
    }
}
