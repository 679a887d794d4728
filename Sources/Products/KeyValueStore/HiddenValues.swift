public import Foundation
internal import KSAgent
internal import KSKeyValues

// What a store holds beside the values that it shows.

extension KeyValueStore {
    /// The values of concurrent writes of a register that are not shown, newest first.
    ///
    /// Those of a map's fields and of a list's elements are in ``conflictingParts(of:)``.
    /// - Throws: ``KeyValueStoreError`` if the daemon cannot be asked.
    public func conflictingVersions(of key: String) throws(KeyValueStoreError) -> [KeyValue] {
        try hidden(ReadKeyValues(store: session.store, keys: [key], wantsConflicts: true))
            .conflicts.compactMap(KeyValue.init(shown:))
    }

    /// The values of a map's fields or a list's elements that are not shown, because another value
    /// was written at the same time: in the order of the names or places, then newest first.
    ///
    /// They are kept until the field or the element is set again.
    /// - Throws: ``KeyValueStoreError`` if the daemon cannot be asked.
    public func conflictingParts(
        of key: String
    ) throws(KeyValueStoreError) -> [ConflictingKeyValuePart] {
        try hidden(ReadKeyValues(store: session.store, keys: [key], wantsConflicts: true))
            .losers.compactMap(ConflictingKeyValuePart.init)
    }

    /// The values that a register, a maximum or a minimum had before, newest first.
    ///
    /// These are at most 20 values and 128 KiB. Other types keep no history.
    /// - Throws: ``KeyValueStoreError`` if the daemon cannot be asked.
    public func history(of key: String) throws(KeyValueStoreError) -> [PastVersion] {
        try hidden(ReadKeyValues(store: session.store, keys: [key], wantsHistory: true))
            .history.compactMap(PastVersion.init)
    }

    private func hidden(_ call: ReadKeyValues) throws(KeyValueStoreError) -> HiddenKeyValues {
        try asking { () throws(AgentError) in try session.call(call) }.first?.hidden ?? .init()
    }

    /// A value that was replaced.
    public struct PastVersion: Equatable, Sendable {
        /// What the key had.
        public let value: KeyValue
        /// When it was set, by the clock of the device that set it.
        public let date: Date

        fileprivate init?(_ past: PastKeyValue) {
            guard let value = KeyValue(shown: past.value) else { return nil }
            self.value = value
            date = Date(timeIntervalSinceReferenceDate: past.changed.secondsSince2001)
        }
    }
}

/// A value of a map's field or a list's element that was written at the same time as the shown one.
public struct ConflictingKeyValuePart: Equatable, Sendable {
    /// Which part of a value is meant.
    public enum Place: Equatable, Sendable {
        /// A map's field.
        case field(String)
        /// A list's element by its index, in the list as it is on this device's disk.
        case element(Int)
    }

    /// The field or the element.
    public let place: Place
    /// What is not shown of it.
    public let value: KeyValue

    fileprivate init?(_ loser: KeyValueLoser) {
        guard let value = KeyValue(shown: loser.value) else { return nil }
        if let name = loser.field {
            place = .field(name)
        } else if let index = loser.index {
            place = .element(index)
        } else {
            return nil
        }
        self.value = value
    }
}

extension KeyValue {
    /// Nil for a value of a newer program, which cannot be read here.
    fileprivate init?(shown encoded: [UInt8]) {
        // Why it cannot be read makes no difference.
        guard let property = try? PropertyValue(decoding: encoded) else { return nil }
        self.init(property)
    }
}
