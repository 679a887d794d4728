public import Foundation
public import KeyValueStore
internal import Synchronization

/// Apple's class for small values that all devices of an account share.
///
/// Values are in memory: a write is visible at once, and ``synchronize()`` says whether all writes
/// are on this device's disk. Every handle has the same values.
/// Source: https://developer.apple.com/documentation/foundation/nsubiquitouskeyvaluestore
@safe
open class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
    // Safety: the store and the observer are set once, and safe to use on any thread.

    /// The program's store.
    open class var `default`: NSUbiquitousKeyValueStore { shared }

    /// Posts `NSUbiquityIdentityDidChange`, once a process.
    static let shared = NSUbiquitousKeyValueStore(store: .default)

    /// Posted for changes that come in from other devices, and when the device refuses a write.
    ///
    /// Its object is the store; each handle posts its own. Subclasses share the name.
    public class var didChangeExternallyNotification: NSNotification.Name {
        NSNotification.Name("NSUbiquitousKeyValueStoreDidChangeExternallyNotification")
    }

    /// Where notifications are posted; nil posts on the thread that noticed the change.
    ///
    /// Programs without a main loop set another queue.
    public static var notificationQueue: DispatchQueue? {
        get { queue.withLock { $0 } }
        set { queue.withLock { $0 = newValue } }
    }

    private static let queue = Mutex<DispatchQueue?>(.main)

    /// The same store with typed values, merge types and an asynchronous sequence of changes.
    public let store: KeyValueStore
    private let observer = Mutex<Int?>(nil)

    /// Another handle of the program's store.
    ///
    /// It is a designated initializer, which test doubles override.
    public override init() {
        store = .default
        super.init()
        observe()
        _ = Self.shared
    }

    /// A handle of a named store, which the program's entitlements have to allow.
    public convenience init(storeIdentifier: String) {
        self.init(store: KeyValueStore(named: storeIdentifier))
    }

    /// A handle of a store.
    public init(store: KeyValueStore) {
        self.store = store
        super.init()
        observe()
    }

    private func observe() {
        let number = store.observe { [weak self] change in
            guard let handle = self, let info = Self.information(change) else { return }
            let post: @Sendable () -> Void = { handle.post(info) }
            if let queue = Self.notificationQueue { queue.async(execute: post) } else { post() }
        }
        observer.withLock { $0 = number }
    }

    deinit {
        if let number = observer.withLock({ $0 }) { store.stopObserving(number) }
    }

    // MARK: Reading

    /// The value of a key; every number and boolean is an `NSNumber`, as on Apple systems.
    open func object(forKey aKey: String) -> Any? {
        store.value(KeyValue.self, forKey: aKey).map(\.foundation)
    }

    /// A text, or a number as text; nil for anything else.
    open func string(forKey aKey: String) -> String? {
        store.value(KeyValue.self, forKey: aKey)?.coercedString
    }

    /// An array; nil for anything else.
    open func array(forKey aKey: String) -> [Any]? {
        store.value([KeyValue].self, forKey: aKey)?.map(\.foundation)
    }

    /// A dictionary; nil for anything else.
    open func dictionary(forKey aKey: String) -> [String: Any]? {
        store.value([String: KeyValue].self, forKey: aKey)?.mapValues(\.foundation)
    }

    /// Data; nil for anything else.
    open func data(forKey aKey: String) -> Data? { store.value(forKey: aKey) }

    /// A number without its fraction, a text that begins with a number, or 0.
    open func longLong(forKey aKey: String) -> Int64 {
        store.value(KeyValue.self, forKey: aKey)?.coercedInteger ?? 0
    }

    /// A number, a text that begins with a number, or 0.
    open func double(forKey aKey: String) -> Double {
        store.value(KeyValue.self, forKey: aKey)?.coercedReal ?? 0
    }

    /// Whether it is true, a number other than 0, or a text that begins with Y, T or such a number.
    open func bool(forKey aKey: String) -> Bool {
        store.value(KeyValue.self, forKey: aKey)?.coercedBool ?? false
    }

    /// All keys with their values.
    open var dictionaryRepresentation: [String: Any] { store.values.mapValues(\.foundation) }

    // MARK: Writing

    /// Sets a key; nil removes it.
    ///
    /// What is no property list is dropped with one line in the log.
    open func set(_ anObject: Any?, forKey aKey: String) {
        switch KeyValue.reading(anObject) {
        case .value(let value): write(value, aKey)
        case .nothing: removeObject(forKey: aKey)
        case .unsupported(let type):
            Log.once("a value of the type \(type) is no property list and was not set", key: aKey)
        }
    }

    /// Sets a text; nil removes the key.
    open func set(_ aString: String?, forKey aKey: String) { write(aString, aKey) }

    /// Sets data; nil removes the key.
    open func set(_ aData: Data?, forKey aKey: String) { write(aData, aKey) }

    /// Sets an array; nil removes the key.
    open func set(_ anArray: [Any]?, forKey aKey: String) { set(anArray as Any?, forKey: aKey) }

    /// Sets a dictionary; nil removes the key.
    open func set(_ aDictionary: [String: Any]?, forKey aKey: String) {
        set(aDictionary as Any?, forKey: aKey)
    }

    /// Sets an integer.
    open func set(_ value: Int64, forKey aKey: String) { write(value, aKey) }

    /// Sets a real number.
    open func set(_ value: Double, forKey aKey: String) { write(value, aKey) }

    /// Sets a boolean.
    open func set(_ value: Bool, forKey aKey: String) { write(value, aKey) }

    /// Removes a key.
    open func removeObject(forKey aKey: String) { store.removeValue(forKey: aKey) }

    /// Waits until all writes are on this device's disk.
    ///
    /// - Returns: false if the daemon cannot be used now; the writes stay in memory, and reach it
    ///   as soon as they can.
    @discardableResult
    open func synchronize() -> Bool { store.synchronize() }

    private func write(_ value: (some KeyValueConvertible)?, _ key: String) {
        guard let value else { return removeObject(forKey: key) }
        do throws(KeyValueStoreError) {
            try store.set(value, forKey: key)
        } catch {
            // On Apple systems a key that is too long raises; Swift cannot catch that here.
            Log.once("\(error)", key: key)
            report(
                [
                    NSUbiquitousKeyValueStoreChangeReasonKey: NSNumber(
                        value: NSUbiquitousKeyValueStoreQuotaViolationChange
                    ),
                    NSUbiquitousKeyValueStoreChangedKeysKey: [key],
                ]
            )
        }
    }

    // MARK: Notifications

    private func report(_ information: [String: any Sendable]) {
        let post: @Sendable () -> Void = { self.post(information) }
        if let queue = Self.notificationQueue { queue.async(execute: post) } else { post() }
    }

    private func post(_ information: [String: any Sendable]) {
        NotificationCenter.default.post(
            name: Self.didChangeExternallyNotification,
            object: self,
            userInfo: information
        )
        let reason = information[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
        if reason?.intValue == NSUbiquitousKeyValueStoreAccountChange, self === Self.shared {
            NotificationCenter.default.post(name: .NSUbiquityIdentityDidChange, object: nil)
        }
    }

    /// The notification's contents; nil for a change that Apple's class does not report.
    private static func information(_ change: KeyValueChange) -> [String: any Sendable]? {
        let reason: Int
        switch change.source {
        case .device: return nil
        case .account: reason = NSUbiquitousKeyValueStoreServerChange
        case .firstSync: reason = NSUbiquitousKeyValueStoreInitialSyncChange
        case .refused: reason = NSUbiquitousKeyValueStoreQuotaViolationChange
        case .accountChange: reason = NSUbiquitousKeyValueStoreAccountChange
        }
        return [
            NSUbiquitousKeyValueStoreChangeReasonKey: NSNumber(value: reason),
            NSUbiquitousKeyValueStoreChangedKeysKey: change.keys,
        ]
    }
}

extension NSUbiquitousKeyValueStore {
    /// Sets an integer.
    ///
    /// Without it the literal in `set(5, forKey: key)` could be an `Int64` or a `Double`, and would
    /// be refused. An extension of a program's own with the same name comes before it.
    public func set(_ value: Int, forKey aKey: String) { set(value as Any?, forKey: aKey) }
}

/// The reason of a notification, an `NSNumber`.
public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"
/// The changed keys of a notification, `[String]`; removed ones too.
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"

/// Another device changed values.
public var NSUbiquitousKeyValueStoreServerChange: Int { 0 }
/// Values arrived while the first sync was not complete.
public var NSUbiquitousKeyValueStoreInitialSyncChange: Int { 1 }
/// A write was refused, because it does not fit or exceeds a limit.
public var NSUbiquitousKeyValueStoreQuotaViolationChange: Int { 2 }
/// The device joined an account or left one.
public var NSUbiquitousKeyValueStoreAccountChange: Int { 3 }

/// Lines about writes that are dropped, each once for a key: no value is among them.
private enum Log {
    private static let written = Mutex<Set<String>>([])

    static func once(_ message: String, key: String) {
        guard written.withLock({ $0.insert(key + "\0" + message).inserted }) else { return }
        NSLog("NSUbiquitousKeyValueStore: key \"%@\": %@", key, message)
    }
}
