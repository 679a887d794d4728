internal import KSKeyValues

// The writes of the typed handles, which say what each does.

extension KeyValueTransaction {
    /// Starts a counter again, as ``KeyValueCounter/reset(to:)`` does.
    public mutating func reset(_ key: String, to number: Int64 = 0) {
        append(key, .reset(to: number))
    }

    /// Shows the highest number, as ``KeyValueStore/raise(_:to:)`` does.
    public mutating func raise(_ key: String, to number: some KeyValueConvertible) {
        extend(key, .maximum, number.keyValue)
    }

    /// Shows the lowest number, as ``KeyValueStore/lower(_:to:)`` does.
    public mutating func lower(_ key: String, to number: some KeyValueConvertible) {
        extend(key, .minimum, number.keyValue)
    }

    // MARK: Maps

    /// Sets a field of a map, as ``KeyValueMap/set(_:forField:)`` does.
    public mutating func set(
        _ value: some KeyValueConvertible,
        forField field: String,
        of key: String
    ) {
        append(key, .setField(field, value.keyValue.property))
    }

    /// Adds to a field of a map, as ``KeyValueMap/increment(_:by:)`` does.
    public mutating func increment(field: String, of key: String, by number: Int64 = 1) {
        append(key, .incrementField(field, by: number))
    }

    /// Removes a field of a map, as ``KeyValueMap/remove(_:)`` does.
    public mutating func remove(field: String, of key: String) { append(key, .removeField(field)) }

    // MARK: Lists

    /// Adds an element at the end of a list, as ``KeyValueList/append(_:)`` does.
    public mutating func append(_ element: some KeyValueConvertible, to key: String) {
        append(key, .append([element.keyValue.property]))
    }

    /// Inserts an element into a list, as ``KeyValueList/insert(_:at:)`` does.
    public mutating func insert(
        _ element: some KeyValueConvertible,
        at index: Int,
        into key: String
    ) {
        append(key, .insertAt(.index(index), [element.keyValue.property]))
    }

    /// Replaces an element of a list, as ``KeyValueList/set(_:at:)`` does.
    public mutating func set(_ element: some KeyValueConvertible, at index: Int, of key: String) {
        append(key, .setAt(.index(index), element.keyValue.property))
    }

    /// Removes an element of a list, as ``KeyValueList/remove(at:)`` does.
    public mutating func remove(at index: Int, from key: String) {
        append(key, .removeAt(.index(index)))
    }

    /// Moves an element of a list, as ``KeyValueList/move(from:to:)`` does.
    public mutating func move(from index: Int, to target: Int, of key: String) {
        append(key, .move(from: .index(index), to: .index(target)))
    }

    // MARK: The highest and lowest number

    private mutating func extend(_ key: String, _ type: MergeType, _ number: KeyValue) {
        let set = EntryWrite.set(number.property, base: nil)
        let declared = declaredType(key)
        // The first number is set before the declaration, which converts it.
        if declared == nil { append(key, set) }
        if declared != type { append(key, .declare(type)) }
        if declared != nil { append(key, set) }
    }

    /// The type that the key has after the writes until now; nil for no key.
    private func declaredType(_ key: String) -> MergeType? {
        var declared = declaredBefore(key)
        for write in writes where write.key.hasSameBytes(as: key) {
            switch write.action {
            case .delete: declared = nil
            case .write(let write): declared = write.type ?? declared ?? .register
            }
        }
        return declared
    }
}
