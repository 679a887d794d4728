import Foundation
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// The members that packages declare in a protocol of their own and conform Apple's class to.
private protocol CloudStore {
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
}

extension NSUbiquitousKeyValueStore: CloudStore {}

/// The surface of Apple's class; `Tests/Consumer` shows the rest, as another package sees it.
struct SurfaceTests {
    @Test
    func `a protocol of all members reaches the store`() {
        let store = NSUbiquitousKeyValueStore(
            store: KeyValueStore(home: "/dev/null/surface-\(UUID())")
        )
        let cloud: any CloudStore = store
        cloud.set("text", forKey: "string")
        cloud.set(Data([1]), forKey: "data")
        cloud.set([1, "two"], forKey: "array")
        cloud.set(["one": 1], forKey: "dictionary")
        cloud.set(Int64.min, forKey: "integer")
        cloud.set(0.5, forKey: "double")
        cloud.set(true, forKey: "bool")
        cloud.set(Date(timeIntervalSinceReferenceDate: 0.1), forKey: "object")
        #expect(cloud.string(forKey: "string") == "text")
        #expect(cloud.data(forKey: "data") == Data([1]))
        #expect(cloud.array(forKey: "array")?.count == 2)
        #expect(cloud.dictionary(forKey: "dictionary") as? [String: Int] == ["one": 1])
        #expect(cloud.longLong(forKey: "integer") == .min)
        #expect(cloud.double(forKey: "double") == 0.5)
        #expect(cloud.bool(forKey: "bool"))
        #expect((cloud.object(forKey: "object") as? Date)?.timeIntervalSinceReferenceDate == 0.1)
        #expect(store.dictionaryRepresentation.count == 8)
        // No daemon can commit anything here.
        #expect(!cloud.synchronize())
        cloud.dictionaryRepresentation.keys.forEach(cloud.removeObject)
        #expect(cloud.dictionaryRepresentation.isEmpty)
    }

    @Test
    func `the names are Apple's`() {
        let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: "/dev/null/names"))
        #expect(
            type(of: store).didChangeExternallyNotification.rawValue
                == "NSUbiquitousKeyValueStoreDidChangeExternallyNotification"
        )
        #expect(
            NSUbiquitousKeyValueStoreChangeReasonKey == "NSUbiquitousKeyValueStoreChangeReasonKey"
        )
        #expect(
            NSNotification.Name.NSUbiquityIdentityDidChange.rawValue
                == "NSUbiquityIdentityDidChangeNotification"
        )
    }
}
