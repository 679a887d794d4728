import Foundation
import Synchronization
import Testing
import UbiquitousKeyValueStore

/// Which member a call reaches, as the compiler chooses it, and what test doubles have to override.
struct OverloadTests {
    /// Overrides only the setter of any value, as many test doubles do.
    private final class OneSetter: NSUbiquitousKeyValueStore, @unchecked Sendable {
        // Safety: the value is under a lock.
        private let last = Mutex("none")

        override func set(_ anObject: Any?, forKey aKey: String) {
            let text =
                anObject.map { object in
                    // A boolean's class is a private one below `NSNumber`.
                    let type = type(of: object)
                    return "\(type is NSNumber.Type ? "NSNumber" : "\(type)") \(object)"
                } ?? "nil"
            last.withLock { $0 = text }
        }

        func value(after set: (OneSetter) -> Void) -> String {
            last.withLock { $0 = "none" }
            set(self)
            return last.withLock(\.self)
        }
    }

    /// Overrides the typed setters.
    private final class Typed: NSUbiquitousKeyValueStore, @unchecked Sendable {
        // Safety: the names are under a lock.
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock(\.self) }

        private func note(_ name: String) { names.withLock { $0.append(name) } }

        override func set(_ anObject: Any?, forKey aKey: String) { note("Any") }
        override func set(_ aString: String?, forKey aKey: String) { note("String") }
        override func set(_ aData: Data?, forKey aKey: String) { note("Data") }
        override func set(_ anArray: [Any]?, forKey aKey: String) { note("Array") }
        override func set(_ aDictionary: [String: Any]?, forKey aKey: String) { note("Dictionary") }
        override func set(_ value: Int64, forKey aKey: String) { note("Int64") }
        override func set(_ value: Double, forKey aKey: String) { note("Double") }
        override func set(_ value: Bool, forKey aKey: String) { note("Bool") }
    }

    /// Keeps its values, and overrides only what has no type, as many test doubles do.
    private final class Untyped: NSUbiquitousKeyValueStore, @unchecked Sendable {
        // Safety: one thread uses it.
        private var values: [String: Any] = [:]

        override func object(forKey aKey: String) -> Any? { values[aKey] }
        override func set(_ anObject: Any?, forKey aKey: String) { values[aKey] = anObject }
        override func removeObject(forKey aKey: String) { values[aKey] = nil }
    }

    @Test
    func `a double that overrides the getter of any value is read by every getter`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("KEYCHAIN_SYNC_HOME", "/dev/null/untyped", 1)
            let double = Untyped()
            #expect(double.string(forKey: "k") == nil && double.longLong(forKey: "k") == 0)
            double.set("5.5", forKey: "k")
            #expect(double.string(forKey: "k") == "5.5" && double.longLong(forKey: "k") == 5)
            #expect(double.double(forKey: "k") == 5.5 && double.bool(forKey: "k"))
            #expect(double.array(forKey: "k") == nil && double.data(forKey: "k") == nil)
            double.set(["a", "b"], forKey: "k")
            #expect(double.array(forKey: "k") as? [String] == ["a", "b"])
            double.set(["name": "Ada", "age": 36], forKey: "k")
            #expect(double.dictionary(forKey: "k")?["name"] as? String == "Ada")
            #expect(double.dictionary(forKey: "k")?["age"] as? Int == 36)
            double.set(Data([1]), forKey: "k")
            #expect(double.data(forKey: "k") == Data([1]) && double.string(forKey: "k") == nil)
            double.set(Double.nan, forKey: "k")
            #expect(double.double(forKey: "k").isNaN)
            // Not a property list: the class has no value for it.
            double.set(Untyped(), forKey: "k")
            #expect(double.object(forKey: "k") != nil && double.string(forKey: "k") == nil)
            double.removeObject(forKey: "k")
            #expect(double.bool(forKey: "k") == false)
        }
    }

    @Test
    func `a double that overrides one setter gets every value`() async {
        // In a process of its own, whose default store has no daemon.
        await #expect(processExitsWith: .success) {
            unsafe setenv("KEYCHAIN_SYNC_HOME", "/dev/null/double", 1)
            let double = OneSetter()
            let (integer, byte, float) = (6, UInt8(8), Float(0.5))
            let (some, noInteger, noBool): (Int?, Int?, Bool?) = (9, nil, nil)
            let (number, date) = (NSNumber(value: 7), Date(timeIntervalSinceReferenceDate: 0))
            #expect(double.value { $0.set(5, forKey: "k") } == "Int 5")
            #expect(double.value { $0.set(integer, forKey: "k") } == "Int 6")
            #expect(double.value { $0.set(float, forKey: "k") } == "Float 0.5")
            #expect(double.value { $0.set(byte, forKey: "k") } == "UInt8 8")
            #expect(double.value { $0.set(date, forKey: "k") } == "Date \(date)")
            #expect(double.value { $0.set(number, forKey: "k") } == "NSNumber 7")
            #expect(double.value { $0.set(some, forKey: "k") } == "Int 9")
            #expect(double.value { $0.set(noInteger, forKey: "k") } == "nil")
            #expect(double.value { $0.set(noBool, forKey: "k") } == "nil")
            #expect(double.value { $0.set(true, forKey: "k") } == "NSNumber 1")
            #expect(double.value { $0.set(1.5, forKey: "k") } == "Double 1.5")
            #expect(double.value { $0.set(Int64(9), forKey: "k") } == "NSNumber 9")
            #expect(double.value { $0.set("x", forKey: "k") } == "String x")
            #expect(double.value { $0.set([1], forKey: "k") } == "Array<Any> [1]")
            let dictionary = double.value { $0.set(["a": 1], forKey: "k") }
            #expect(dictionary == "Dictionary<String, Any> [\"a\": 1]")
            #expect(double.value { $0.set(Data(), forKey: "k") } == "Data 0 bytes")
        }
    }

    @Test
    func `a value with a setter of its own goes there, and any other to that of any value`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("KEYCHAIN_SYNC_HOME", "/dev/null/typed", 1)
            let typed = Typed()
            let (integer, byte, float) = (6, UInt8(8), Float(0.5))
            let (noInteger, noBool): (Int?, Bool?) = (nil, nil)
            typed.set(5, forKey: "k")
            typed.set(integer, forKey: "k")
            typed.set(float, forKey: "k")
            typed.set(byte, forKey: "k")
            typed.set(Date(), forKey: "k")
            typed.set(NSNumber(value: 7), forKey: "k")
            typed.set(noInteger, forKey: "k")
            typed.set(noBool, forKey: "k")
            #expect(typed.all == Array(repeating: "Any", count: 8))
            typed.set(true, forKey: "k")
            typed.set(1.5, forKey: "k")
            typed.set(Int64(9), forKey: "k")
            typed.set("x", forKey: "k")
            typed.set([1], forKey: "k")
            typed.set(["a": 1], forKey: "k")
            typed.set(Data(), forKey: "k")
            let expected = ["Bool", "Double", "Int64", "String", "Array", "Dictionary", "Data"]
            #expect(typed.all.dropFirst(8) == expected[...])
        }
    }
}
