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
    static let shared = NSUbiquitousKeyValueStore(of: .default, isShared: true)

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
    public let typedStore: KeyValueStore
    private let observer = Mutex<Int?>(nil)
    /// Whether it is ``shared``; comparing with that would open the program's store.
    private let isShared: Bool

    /// Another handle of the program's store.
    ///
    /// It is a designated initializer, which test doubles override.
    public override init() {
        typedStore = .default
        isShared = false
        super.init()
        observe()
        _ = Self.shared
    }

    /// A handle of a named store, which the program's entitlements have to allow.
    public convenience init(storeIdentifier: String) {
        self.init(store: KeyValueStore(named: storeIdentifier))
    }

    /// A handle of a store.
    public convenience init(store: KeyValueStore) {
        self.init(of: store)
    }

    /// Not public: a class with two designated initializers that others see gets no implicit
    /// `super.init()` in their `override init()`.
    init(of store: KeyValueStore, isShared: Bool = false) {
        self.typedStore = store
        self.isShared = isShared
        super.init()
        observe()
    }

    private func observe() {
        let number = typedStore.observe { [weak self] change in
            guard let handle = self, let info = Self.information(change) else { return }
            handle.report(info)
        }
        observer.withLock { $0 = number }
    }

    deinit {
        if let number = observer.withLock({ $0 }) { typedStore.stopObserving(number) }
    }

    // MARK: Reading

    /// The value of a key; every number and boolean is an `NSNumber`, as on Apple systems.
    open func object(forKey aKey: String) -> Any? {
        typedStore.value(KeyValue.self, forKey: aKey).map(\.foundation)
    }

    /// A text, or a number as text; nil for anything else.
    open func string(forKey aKey: String) -> String? { keyValue(aKey)?.coercedString }

    /// An array; nil for anything else.
    open func array(forKey aKey: String) -> [Any]? {
        guard case .array(let values) = keyValue(aKey) else { return nil }
        return values.map(\.foundation)
    }

    /// A dictionary; nil for anything else.
    open func dictionary(forKey aKey: String) -> [String: Any]? {
        guard case .dictionary(let values) = keyValue(aKey) else { return nil }
        return values.mapValues(\.foundation)
    }

    /// Data; nil for anything else.
    open func data(forKey aKey: String) -> Data? {
        guard case .data(let data) = keyValue(aKey) else { return nil }
        return data
    }

    /// A number without its fraction, a text that begins with a number, or 0.
    open func longLong(forKey aKey: String) -> Int64 { keyValue(aKey)?.coercedInteger ?? 0 }

    /// A number, a text that begins with a number, or 0.
    open func double(forKey aKey: String) -> Double { keyValue(aKey)?.coercedReal ?? 0 }

    /// Whether it is true, a number other than 0, or a text that begins with Y, T or such a number.
    open func bool(forKey aKey: String) -> Bool { keyValue(aKey)?.coercedBool ?? false }

    /// The value that a typed getter converts.
    ///
    /// In a subclass it is that of ``object(forKey:)``, as on Apple systems: test doubles override
    /// it alone.
    private func keyValue(_ key: String) -> KeyValue? {
        guard type(of: self) != NSUbiquitousKeyValueStore.self else {
            return typedStore.value(KeyValue.self, forKey: key)
        }
        guard case .value(let value) = KeyValue.reading(object(forKey: key)) else { return nil }
        return value
    }

    /// All keys with their values, and with all changes that were reported to this process before.
    open var dictionaryRepresentation: [String: Any] { typedStore.values.mapValues(\.foundation) }

    // MARK: Writing

    /// Sets a key; nil removes it.
    ///
    /// An object that is not a property list is dropped with one log line. Every other setter calls
    /// this one, as on Apple systems: test doubles override it alone.
    open func set(_ anObject: Any?, forKey aKey: String) {
        switch KeyValue.reading(anObject) {
        case .value(let value): write(value, aKey)
        case .nothing: removeObject(forKey: aKey)
        case .unsupported(let type):
            DroppedWrites.report(
                "a value of the type \(type) is no property list and was not set",
                key: aKey
            )
        }
    }

    /// Sets a text; nil removes the key.
    open func set(_ aString: String?, forKey aKey: String) {
        set(aString as Any?, forKey: aKey)
    }

    /// Sets data; nil removes the key.
    open func set(_ aData: Data?, forKey aKey: String) { set(aData as Any?, forKey: aKey) }

    /// Sets an array; nil removes the key.
    open func set(_ anArray: [Any]?, forKey aKey: String) { set(anArray as Any?, forKey: aKey) }

    /// Sets a dictionary; nil removes the key.
    open func set(_ aDictionary: [String: Any]?, forKey aKey: String) {
        set(aDictionary as Any?, forKey: aKey)
    }

    /// Sets an integer.
    open func set(_ value: Int64, forKey aKey: String) {
        set(NSNumber(value: value), forKey: aKey)
    }

    /// Sets a real number.
    open func set(_ value: Double, forKey aKey: String) {
        // An `NSNumber` would not keep every bit of a NaN.
        set(value as Any?, forKey: aKey)
    }

    /// Sets a boolean.
    open func set(_ value: Bool, forKey aKey: String) {
        set(NSNumber(value: value), forKey: aKey)
    }

    /// The same as ``set(_:forKey:)``, for programs that use key-value coding of `NSObject`.
    open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// The same as ``object(forKey:)``.
    open func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Removes a key.
    open func removeObject(forKey aKey: String) {
        typedStore.removeValue(forKey: aKey)
        logUnsaved()
    }

    private func logUnsaved() {
        if let problem = typedStore.problem { DroppedWrites.logUnsaved(problem) }
    }

    /// Waits until all writes are on this device's disk.
    ///
    /// - Returns: false if the daemon cannot be used now; the writes stay in memory, and reach it
    ///   as soon as they can.
    @discardableResult
    open func synchronize() -> Bool { typedStore.synchronize() }

    private func write(_ value: KeyValue, _ key: String) {
        do throws(KeyValueStoreError) {
            try typedStore.set(value, forKey: key)
            logUnsaved()
        } catch {
            // On Apple systems a key that is too long raises; Swift cannot catch that here.
            DroppedWrites.report(error.sentence, key: key)
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
        guard !typedStore.isOfDeviceInProcess else { return typedStore.tell(post) }
        guard let queue = Self.notificationQueue else { return post() }
        // Each reading of `DispatchQueue.main` makes another object, so the labels are compared.
        guard queue.label == DispatchQueue.main.label else { return queue.async(execute: post) }
        // Posting waits for an observer on `OperationQueue.main`, unless an operation of that queue
        // posts. In a program whose main function is asynchronous, the queue would then wait for
        // itself.
        OperationQueue.main.addOperation(post)
    }

    private func post(_ information: [String: any Sendable]) {
        NotificationCenter.default.post(
            name: Self.didChangeExternallyNotification,
            object: self,
            userInfo: information
        )
        let reason = information[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
        if reason?.intValue == NSUbiquitousKeyValueStoreAccountChange, isShared {
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
        case .refused(let sentence):
            reason = NSUbiquitousKeyValueStoreQuotaViolationChange
            DroppedWrites.log(sentence, key: change.keys.joined(separator: ", "))
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
    /// Without this overload, the compiler would refuse `set(5, forKey: key)`: the literal could be
    /// an `Int64` or a `Double`. A program's own extension with the same name takes precedence.
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
