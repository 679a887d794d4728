import KSCausality
import Foundation
import Testing

/// Other projects' cases of version vectors and concurrent writes: `Vectors/README.md`.
struct VectorCaseTests {
    /// Why a case says nothing about our types.
    private enum Skip: String {
        case clockValuedCounter = "our counters have no gaps and no clock in them"
        case joiningReplicas = "only the server holds siblings, so two sets of them never meet"
    }

    private struct Case {
        let id: String
        let kind: String
        let operation: String
        let json: [String: Any]

        init(_ line: Substring) throws {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            json = try #require(object as? [String: Any])
            id = try #require(json["id"] as? String)
            kind = try #require(json["kind"] as? String)
            operation = try #require(json["op"] as? String)
        }
    }

    /// A set of concurrent writes, and the writes it has seen.
    private struct Clock: Equatable {
        var vector = VersionVector()
        var siblings = Siblings<String>()

        static func == (left: Clock, right: Clock) -> Bool {
            left.vector == right.vector && left.siblings.dots == right.siblings.dots
                && left.siblings.entries.map(\.value) == right.siblings.entries.map(\.value)
        }

        mutating func write(_ value: String, actor: ActorID, context: VersionVector) {
            let dot = Dot(actor: actor, counter: max(vector[actor], context[actor]) + 1)
            siblings.write(value, dot: dot, replacing: siblings.dots.filter(context.contains))
            vector.merge(context)
            vector.raise(actor, to: dot.counter)
        }
    }

    private func cases() throws -> [Case] {
        let text = String(decoding: PackageResources.version_vector_cases_jsonl, as: UTF8.self)
        return try text.split(separator: "\n").map { try Case($0) }
    }

    @Test
    func `every case holds or is skipped for a named reason`() throws {
        var ran = 0
        var skipped: [String: Int] = [:]
        for one in try cases() {
            let skip: Skip?
            switch (one.kind, one.operation) {
            case ("vv", "compare"), ("vv", "merge"), ("vv", "event"):
                skip = try checkVector(one)
            case ("vv", "update"):
                skip = .clockValuedCounter
            case ("vv-set", "sync"):
                skip = try checkSurvivors(one)
            case ("dvvset", "update"), ("dvvset-entries", "event"):
                skip = try checkWrite(one)
            case ("dvvset", "compare"):
                skip = try checkClockOrder(one)
            case ("dvvset", "sync"):
                skip = .joiningReplicas
            default:
                Issue.record("nobody knows what case \(one.id) means")
                continue
            }
            if let skip { skipped[skip.rawValue, default: 0] += 1 } else { ran += 1 }
        }
        #expect(ran == 70)
        #expect(
            skipped == [
                Skip.clockValuedCounter.rawValue: 2, Skip.joiningReplicas.rawValue: 4,
            ]
        )
    }

    private func checkVector(_ one: Case) throws -> Skip? {
        let left = try vector(one.json["a"])
        switch one.operation {
        case "compare":
            let right = try vector(one.json["b"])
            let orders: [String: VersionVector.Order] = [
                "equal": .equal, "greater": .after, "lesser": .before, "concurrent": .concurrent,
            ]
            let name = try #require(one.json["expect"] as? String)
            let expected = try #require(orders[name])
            let backwards: VersionVector.Order =
                switch expected {
                case .before: .after
                case .after: .before
                case .equal, .concurrent: expected
                }
            #expect(left.compare(to: right) == expected, "\(one.id)")
            #expect(right.compare(to: left) == backwards, "\(one.id)")
        case "merge":
            let right = try vector(one.json["b"])
            #expect(left.merged(with: right) == (try vector(one.json["expect"])), "\(one.id)")
            #expect(right.merged(with: left) == (try vector(one.json["expect"])), "\(one.id)")
        default:
            var counted = left
            for name in try #require(one.json["b"] as? [String]) {
                counted.raise(actor(name), to: counted[actor(name)] + 1)
            }
            #expect(counted == (try vector(one.json["expect"])), "\(one.id)")
        }
        return nil
    }

    private func checkSurvivors(_ one: Case) throws -> Skip? {
        let all = try #require(one.json["a"] as? [Any]).map(vector)
        let survivors = Set(
            all.filter { mine in !all.contains { mine.compare(to: $0) == .before } }
        )
        let expected = try #require(one.json["expect"] as? [Any]).map(vector)
        #expect(survivors == Set(expected), "\(one.id)")
        return nil
    }

    private func checkWrite(_ one: Case) throws -> Skip? {
        let isBlind = one.kind == "dvvset-entries"
        let write = try #require(one.json[isBlind ? "b" : "a"] as? [String: Any])
        var clock = try clock(one.json[isBlind ? "a" : "b"])
        let name = try #require(write["actor"] as? String)
        clock.write(
            try #require(write["value"] as? String),
            actor: actor(name),
            context: try vector(write["context"] ?? [])
        )
        #expect(clock == (try self.clock(one.json["expect"])), "\(one.id)")
        return nil
    }

    private func checkClockOrder(_ one: Case) throws -> Skip? {
        let order = try clock(one.json["a"]).vector.compare(to: try clock(one.json["b"]).vector)
        let wanted: VersionVector.Order =
            one.json["variant"] as? String == "less" ? .before : .equal
        #expect((order == wanted) == (one.json["expect"] as? Bool), "\(one.id)")
        return nil
    }

    // MARK: Reading

    private func actor(_ name: String) -> ActorID {
        ActorID(rawValue: UInt64(name) ?? name.utf8.reduce(1) { $0 << 8 | UInt64($1) })
    }

    private func vector(_ json: Any?) throws -> VersionVector {
        VersionVector(
            try #require(json as? [[String]]).map { entry in
                (actor: actor(entry[0]), counter: try #require(UInt64(entry[1])))
            }
        )
    }

    /// The values of an actor are its newest writes, newest first.
    private func clock(_ json: Any?) throws -> Clock {
        let object = json as? [String: Any]
        var clock = Clock()
        for entry in (object?["entries"] ?? json) as? [[Any]] ?? [] {
            let actor = actor(try #require(entry[0] as? String))
            let text = try #require(entry[1] as? String)
            let counter = try #require(UInt64(text))
            clock.vector.raise(actor, to: counter)
            for (age, value) in try #require(entry[2] as? [String]).enumerated() {
                let dot = Dot(actor: actor, counter: counter - UInt64(age))
                clock.siblings.write(value, dot: dot, replacing: [])
            }
        }
        return clock
    }
}
