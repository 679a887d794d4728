import Foundation
import KSTestPrograms
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

extension EndToEndTests {
    /// Values of every type that property lists have, from one device to another.
    struct PropertyTypeTests {
        private static let values: [String: KeyValue] = [
            "false": .bool(false), "true": .bool(true),
            "zero": .integer(0), "one": .integer(1), "least": .integer(.min),
            "most": .integer(.max), "above": .unsigned(UInt64(Int64.max) + 1),
            "unsigned": .unsigned(.max),
            "real one": .real(1), "-0.0": .real(-0.0), "third": .real(1.0 / 3),
            "NaN": .real(.nan),
            "NaN with a payload": .real(Double(bitPattern: 0x7FF8_0000_0000_00AB)),
            "inf": .real(.infinity), "-inf": .real(-.infinity),
            "tiny": .real(.leastNonzeroMagnitude), "large": .real(.greatestFiniteMagnitude),
            "no text": .string(""), "NUL": .string("a\u{0}b\n"), "emoji": .string("👩‍👩‍👧"),
            "composed": .string("\u{E9}"), "decomposed": .string("e\u{301}"),
            "no data": .data(Data()), "bytes": .data(Data(0...255)),
            "fraction": .date(Date(timeIntervalSinceReferenceDate: 0.123456789)),
            "now": .date(Date(timeIntervalSinceReferenceDate: 785_000_000.000_000_1)),
            "past": .date(Date(timeIntervalSinceReferenceDate: -62_135_596_800.000_01)),
            "no array": .array([]), "no dictionary": .dictionary([:]),
            "nested": .array([
                .dictionary(["": .array([.bool(true), .integer(1), .real(1)])]),
                .array([.array([.data(Data([0])), .real(-0.0)])]),
                .dictionary(["a\u{0}": .date(Date(timeIntervalSinceReferenceDate: -0.0))]),
            ]),
        ]

        /// Type, and value to the bit: as doubles NaN is not NaN, as texts two spellings are one.
        private func exact(_ value: KeyValue?) -> String {
            func bits(_ value: Double) -> String { String(value.bitPattern, radix: 16) }
            return switch value {
            case nil: "none"
            case .bool(let bool): "bool \(bool)"
            case .integer(let number): "integer \(number)"
            case .unsigned(let number): "unsigned \(number)"
            case .real(let real): "real \(bits(real))"
            case .string(let text): "string \(Array(text.utf8))"
            case .data(let data): "data \(Array(data))"
            case .date(let date): "date \(bits(date.timeIntervalSinceReferenceDate))"
            case .array(let values): "array \(values.map { exact($0) })"
            case .dictionary(let fields):
                "dictionary "
                    + fields.map { "\(Array($0.key.utf8)): \(exact($0.value))" }.sorted().joined()
            }
        }

        /// A value inside of an array, a set, a list and a map, where it has to be the same.
        private static func write(_ values: [String: KeyValue], to store: KeyValueStore) throws {
            for (key, value) in values {
                try store.set(value, forKey: key)
                try store.map("map").set(value, forField: key)
                try store.list(of: KeyValue.self, "list").append(value)
                try store.set(of: KeyValue.self, "set").insert(value)
            }
        }

        @Test
        func `each type arrives on the other device with its type and every bit`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let stores = devices.map { KeyValueStore(home: $0.home) }
                try Self.write(Self.values, to: stores[0])
                #expect(stores[0].synchronize())
                for device in [laptop, phone] { #expect(try await device.sync().status == 0) }
                let count = Self.values.count + 3
                let all = Self.values.count
                #expect(
                    await eventually {
                        let elements = ["list", "set"].map { key in
                            stores[1].value([KeyValue].self, forKey: key)?.count
                        }
                        return stores[1].keys.count == count && elements == [all, all]
                            && stores[1].map("map").fields.count == all
                    }
                )
                let fields = stores[1].map("map").fields
                for (key, value) in Self.values {
                    let arrived = stores[1].value(KeyValue.self, forKey: key)
                    #expect(exact(arrived) == exact(value), "\(key)")
                    #expect(exact(fields[key]) == exact(value), "\(key)")
                }
                for key in ["list", "set"] {
                    let sent = stores[0].value([KeyValue].self, forKey: key)
                    let arrived = stores[1].value([KeyValue].self, forKey: key)
                    #expect(arrived?.count == Self.values.count)
                    #expect(arrived?.map { exact($0) } == sent?.map { exact($0) }, "\(key)")
                    let expected = Self.values.values.map { exact($0) }.sorted()
                    #expect(arrived?.map { exact($0) }.sorted() == expected, "\(key)")
                }
                // From the disk, without this process's memory.
                try await phone.restartDaemonAfterKill()
                let name = try stores[0].status().name
                var exported: [ProgramResult] = []
                for device in devices {
                    exported.append(
                        try await device.start("sync-client", ["kv", "export", name]).result()
                    )
                }
                #expect(exported[0].status == 0 && exported[0].output == exported[1].output)
                #expect(exported[1].output.contains(#"{"$integer":"18446744073709551615"}"#))
                #expect(exported[1].output.contains(#"{"$real":"-0.0"}"#), "\(exported[1])")
            }
        }

        /// What a program sets by Apple's class arrives so that the casts which people write work.
        @Test
        func `what Apple's class sets arrives in Apple's class`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let stores = devices.map {
                    NSUbiquitousKeyValueStore(store: KeyValueStore(home: $0.home))
                }
                let date = Date(timeIntervalSinceReferenceDate: 785_000_000.123_456_7)
                let sent: [String: Any] = [
                    "bool": true, "int": 7, "unsigned": UInt64.max, "double": 2.5,
                    "float": Float(0.1), "text": "a\u{0}b", "data": Data([0, 255]), "date": date,
                    "array": [1, "two", 3.5, false] as [Any], "nested": ["a": ["b": [date]]],
                ]
                for (key, value) in sent { stores[0].set(value, forKey: key) }
                #expect(stores[0].synchronize())
                for device in devices { #expect(try await device.sync().status == 0) }
                let phone = stores[1]
                #expect(await eventually { phone.dictionaryRepresentation.count == sent.count })
                #expect(phone.object(forKey: "bool") as? Bool == true && phone.bool(forKey: "bool"))
                #expect(phone.object(forKey: "int") as? Int == 7)
                #expect(phone.object(forKey: "unsigned") as? UInt64 == .max)
                #expect(phone.object(forKey: "double") as? Double == 2.5)
                #expect(phone.object(forKey: "float") as? Float == 0.1)
                #expect(phone.string(forKey: "text") == "a\u{0}b")
                #expect(phone.data(forKey: "data") == Data([0, 255]))
                #expect(phone.object(forKey: "date") as? Date == date)
                let array = try #require(phone.array(forKey: "array"))
                #expect(array[0] as? Int == 1 && array[1] as? String == "two")
                #expect(array[2] as? Double == 3.5 && array[3] as? Bool == false)
                let nested = phone.dictionary(forKey: "nested")?["a"] as? [String: [Date]]
                #expect(nested == ["b": [date]])

                // A value that does not fit the key's merge type changes nothing.
                let posts = UbiquitousStoreTests.Posts(of: phone)
                try phone.typedStore.counter("count").increment(by: 5)
                phone.set("text", forKey: "count")
                #expect(await eventually { posts.contains(2, "count") })
                #expect(phone.longLong(forKey: "count") == 5)
            }
        }
    }
}
