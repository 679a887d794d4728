internal import KSRedaction

/// Reads the entries of a key-value store, or one of them.
package struct ReadKeyValues: AgentCall, Codable {
    package typealias Answer = [KeyValueEntry]
    package static let name = "kv.read"
    package static let permission = AgentPermission.anyProgram
    package var mayRepeat: Bool { true }

    /// Nil for the program's own store.
    package var store: String?
    /// Nil for all keys.
    package var keys: [String]?
    /// Whether concurrent values that are not shown are wanted too.
    package var wantsConflicts: Bool?
    /// Whether the values that were replaced are wanted too.
    package var wantsHistory: Bool?
    /// Whether a person sees these values: their conflicts are not listed again.
    package var marksConflicts: Bool?

    package init(
        store: String?,
        keys: [String]? = nil,
        wantsConflicts: Bool? = nil,
        wantsHistory: Bool? = nil,
        marksConflicts: Bool? = nil
    ) {
        (self.store, self.keys, self.wantsConflicts) = (store, keys, wantsConflicts)
        (self.wantsHistory, self.marksConflicts) = (wantsHistory, marksConflicts)
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
    /// The name of the device that changed it last; nil for a change that was made without an
    /// account and is not sent yet.
    package var device: String?
    /// Whether that was another device.
    package var isExternal: Bool
    /// Nil unless the call asked for it.
    package var hidden: HiddenKeyValues?

    package init(
        store: String,
        key: String,
        type: String?,
        value: [UInt8]?,
        overflows: Bool,
        changed: AgentDate,
        device: String?,
        isExternal: Bool
    ) {
        (self.device, self.isExternal, self.store, self.key) = (device, isExternal, store, key)
        (self.type, self.value, self.overflows, self.changed) = (type, value, overflows, changed)
    }

    // Written by hand, because a program reads thousands of entries at its start.
    package init(_ value: AgentValue) throws(AgentError) {
        let fields = value.members
        guard let store = fields["store"]?.string, let key = fields["key"]?.string,
            let overflows = fields["overflows"]?.bool, let changed = fields["changed"]?.date,
            let isExternal = fields["isExternal"]?.bool
        else { throw .malformedMessage }
        (self.store, self.key, self.overflows) = (store, key, overflows)
        (self.changed, self.isExternal) = (AgentDate(secondsSince2001: changed), isExternal)
        type = try fields.optional("type") { $0.string }
        self.value = try fields.optional("value") { $0.data }
        device = try fields.optional("device") { $0.string }
        hidden = try fields["hidden"].map { value throws(AgentError) in try .init(value) }
    }

    package var agentValue: AgentValue {
        var fields: AgentDictionary = [
            "changed": .date(changed.secondsSince2001), "isExternal": .bool(isExternal),
            "key": .string(key), "overflows": .bool(overflows), "store": .string(store),
        ]
        fields["hidden"] = hidden?.agentValue
        fields["device"] = device.map { .string($0) }
        fields["type"] = type.map { .string($0) }
        fields["value"] = value.map { .data($0) }
        return .dictionary(fields)
    }
}

/// What an entry holds beside the value that it shows, as encoded `PropertyValue` values.
package struct HiddenKeyValues: AgentCoded, Codable, Redacted {
    /// Of concurrent writes, newest first.
    package var conflicts: [[UInt8]] = []
    /// Of fields or elements.
    package var losers: [KeyValueLoser] = []
    /// Those that were replaced, newest first.
    package var history: [PastKeyValue] = []

    package init() {}
}

/// A value of a map's field or a list's element that was written at the same time as the shown one.
package struct KeyValueLoser: Codable, Sendable, Redacted {
    /// The field's name; nil for an element.
    package var field: String?
    /// The element's place, counted from 0; nil for a field.
    package var index: Int?
    /// An encoded `PropertyValue`.
    package var value: [UInt8]

    package init(field: String? = nil, index: Int? = nil, value: [UInt8]) {
        (self.field, self.index, self.value) = (field, index, value)
    }
}

/// A value that a later write has replaced.
package struct PastKeyValue: Codable, Sendable, Redacted {
    /// An encoded `PropertyValue`.
    package var value: [UInt8]
    /// When it was written.
    package var changed: AgentDate

    package init(value: [UInt8], changed: AgentDate) {
        (self.value, self.changed) = (value, changed)
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
        (self.store, self.keys, self.bytes) = (store, keys, bytes)
    }
}

/// Writes to a key-value store, all in one transaction.
package struct WriteKeyValues: AgentCall, Codable {
    package typealias Answer = WrittenKeyValues
    package static let name = "kv.write"
    package static let permission = AgentPermission.anyProgram

    /// Nil for the program's own store.
    package var store: String?
    /// Encoded `KeyWrite` values, in their order.
    package var writes: [[UInt8]]
    /// 16 random bytes that identify the program; it gets no reports of its own writes.
    package var writer: [UInt8]?
    /// Rises with each batch of the writer, so that the daemon carries out none twice.
    package var number: Int64?
    /// Whether all writes are refused when one is.
    package var isAtomic: Bool?
    package var mayRepeat: Bool { number != nil }

    package init(
        store: String?,
        writes: [[UInt8]],
        writer: [UInt8]? = nil,
        number: Int64? = nil,
        isAtomic: Bool? = nil
    ) {
        (self.store, self.writes, self.writer, self.number) = (store, writes, writer, number)
        self.isAtomic = isAtomic
    }
}

/// The result of writes to a store.
package struct WrittenKeyValues: AgentCoded, Codable {
    package var refusals: [KeyValueRefusal]
    /// The written keys that are not plain registers, in their state after the writes.
    package var merged: [KeyValueEntry]
    /// The name of this device in its account; nil without an account.
    package var device: String?

    package init(refusals: [KeyValueRefusal], merged: [KeyValueEntry], device: String? = nil) {
        (self.refusals, self.merged, self.device) = (refusals, merged, device)
    }
}

/// A write that was refused; it changed nothing.
package struct KeyValueRefusal: Codable, Sendable {
    /// Which write, counted from 0.
    package var place: Int
    package var sentence: String

    package init(place: Int, sentence: String) {
        self.place = place
        self.sentence = sentence
    }
}

/// Reports the changes of a store until the caller hangs up, as ``KeyValueReport`` values.
package struct WatchKeyValues: AgentCall, Codable {
    package static let name = "kv.watch"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    /// Nil for the program's own store.
    package var store: String?
    /// As in ``WriteKeyValues``; the program gets no reports of its own writes.
    package var writer: [UInt8]?

    package init(store: String?, writer: [UInt8]? = nil) {
        self.store = store
        self.writer = writer
    }
}

/// The keys of a store that changed in one transaction.
package struct KeyValueReport: Sendable {
    /// Counts the reports of a call, from 1; 0 says that everything from now on is reported.
    ///
    /// A number that is missing means that reports were lost, because the program did not read
    /// them.
    package let number: UInt64
    package let origin: KeyValueOrigin
    package let keys: [String]
    /// Those of the keys that have a value; nil if the values are too large for a report.
    package let entries: [KeyValueEntry]?

    package init(
        number: UInt64,
        origin: KeyValueOrigin,
        keys: [String],
        entries: [KeyValueEntry]? = nil
    ) {
        (self.number, self.origin, self.keys, self.entries) = (number, origin, keys, entries)
    }

    /// - Throws: ``AgentError/malformedMessage``.
    package init(_ progress: AgentProgress) throws(AgentError) {
        number = progress.total
        // Only a newer daemon knows another one.
        origin = KeyValueOrigin(rawValue: progress.done) ?? .account
        guard let details = progress.details.dictionary, let keys = details["keys"]?.array
        else { throw .malformedMessage }
        self.keys = keys.compactMap(\.string)
        entries = try details["entries"].map { value throws(AgentError) in try .init(value) }
    }

    package var progress: AgentProgress {
        var details: AgentDictionary = ["keys": .array(keys.map { .string($0) })]
        details["entries"] = entries.map { .array($0.map(\.agentValue)) }
        return AgentProgress(
            done: origin.rawValue,
            total: number,
            text: "",
            details: .dictionary(details)
        )
    }
}

extension AgentClient {
    /// Reports the changes of a store until the connection ends.
    ///
    /// `take`: gets nil first, and wherever reports were lost or cannot be read: everything has to
    /// be read then.
    package func watch(
        _ call: WatchKeyValues,
        _ take: (KeyValueReport?) -> Void
    ) throws(AgentError) {
        var number: UInt64 = 0
        _ = try self.call(call) { progress in
            // Only a newer daemon sends another report.
            guard let report = try? KeyValueReport(progress) else { return take(nil) }
            if report.number == 0 || report.number != number + 1 { take(nil) }
            number = report.number
            if report.number > 0 { take(report) }
        }
    }
}

/// Where a change of a store came from.
package enum KeyValueOrigin: UInt64, Sendable {
    /// A program of this device.
    case device = 0
    /// Another device.
    case account = 1
    /// Another device, before the first sync with the account was complete.
    case firstSync = 2
    /// The device joined or left an account; the report has all keys that changed by it.
    case joined = 3
    /// No key has changed, but everything has to be read again: the owner of the account changed
    /// limits, or the device was unlocked for the first time since it started.
    case reload = 4
}

/// Pushes and pulls until nothing is left, for a program that cannot wait for sync by itself.
package struct SyncKeyValues: AgentCall, Codable {
    package static let name = "kv.sync"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}
}

/// Reads which account the device belongs to; answered while it is locked too.
package struct GetAccountToken: AgentCall, Codable {
    package typealias Answer = AccountToken
    package static let name = "kv.account"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false
    package var mayRepeat: Bool { true }

    package init() {}
}

/// Which account a device belongs to.
package struct AccountToken: AgentCoded, Codable, Equatable {
    /// The same on all devices of the account; nil where the device belongs to none.
    package var token: [UInt8]?

    package init(token: [UInt8]?) { self.token = token }
}

/// Reads the status of a key-value store and its sync.
package struct GetKeyValueStatus: AgentCall, Codable {
    package typealias Answer = KeyValueStatus
    package static let name = "kv.status"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false
    package var mayRepeat: Bool { true }

    /// Nil for the program's own store.
    package var store: String?

    package init(store: String?) { self.store = store }
}

/// The status of a key-value store and its sync.
package struct KeyValueStatus: AgentCoded, Codable {
    package var store: String
    package var keys = 0
    /// The bytes of all encoded values.
    package var bytes = 0
    package var keysMax = 0
    package var keyUnitsMax = 0
    package var valueBytesMax = 0
    package var storeBytesMax = 0
    /// Elements of a set or a list, or fields of a map.
    package var elementsMax = 0
    /// Bytes of a merged value, with all that merging needs.
    package var mergedBytesMax = 0
    /// Devices that change one counter.
    package var counterActorsMax = 0
    /// Bytes of the place of a list's element.
    package var positionBytesMax = 0
    /// As in ``AccountToken``.
    package var account: [UInt8]?
    /// Whether everything that the account had when the device joined it has arrived.
    package var isFirstSyncComplete = false
    /// When the device last synced; nil if it never did.
    package var lastSync: AgentDate?
    /// Items and values, of all stores and the keychain, with changes that are not on the server.
    package var unsent = 0
    /// Why sync is paused or has failed: a sentence.
    package var problem: String?

    package init(store: String) { self.store = store }
}

extension KeyValueEntry: Redacted {}
extension WriteKeyValues: Redacted {}
