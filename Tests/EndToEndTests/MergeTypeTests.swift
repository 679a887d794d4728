import KSTestPrograms
import KeyValueStore
import Testing

extension EndToEndTests {
    /// What programs on two devices do to one key at the same time, by the typed interface.
    struct MergeTypeTests {
        private typealias Deed = @Sendable (KeyValueStore, _ key: String) throws -> Void

        /// A row of the table of conflicts.
        private struct Conflict: Sendable {
            let key: String
            /// What both devices have read.
            var before: Deed = { _, _ in }
            var laptop: Deed
            var phone: Deed
            /// The values of which both devices show one and the same; nil is no value.
            let results: [KeyValue?]
        }

        private static func texts(_ texts: String) -> KeyValue {
            .array(texts.map { .string(String($0)) })
        }

        private static func append(_ texts: String) -> Deed {
            { store, key in
                for text in texts { try store.list(of: String.self, key).append(String(text)) }
            }
        }

        private static func insert(_ texts: String) -> Deed {
            { store, key in
                for text in texts { try store.set(of: String.self, key).insert(String(text)) }
            }
        }

        private static func increment(_ number: Int64) -> Deed {
            { try $0.counter($1).increment(by: number) }
        }

        private static let counters: [Conflict] = [
            Conflict(
                key: "two increments",
                laptop: increment(4),
                phone: increment(2),
                results: [.integer(6)]
            ),
            Conflict(
                key: "reset and increment",
                before: increment(10),
                laptop: { store, key in
                    try store.counter(key).reset(to: 100)
                    try store.counter(key).increment()
                },
                phone: increment(3),
                results: [.integer(104)]
            ),
            // The phone's is the later one, and drops the 2 that it had seen.
            Conflict(
                key: "two resets",
                before: increment(10),
                laptop: { try $0.counter($1).reset(to: 100) },
                phone: { store, key in
                    try store.counter(key).increment(by: 2)
                    try store.counter(key).reset(to: 200)
                    try store.counter(key).increment(by: 5)
                },
                results: [.integer(205)]
            ),
            Conflict(
                key: "deletion and increment of a counter",
                before: increment(10),
                laptop: { $0.removeValue(forKey: $1) },
                phone: increment(3),
                results: [.integer(3)]
            ),
            Conflict(
                key: "two deletions",
                before: increment(10),
                laptop: { $0.removeValue(forKey: $1) },
                phone: { $0.removeValue(forKey: $1) },
                results: [nil]
            ),
        ]

        private static let registers: [Conflict] = [
            Conflict(
                key: "another value and the one that is there",
                before: { try $0.set("old", forKey: $1) },
                laptop: { try $0.set("new", forKey: $1) },
                // The later one, but no change.
                phone: { try $0.set("old", forKey: $1) },
                results: [.string("new")]
            ),
            Conflict(
                key: "two values",
                laptop: { try $0.set("laptop", forKey: $1) },
                phone: { try $0.set("phone", forKey: $1) },
                results: [.string("phone")]
            ),
            Conflict(
                key: "change and deletion",
                before: { try $0.set("old", forKey: $1) },
                laptop: { try $0.set("new", forKey: $1) },
                phone: { $0.removeValue(forKey: $1) },
                results: [.string("new")]
            ),
            Conflict(
                key: "max",
                before: { try $0.raise($1, to: 5) },
                laptop: { try $0.raise($1, to: 9.5) },
                phone: { try $0.raise($1, to: 7) },
                results: [.real(9.5)]
            ),
            Conflict(
                key: "min",
                before: { try $0.lower($1, to: 5) },
                laptop: { try $0.lower($1, to: -2) },
                phone: { try $0.lower($1, to: 3) },
                results: [.integer(-2)]
            ),
            // A deletion removes the numbers that it had seen, and no others.
            Conflict(
                key: "deletion and raise of a max",
                before: { try $0.raise($1, to: 5) },
                laptop: { $0.removeValue(forKey: $1) },
                phone: { try $0.raise($1, to: 6) },
                results: [.integer(6)]
            ),
        ]

        private static let sets: [Conflict] = [
            Conflict(
                key: "removal and addition of an element",
                before: insert("ab"),
                laptop: { try $0.set(of: String.self, $1).remove("a") },
                phone: insert("a"),
                results: [texts("ab")]
            ),
            Conflict(
                key: "removals of different elements",
                before: insert("abc"),
                laptop: { try $0.set(of: String.self, $1).remove("a") },
                phone: { try $0.set(of: String.self, $1).remove("b") },
                results: [texts("c")]
            ),
            Conflict(
                key: "removal and update of a field",
                before: { store, key in
                    try store.map(key).set("old", forField: "x")
                    try store.map(key).set("kept", forField: "y")
                },
                laptop: { try $0.map($1).remove("x") },
                phone: { try $0.map($1).set("new", forField: "x") },
                results: [.dictionary(["x": .string("new"), "y": .string("kept")])]
            ),
            Conflict(
                key: "removal and increment of a field",
                before: { try $0.map($1).increment("n", by: 10) },
                laptop: { store, key in
                    try store.map(key).remove("n")
                    try store.map(key).increment("n", by: 1)
                },
                phone: { try $0.map($1).increment("n", by: 3) },
                results: [.dictionary(["n": .integer(4)])]
            ),
        ]

        private static let lists: [Conflict] = [
            Conflict(
                key: "two moves of an element",
                before: append("abcd"),
                laptop: { try $0.list(of: String.self, $1).move(from: 0, to: 3) },
                phone: { try $0.list(of: String.self, $1).move(from: 0, to: 1) },
                results: [texts("bcda"), texts("bacd")]
            ),
            Conflict(
                key: "moves of two elements",
                before: append("abcd"),
                laptop: { try $0.list(of: String.self, $1).move(from: 0, to: 3) },
                phone: { try $0.list(of: String.self, $1).move(from: 3, to: 0) },
                results: [texts("dbca")]
            ),
            Conflict(
                key: "removal and edit of an element",
                before: append("abc"),
                laptop: { try $0.list(of: String.self, $1).remove(at: 1) },
                phone: { try $0.list(of: String.self, $1).set("B", at: 1) },
                results: [texts("aBc")]
            ),
            Conflict(
                key: "removal and move of an element",
                before: append("abc"),
                laptop: { try $0.list(of: String.self, $1).remove(at: 1) },
                phone: { try $0.list(of: String.self, $1).move(from: 1, to: 2) },
                results: [texts("ac")]
            ),
            Conflict(
                key: "two runs at the end",
                before: append("a"),
                // Elements of several calls may mix with those of another device.
                laptop: { try $0.list(of: String.self, $1).append("b", "c") },
                phone: { try $0.list(of: String.self, $1).append("d", "e") },
                results: [texts("abcde"), texts("adebc")]
            ),
        ]

        private func value(_ store: KeyValueStore, _ key: String) -> KeyValue? {
            store.value(KeyValue.self, forKey: key)
        }

        private func readable(_ value: KeyValue?) -> String {
            switch value {
            case nil: "none"
            case .integer(let number): "\(number)"
            case .real(let number): "\(number)"
            case .string(let text): text
            case .array(let values): values.map { readable($0) }.joined(separator: " ")
            case .dictionary(let fields):
                fields.sorted { $0.key < $1.key }.map { "\($0.key): \(readable($0.value))" }
                    .joined(separator: ", ")
            case .bool, .unsigned, .data, .date: "another type"
            }
        }

        @Test
        func `each conflict has the result of the table on both devices and on a new one`()
            async throws
        {
            let conflicts = Self.counters + Self.registers + Self.sets + Self.lists
            try await World.withDevices("laptop", "phone") { world, devices in
                let stores = devices.map { KeyValueStore(home: $0.home) }
                for conflict in conflicts { try conflict.before(stores[0], conflict.key) }
                #expect(stores[0].synchronize())
                for device in devices { #expect(try await device.sync().status == 0) }
                #expect(await eventually { stores[1].values == stores[0].values })
                // Both without the other's change.
                try await world.server.stop()
                for conflict in conflicts { try conflict.laptop(stores[0], conflict.key) }
                #expect(stores[0].synchronize())
                for conflict in conflicts { try conflict.phone(stores[1], conflict.key) }
                #expect(stores[1].synchronize())
                try await world.server.start()
                let tablet = world.device("tablet")
                for device in devices + [devices[0]] {
                    let synced = try await device.sync()
                    #expect(synced.status == 0, "\(synced)")
                }
                try await tablet.startDaemon()
                #expect(try await tablet.logIn().status == 0)
                #expect(try await tablet.sync().status == 0)
                let all = stores + [KeyValueStore(home: tablet.home)]
                for conflict in conflicts {
                    let isRight = await eventually(seconds: 20) {
                        let shown = all.map { value($0, conflict.key) }
                        return conflict.results.contains { result in
                            shown.allSatisfy { $0 == result }
                        }
                    }
                    let shown = all.map { readable(value($0, conflict.key)) }
                    #expect(isRight, "\(conflict.key): \(shown)")
                }
            }
        }
    }
}
