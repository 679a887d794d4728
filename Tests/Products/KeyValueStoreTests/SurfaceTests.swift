import Foundation
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// The surface of Apple's class; `Tests/Consumer` shows the rest, as another package sees it.
struct SurfaceTests {
    @Test
    func `every member of the class reaches the store`() {
        let store = NSUbiquitousKeyValueStore(
            store: KeyValueStore(home: "/dev/null/surface-\(UUID())")
        )
        let cloud = store
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
