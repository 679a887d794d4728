import Foundation
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

// What programs add to Apple's class, because it has no such members.
extension NSUbiquitousKeyValueStore {
    fileprivate func integer(forKey key: String) -> Int { Int(longLong(forKey: key)) }
    fileprivate func float(forKey key: String) -> Float { Float(double(forKey: key)) }
    fileprivate func date(forKey key: String) -> Date? { object(forKey: key) as? Date }
    fileprivate func url(forKey key: String) -> URL? {
        string(forKey: key).flatMap { URL(string: $0) }
    }
    fileprivate func stringArray(forKey key: String) -> [String]? {
        array(forKey: key) as? [String]
    }
    fileprivate func set(_ value: URL?, forKey key: String) {
        set(value?.absoluteString, forKey: key)
    }
    fileprivate func set(_ value: Float, forKey key: String) { set("float", forKey: key) }
    /// The class has such a member too here; this one marks its values, so that a test can
    /// distinguish them.
    fileprivate func set(_ value: Int, forKey key: String) { set("integer", forKey: key) }
}

struct ExtensionTests {
    private let store = NSUbiquitousKeyValueStore(
        store: KeyValueStore(home: "/dev/null/extensions-\(UUID())")
    )

    @Test
    func `programs may add getters that Apple's class does not have`() throws {
        store.set(Int64(5), forKey: "integer")
        #expect(store.integer(forKey: "integer") == 5 && store.float(forKey: "integer") == 5)
        let url = try #require(URL(string: "https://example.org/a"))
        store.set(url, forKey: "url")
        #expect(store.url(forKey: "url") == url)
        let date = Date(timeIntervalSinceReferenceDate: 0.1)
        store.set(date, forKey: "date")
        #expect(store.date(forKey: "date") == date)
        store.set(["a"], forKey: "texts")
        #expect(store.stringArray(forKey: "texts") == ["a"])
    }

    @Test
    func `a program's own setter precedes the one of this class`() {
        store.set(5, forKey: "literal")
        let (integer, float) = (5, Float(5))
        store.set(integer, forKey: "integer")
        store.set(float, forKey: "float")
        #expect(store.string(forKey: "literal") == "integer")
        #expect(store.string(forKey: "integer") == "integer")
        #expect(store.string(forKey: "float") == "float")
    }
}
