internal import KSKeyValues

/// Writes of several keys that are carried out together.
public struct KeyValueTransaction {
    var writes: [KeyWrite] = []
    /// The type of a key before the transaction; nil for no key.
    let declaredBefore: (String) -> MergeType?

    init(declaredBefore: @escaping (String) -> MergeType?) { self.declaredBefore = declaredBefore }

    /// Sets a key, as ``KeyValueStore/set(_:forKey:)`` does.
    public mutating func set(_ value: some KeyValueConvertible, forKey key: String) {
        append(key, .set(value.keyValue.property, base: nil))
    }

    /// Removes a key.
    public mutating func removeValue(forKey key: String) {
        writes.append(KeyWrite(key: key, .delete))
    }

    /// Adds to a counter, which is made if the key has no value.
    public mutating func increment(_ key: String, by number: Int64 = 1) {
        append(key, .increment(by: number))
    }

    /// Adds an element to a set, which is made if the key has no value.
    public mutating func insert(_ element: some KeyValueConvertible, into key: String) {
        append(key, .insert([element.keyValue.property]))
    }

    /// Removes an element of a set.
    public mutating func remove(_ element: some KeyValueConvertible, from key: String) {
        append(key, .remove([element.keyValue.property]))
    }

    mutating func append(_ key: String, _ write: EntryWrite) {
        writes.append(KeyWrite(key: key, .write(write)))
    }
}
