internal import KSRedaction

/// Reads the entries of a key-value store, or one of them.
package struct ReadKeyValues: AgentCall, Codable {
    package typealias Answer = [KeyValueEntry]
    package static let name = "kv.read"
    package static let permission = AgentPermission.hasAccessGroup
    package var mayRepeat: Bool { true }

    /// Nil for the program's own store.
    package var store: String?
    /// Nil for all keys.
    package var key: String?

    package init(store: String?, key: String? = nil) {
        self.store = store
        self.key = key
    }
}

/// An entry of a key-value store.
package struct KeyValueEntry: AgentCoded, Codable {
    package var store: String
    package var key: String
    /// `register`, `max`, `min`, `counter`, `set`, `map` or `list`; nil for a newer program's.
    package var type: String?
    /// An encoded `PropertyValue`; nil if this program cannot read it.
    package var value: [UInt8]?
    /// Whether a counter is beyond 64 bits; its value is the nearest that fits.
    package var overflows: Bool
    package var changed: AgentDate

    package init(
        store: String,
        key: String,
        type: String?,
        value: [UInt8]?,
        overflows: Bool,
        changed: AgentDate
    ) {
        self.store = store
        self.key = key
        self.type = type
        self.value = value
        self.overflows = overflows
        self.changed = changed
    }
}

/// Lists the key-value stores of the device.
package struct ListKeyValueStores: AgentCall, Codable {
    package typealias Answer = [KeyValueStoreSize]
    package static let name = "kv.stores"
    package static let permission = AgentPermission.seesAll
    package var mayRepeat: Bool { true }

    package init() {}
}

/// How much a store holds.
package struct KeyValueStoreSize: AgentCoded, Codable {
    package var store: String
    package var keys: Int
    /// The bytes of all encoded values.
    package var bytes: Int

    package init(store: String, keys: Int, bytes: Int) {
        self.store = store
        self.keys = keys
        self.bytes = bytes
    }
}

/// Writes to a key-value store, all in one transaction.
package struct WriteKeyValues: AgentCall, Codable {
    package typealias Answer = [KeyValueRefusal]
    package static let name = "kv.write"
    package static let permission = AgentPermission.hasAccessGroup

    /// Nil for the program's own store.
    package var store: String?
    /// Encoded `KeyWrite` values, in their order.
    package var writes: [AgentValue]

    package init(store: String?, writes: [[UInt8]]) {
        self.store = store
        self.writes = writes.map { .data($0) }
    }
}

/// A write that was refused; it changed nothing.
package struct KeyValueRefusal: AgentCoded, Codable {
    /// Which write, counted from 0.
    package var place: Int
    package var sentence: String

    package init(place: Int, sentence: String) {
        self.place = place
        self.sentence = sentence
    }
}

/// Reports each change of a store until the caller hangs up.
///
/// A report is an ``AgentProgress`` whose text is the key; `done` is 1 if the change came from
/// another device. The first report has an empty text: everything from then on is reported.
package struct WatchKeyValues: AgentCall, Codable {
    package static let name = "kv.watch"
    package static let permission = AgentPermission.hasAccessGroup
    package static let countsAsUse = false

    /// Nil for the program's own store.
    package var store: String?

    package init(store: String?) {
        self.store = store
    }
}

extension KeyValueEntry: Redacted {}
extension WriteKeyValues: Redacted {}
