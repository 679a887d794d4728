import Cloud
import Foundation

/// Keeps values in memory; the typed setters are left to the class.
final class MemoryStore: NSUbiquitousKeyValueStore, @unchecked Sendable {
    // Safety: one thread uses it.
    var store: [String: Any] = [:]

    override func object(forKey aKey: String) -> Any? { store[aKey] }
    override func set(_ anObject: Any?, forKey aKey: String) { store[aKey] = anObject }
    override func removeObject(forKey aKey: String) { store[aKey] = nil }
    override var dictionaryRepresentation: [String: Any] { store }
    override func synchronize() -> Bool { true }
}

/// Overrides the initializer and the default store, and notes which setter was called.
final class NotingStore: NSUbiquitousKeyValueStore, @unchecked Sendable {
    // Safety: its setter is under a lock.
    private static let shared = NotingStore()
    private var setter: String
    private let lock = NSLock()

    override init() { setter = "none" }

    override class var `default`: NSUbiquitousKeyValueStore { shared }

    private func note(_ name: String) { lock.withLock { setter = name } }

    var last: String { lock.withLock { setter } }

    override func set(_ anObject: Any?, forKey aKey: String) { note("Any?") }
    override func set(_ aString: String?, forKey aKey: String) { note("String?") }
    override func set(_ aData: Data?, forKey aKey: String) { note("Data?") }
    override func set(_ anArray: [Any]?, forKey aKey: String) { note("[Any]?") }
    override func set(_ aDictionary: [String: Any]?, forKey aKey: String) { note("[:]?") }
    override func set(_ value: Int64, forKey aKey: String) { note("Int64") }
    override func set(_ value: Double, forKey aKey: String) { note("Double") }
    override func set(_ value: Bool, forKey aKey: String) { note("Bool") }
}

let memory = MemoryStore()
let seen = SeenVersions(in: memory)
seen.add("1.0")
seen.add("2.0")
memory.set(Int64(7), forKey: "number")
memory.set(true, forKey: "flag")
memory.set(0.5, forKey: "half")
memory.set(Data([1]), forKey: "data")
print("double:", seen.all, memory.store.count)
print(
    "numbers:",
    memory.object(forKey: "number") as? Int ?? -1,
    memory.store["flag"] as? Bool ?? false
)
seen.removeAll()
print("removed:", seen.all.count, memory.store.count)

let noting = NotingStore()
var setters: [String] = []
func note(_ set: () -> Void) {
    set()
    setters.append(noting.last)
}
let (byte, noInt, noBool): (UInt8, Int?, Bool?) = (5, nil, nil)
let (integer, float) = (5, Float(0.5))
note { noting.set(5, forKey: "a") }
note { noting.set(integer, forKey: "a") }
note { noting.set(float, forKey: "a") }
note { noting.set(byte, forKey: "a") }
note { noting.set(Date(), forKey: "a") }
note { noting.set(NSNumber(value: 5), forKey: "a") }
note { noting.set(noInt, forKey: "a") }
note { noting.set(noBool, forKey: "a") }
note { noting.set(true, forKey: "a") }
note { noting.set(1.5, forKey: "a") }
note { noting.set(Int64(9), forKey: "a") }
note { noting.set("x", forKey: "a") }
note { noting.set([1], forKey: "a") }
note { noting.set(["a": 1], forKey: "a") }
note { noting.set(Data(), forKey: "a") }
print("setters:", setters.joined(separator: " "))
print("default:", NotingStore.default is NotingStore)

// The class itself, where no daemon can be reached.
let cloud: CloudStore = NSUbiquitousKeyValueStore.default
cloud.set("text", forKey: "string")
cloud.set(Date(timeIntervalSinceReferenceDate: 0.1), forKey: "date")
NSUbiquitousKeyValueStore.default.set(5, forKey: "five")
NSUbiquitousKeyValueStore.default.setValue(["a", "b"], forKey: "list")
let store = NSUbiquitousKeyValueStore()
print("class:", store.string(forKey: "string") ?? "", store.integer(forKey: "five"))
print("date:", store.date(forKey: "date")?.timeIntervalSinceReferenceDate ?? 0)
print("list:", store.stringArray(forKey: "list") ?? [], store.value(forKey: "five") as? Int ?? 0)
print("synchronized:", cloud.synchronize(), FileManager.default.ubiquityIdentityToken == nil)
let observer = CloudObserver { reason, keys in print(reason, keys) }
withExtendedLifetime(observer) {}
