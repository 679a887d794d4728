import KSKeyValues
import KSResolution
import KSTestSupport
import Testing

/// Writes of one device: the result of each, and when it is refused.
struct EntryWriteTests {
    private static let name = EntryName(store: .app, key: "key")

    /// Carries out writes on one device.
    private func value(after writes: [EntryWrite]) throws -> PropertyValue? {
        var record = LocalRecord()
        var generator = SeededGenerator(seed: 3)
        for write in writes {
            try write.apply(
                to: &record,
                of: Self.name,
                using: &generator
            )
        }
        return EntryReading(record.view)?.value
    }

    private func array(_ numbers: Int64...) -> PropertyValue {
        .array(numbers.map { .integer($0) })
    }

    @Test
    func `a plain set of a merged type is an edit by difference`() throws {
        let counter = try value(after: [
            .declare(.counter), .increment(by: 5), .set(.integer(7), base: .integer(4)),
        ])
        #expect(counter == .integer(8))
        let set = try value(after: [
            .declare(.set), .insert([.integer(1), .integer(2), .integer(3)]),
            .set(array(2, 9), base: array(1, 2)),
        ])
        #expect(set == array(2, 3, 9))
        let list = try value(after: [
            .declare(.list), .insertAt(0, [.integer(1), .integer(2), .integer(3)]),
            .set(array(1, 7, 2), base: array(1, 2)),
        ])
        #expect(list == array(1, 7, 2, 3))
        let map = try value(after: [
            .declare(.map), .setField("a", .integer(1)), .setField("b", .integer(2)),
            .incrementField("n", by: 3),
            .set(
                .dictionary(PropertyDictionary([("a", .integer(4)), ("n", .integer(2))])),
                base: .dictionary(PropertyDictionary([("a", .integer(1)), ("n", .integer(1))]))
            ),
        ])
        let expected = PropertyDictionary([
            ("a", .integer(4)), ("b", .integer(2)), ("n", .integer(4)),
        ])
        #expect(map == .dictionary(expected))
    }

    @Test
    func `1 and 1.0 are two elements of a set`() throws {
        let set = try value(after: [.insert([.integer(1), .real(1), .integer(1)])])
        #expect(set == .array([.integer(1), .real(1)]))
    }

    @Test
    func `a value that fits is taken over by a new type`() throws {
        #expect(try value(after: [.set(.integer(5), base: nil), .increment(by: 2)]) == .integer(7))
        #expect(
            try value(after: [.set(array(1, 2), base: nil), .insertAt(2, [.integer(3)])])
                == array(1, 2, 3)
        )
    }

    @Test
    func `a value that does not fit is refused, and so is another merged type`() throws {
        #expect(throws: KeyValueError.wrongValue(.counter, typeName: "string")) {
            try value(after: [.set(.string("x"), base: nil), .increment(by: 1)])
        }
        #expect(throws: KeyValueError.typeMismatch(declared: .counter, wanted: .set)) {
            try value(after: [.increment(by: 1), .insert([.integer(1)])])
        }
        #expect(throws: KeyValueError.noSuchPlace(1, count: 1)) {
            try value(after: [.insertAt(0, [.integer(1)]), .removeAt(1)])
        }
    }

    /// Each number is larger than the one before it; as real numbers some would be equal.
    private static let rising: [PropertyValue] = [
        .real(-.infinity), .real(-0x1p64), .integer(.min), .integer(.min + 1), .real(-0x1p53),
        .integer(-1), .real(-0.5), .integer(0), .real(0.5), .integer(1),
        .real(0x1p53 - 1), .integer(1 << 53), .integer(1 << 53 | 1), .real(0x1p53 + 2),
        .integer(.max - 1), .integer(.max), .real(0x1p63), .unsigned(1 << 63 | 1),
        .unsigned(.max), .real(0x1p64), .real(.greatestFiniteMagnitude), .real(.infinity),
    ]

    @Test
    func `integers and real numbers are compared exactly`() throws {
        for (index, low) in Self.rising.enumerated() {
            for high in Self.rising[(index + 1)...] {
                for pair in [[low, high], [high, low]] {
                    let writes = pair.map { EntryWrite.set($0, base: nil) }
                    #expect(try value(after: [.declare(.maximum)] + writes) == high)
                    #expect(try value(after: [.declare(.minimum)] + writes) == low)
                }
            }
        }
    }

    @Test
    func `a key that shows the largest number is not turned into a counter`() throws {
        let number = EntryWrite.set(.integer(10), base: nil)
        for type in [MergeType.maximum, .minimum] {
            #expect(throws: KeyValueError.typeMismatch(declared: type, wanted: .counter)) {
                try value(after: [.declare(type), number, .increment(by: 1)])
            }
        }
    }

    @Test
    func `a counter beyond 64 bits is set to the user's value`() throws {
        let large: [EntryWrite] = [.increment(by: .max), .increment(by: .max)]
        for base in [nil, PropertyValue.integer(.max)] {
            #expect(try value(after: large + [.set(.integer(4), base: base)]) == .integer(4))
        }
        // The program had read the counter before it became so large.
        let stale = try value(after: large + [.set(.integer(4), base: .integer(5))])
        #expect(stale == .integer(.max))
    }

    @Test
    func `an unsent counter refuses an increment beyond its range`() throws {
        let full: [EntryWrite] = [.increment(by: .max), .increment(by: .max), .increment(by: 1)]
        let down = EntryWrite.increment(by: -.max)
        #expect(try value(after: full + [down, down]) == .integer(1))
        #expect(throws: KeyValueError.counterFull) {
            try value(after: full + [.increment(by: 1)])
        }
        #expect(try value(after: full + [.reset(to: 3), .increment(by: 1)]) == .integer(4))
    }

    @Test
    func `a counter holds 64 bits, and says when its sum does not`() throws {
        #expect(
            try value(after: [.reset(to: .max), .increment(by: .max)]) == .integer(.max)
        )
        #expect(
            try value(after: [.reset(to: .min), .increment(by: .min), .increment(by: .max)])
                == .integer(.min)
        )
    }

    @Test(arguments: [-1, 0, 1])
    func `a set has at most 4,096 elements`(excess: Int) throws {
        let count = MergeLimits.standard.elementsMax + excess
        let elements = (0..<count).map { PropertyValue.integer(Int64($0)) }
        guard excess > 0 else {
            _ = try value(after: [.insert(elements)])
            return
        }
        let error = KeyValueError.limitExceeded(.elements, wanted: 4097, max: 4096)
        #expect(throws: error) { try value(after: [.insert(elements)]) }
    }

    @Test
    func `thousands of insertions at one place keep positions short`() throws {
        var writes = (0..<600).map { EntryWrite.insertAt(0, [.integer($0)]) }
        writes += (0..<600).map { EntryWrite.insertAt(1, [.integer(1000 + $0)]) }
        guard case .array(let elements)? = try value(after: writes) else {
            Issue.record("no list")
            return
        }
        let numbers = [599] + (1000..<1600).reversed() + (0..<599).reversed()
        #expect(elements == numbers.map { .integer(Int64($0)) })
    }

    @Test
    func `writes survive their encoding`() throws {
        let writes: [KeyWrite.Action] = [
            .delete, .write(.set(.bool(true), base: nil)),
            .write(.set(.integer(1), base: .integer(2))), .write(.declare(.map)),
            .write(.increment(by: -3)), .write(.reset(to: .min)), .write(.insert([.real(.nan)])),
            .write(.remove([])), .write(.setField("a", .data([1]))),
            .write(.incrementField("a", by: 4)), .write(.removeField("")),
            .write(.insertAt(3, [.date(1)])), .write(.setAt(0, .string("x"))),
            .write(.removeAt(9)), .write(.move(from: 1, to: 0)),
        ]
        for action in writes {
            let write = KeyWrite(key: "key", action)
            #expect(try KeyWrite(decoding: write.encoded) == write)
        }
    }
}
