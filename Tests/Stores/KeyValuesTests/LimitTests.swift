import KSKeyValues
import Testing

/// Each limit at one less, at its value and at one more.
struct LimitTests {
    private let limits = KeyValueLimits()

    @Test(arguments: [-1, 0, 1])
    func `a key has at most 128 UTF-16 units`(excess: Int) {
        let key =
            String(repeating: "\u{1F511}", count: 63) + String(repeating: "a", count: 2 + excess)
        let error = KeyValueError.limitExceeded(.keyUnits, wanted: 129, max: 128)
        #expect(
            refusal { () throws(KeyValueError) in try limits.check(key: key) }
                == (excess > 0 ? error : nil)
        )
    }

    @Test
    func `an empty key is refused`() {
        #expect(refusal { () throws(KeyValueError) in try limits.check(key: "") } == .keyEmpty)
    }

    @Test(arguments: [-1, 0, 1])
    func `values, keys and stores have limits that errors name`(excess: Int) {
        let mebibyte = 1 << 20
        let errors = [
            refusal { () throws(KeyValueError) in
                try limits.check(valueBytes: mebibyte + excess, keys: 1, storeBytes: 1)
            },
            refusal { () throws(KeyValueError) in
                try limits.check(valueBytes: 1, keys: 1024 + excess, storeBytes: 1)
            },
            refusal { () throws(KeyValueError) in
                try limits.check(valueBytes: 1, keys: 1, storeBytes: mebibyte + excess)
            },
        ]
        let expected: [KeyValueError?] = [
            .limitExceeded(.valueBytes, wanted: mebibyte + 1, max: mebibyte),
            .limitExceeded(.keys, wanted: 1025, max: 1024),
            .limitExceeded(.storeBytes, wanted: mebibyte + 1, max: mebibyte),
        ]
        #expect(errors == (excess > 0 ? expected : [nil, nil, nil]))
    }

    @Test
    func `a store's name is text without control characters`() {
        #expect(StoreIdentifier("") == nil)
        #expect(StoreIdentifier("a\nb") == nil)
        #expect(StoreIdentifier(String(repeating: "a", count: 255)) != nil)
        #expect(StoreIdentifier(String(repeating: "a", count: 256)) == nil)
        #expect(StoreIdentifier(named: "exe:/usr/bin/app") == nil)
        for scalar in [0x00, 0x1F, 0x7F, 0x80, 0x9F] as [UInt32] {
            #expect(StoreIdentifier("a\(Unicode.Scalar(scalar).map(String.init) ?? "")") == nil)
        }
        for scalar in [0x20, 0x7E, 0xA0, 0x200B] as [UInt32] {
            #expect(StoreIdentifier("a\(Unicode.Scalar(scalar).map(String.init) ?? "")") != nil)
        }
    }

    /// The first of each pair sorts first; `String` considers the last two equal.
    @Test(arguments: [
        ("", "a"), ("a", "b"), ("a", "aa"), ("Z", "a"), ("z", "\u{E9}"),
        ("\u{65}\u{301}", "\u{E9}"),
    ])
    func `names are compared by their bytes`(first: String, second: String) throws {
        #expect(first.compareBytes(with: second) < 0 && second.compareBytes(with: first) > 0)
        #expect(!first.hasSameBytes(as: second) && first.hasSameBytes(as: first + ""))
        let (one, other) = (
            EntryName(store: .app, key: first), EntryName(store: .app, key: second)
        )
        #expect(one < other && one != other && Set([one, other, one]).count == 2)
        let store = try #require(StoreIdentifier("a" + first))
        let second = try #require(StoreIdentifier("a" + second))
        #expect(
            store != second
                && EntryName(store: store, key: "z") < EntryName(store: second, key: "a")
        )
    }

    private func refusal(_ body: () throws(KeyValueError) -> Void) -> KeyValueError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
