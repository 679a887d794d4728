internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSResolution

/// How changes of one key on several devices become one value.
public enum StoryMergeType: String, CaseIterable, Sendable {
    /// The last writer wins; the other concurrent values are kept.
    case register
    /// The largest number.
    case maximum = "max"
    /// The smallest number.
    case minimum = "min"
    /// A number whose increments add up.
    case counter
    /// Different elements; an addition beats a concurrent removal.
    case set
    /// Fields, each a value or a counter.
    case map
    /// Elements in an order.
    case list
}

extension Story.Device {
    /// A key-value store of the device's programs.
    public var keyValues: KeyValues { KeyValues(owner: self) }

    /// What programs see of every key.
    func entries() throws -> [String: StoryValue] {
        try story.reporting(device) {
            try device.entries().compactMapValues { $0.value.map(StoryValue.init) }
        }
    }

    /// A key-value store on one device of a story.
    ///
    /// A key gets its merge type from the first write, as with `sync-client kv`.
    public struct KeyValues {
        let owner: Story.Device
        private var device: SimulatedDevice { owner.device }

        // MARK: Writing

        /// Sets a whole value; of a merged type only the difference from what is shown is written.
        public func set(_ key: String, to value: StoryValue) throws {
            try write(key, .set(value.property, base: shown(key)))
        }

        /// Deletes a key.
        public func delete(_ key: String) throws {
            try owner.act("deletes key \(key)") { try device.delete(key: key) }
        }

        /// Sets the merge type of a key that has none yet, or is a register.
        public func declare(_ key: String, as type: StoryMergeType) throws {
            guard let type = MergeType(named: type.rawValue) else { return }
            try write(key, .declare(type))
        }

        /// Adds to a counter, or subtracts from it.
        public func increment(_ key: String, by amount: Int64 = 1) throws {
            try write(key, .increment(by: amount))
        }

        /// Sets a counter; increments made at the same time elsewhere still count.
        public func reset(_ key: String, to value: Int64 = 0) throws {
            try write(key, .reset(to: value))
        }

        /// Adds elements to a set.
        public func add(_ elements: [StoryValue], to key: String) throws {
            try write(key, .insert(elements.map(\.property)))
        }

        /// Removes elements from a set.
        public func remove(_ elements: [StoryValue], from key: String) throws {
            try write(key, .remove(elements.map(\.property)))
        }

        /// Sets a field of a map.
        public func setField(_ field: String, of key: String, to value: StoryValue) throws {
            try write(key, .setField(field, value.property))
        }

        /// Adds to a field of a map that is a counter.
        public func incrementField(_ field: String, of key: String, by amount: Int64) throws {
            try write(key, .incrementField(field, by: amount))
        }

        /// Removes a field of a map.
        public func removeField(_ field: String, of key: String) throws {
            try write(key, .removeField(field))
        }

        /// Adds elements at the end of a list.
        public func append(_ elements: [StoryValue], to key: String) throws {
            try write(key, .append(elements.map(\.property)))
        }

        /// Inserts elements into a list; places count from 0.
        public func insert(_ elements: [StoryValue], into key: String, at place: Int) throws {
            try write(key, .insertAt(.index(place), elements.map(\.property)))
        }

        /// Sets an element of a list.
        public func setElement(_ place: Int, of key: String, to value: StoryValue) throws {
            try write(key, .setAt(.index(place), value.property))
        }

        /// Removes an element of a list.
        public func removeElement(_ place: Int, of key: String) throws {
            try write(key, .removeAt(.index(place)))
        }

        /// Moves an element of a list; the target is a place of the list without it.
        public func moveElement(_ place: Int, of key: String, to target: Int) throws {
            try write(key, .move(from: .index(place), to: .index(target)))
        }

        private func shown(_ key: String) throws -> PropertyValue? {
            try owner.ask { try device.entries()[key]?.value }
        }

        private func write(_ key: String, _ write: EntryWrite) throws {
            try owner.act("writes key \(key)") { try device.write([write], key: key) }
        }

        // MARK: Questions

        /// The keys that have a value, in the order of their bytes.
        public func keys() throws -> [String] {
            try owner.ask {
                try owner.entries().keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
        }

        /// What programs see of a key; nil without a value.
        public func value(_ key: String) throws -> StoryValue? {
            try shown(key).map(StoryValue.init)
        }

        /// The values that are not shown, newest first: of concurrent writes of a register, of a
        /// map's fields and of a list's elements, and of types that devices declared at the same
        /// time.
        public func conflicts(_ key: String) throws -> [StoryValue] {
            try owner.ask {
                let view = try device.record(key: key).view
                let parts = EntryReading.conflictingParts(of: view).map(\.value)
                return (EntryReading.conflictingValues(of: view) + parts).map(StoryValue.init)
            }
        }

        /// The values that later ones have replaced, newest first; of registers and extremes only.
        public func history(_ key: String) throws -> [StoryValue] {
            try owner.ask {
                EntryReading.history(of: try device.record(key: key).view)
                    .map { StoryValue($0.value) }
            }
        }

        /// The device that wrote last; nil if that is unknown.
        public func writer(_ key: String) throws -> String? {
            try owner.ask { EntryReading(try device.record(key: key).view)?.device }
        }
    }
}
