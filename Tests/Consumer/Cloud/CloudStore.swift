import Foundation

/// All members of Apple's class, as packages declare them to put a double in its place.
package protocol CloudStore: AnyObject {
    func object(forKey aKey: String) -> Any?
    func string(forKey aKey: String) -> String?
    func array(forKey aKey: String) -> [Any]?
    func dictionary(forKey aKey: String) -> [String: Any]?
    func data(forKey aKey: String) -> Data?
    func longLong(forKey aKey: String) -> Int64
    func double(forKey aKey: String) -> Double
    func bool(forKey aKey: String) -> Bool
    func set(_ anObject: Any?, forKey aKey: String)
    func set(_ aString: String?, forKey aKey: String)
    func set(_ aData: Data?, forKey aKey: String)
    func set(_ anArray: [Any]?, forKey aKey: String)
    func set(_ aDictionary: [String: Any]?, forKey aKey: String)
    func set(_ value: Int64, forKey aKey: String)
    func set(_ value: Double, forKey aKey: String)
    func set(_ value: Bool, forKey aKey: String)
    func removeObject(forKey aKey: String)
    var dictionaryRepresentation: [String: Any] { get }
    @discardableResult
    func synchronize() -> Bool
    static var didChangeExternallyNotification: NSNotification.Name { get }
}

extension NSUbiquitousKeyValueStore: CloudStore {}

// Getters that Apple's class lacks, and that packages add to it.
extension NSUbiquitousKeyValueStore {
    package func integer(forKey key: String) -> Int { Int(longLong(forKey: key)) }
    package func float(forKey key: String) -> Float { Float(double(forKey: key)) }
    package func date(forKey key: String) -> Date? { object(forKey: key) as? Date }
    package func url(forKey key: String) -> URL? { string(forKey: key).flatMap(URL.init(string:)) }
    package func stringArray(forKey key: String) -> [String]? { array(forKey: key) as? [String] }
    package func set(_ value: Int, forKey key: String) { set(Int64(value), forKey: key) }
    package func set(_ value: Float, forKey key: String) { set(Double(value), forKey: key) }
}

/// The versions of an app that a user has seen, in the given store or the default one.
package struct SeenVersions {
    private let store: NSUbiquitousKeyValueStore
    private let prefix = "seen."

    package init(in store: NSUbiquitousKeyValueStore = .default) { self.store = store }

    package func add(_ version: String) {
        store.set(version, forKey: prefix + version)
        store.synchronize()
    }

    package var all: [String] {
        store.dictionaryRepresentation.filter { $0.key.hasPrefix(prefix) }
            .values.compactMap { $0 as? String }
            .sorted()
    }

    package func removeAll() {
        store.dictionaryRepresentation.keys.filter { $0.hasPrefix(prefix) }
            .forEach(store.removeObject)
    }
}

/// Mirrors a store's changes into a block of a program, with each reason that Apple names.
package final class CloudObserver {
    private let store = NSUbiquitousKeyValueStore()
    private var token: NSObjectProtocol?

    package init(_ body: @escaping @Sendable (String, [String]) -> Void) {
        token = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: .main
        ) { notification in
            guard let info = notification.userInfo,
                let reason = info[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
            else { return }
            let keys = info[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            switch reason {
            case NSUbiquitousKeyValueStoreServerChange: body("server", keys)
            case NSUbiquitousKeyValueStoreInitialSyncChange: body("initial sync", keys)
            case NSUbiquitousKeyValueStoreQuotaViolationChange: body("quota", keys)
            case NSUbiquitousKeyValueStoreAccountChange: body("account", keys)
            default: body("unknown", keys)
            }
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}
