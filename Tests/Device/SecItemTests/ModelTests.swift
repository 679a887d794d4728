import KSAgent
import KSSecItem
import KSTestSupport
import Testing

/// A keychain of one class as a plain list.
private struct Model {
    struct Key: Hashable {
        var account: String
        var service: String
        var isSynchronizable: Bool
    }

    struct Entry {
        var key: Key
        var label: String?
        var data: String?
        /// In the order of adds.
        let number: Int
    }

    var entries: [Entry] = []
    private var adds = 0

    mutating func add(_ key: Key, label: String?, data: String?) -> Int32 {
        guard !entries.contains(where: { $0.key == key }) else { return Status.duplicateItem }
        entries.append(Entry(key: key, label: label, data: data, number: adds))
        adds += 1
        return Status.success
    }

    mutating func update(_ query: Criteria, _ change: Change) -> Int32 {
        let matching = entries.indices.filter { query.admits(entries[$0]) }
        guard !matching.isEmpty else { return Status.itemNotFound }
        var changed = entries
        for index in matching {
            changed[index].key.account = change.account ?? changed[index].key.account
            changed[index].key.isSynchronizable =
                change.isSynchronizable ?? changed[index].key.isSynchronizable
            changed[index].label = change.label ?? changed[index].label
            changed[index].data = change.data ?? changed[index].data
        }
        guard Set(changed.map(\.key)).count == changed.count else { return Status.duplicateItem }
        entries = changed
        return Status.success
    }

    mutating func delete(_ query: Criteria) -> Int32 {
        let count = entries.count
        entries.removeAll { query.admits($0) }
        return entries.count < count ? Status.success : Status.itemNotFound
    }

    func find(_ query: Criteria) -> [String] {
        entries.filter(query.admits).map { $0.data ?? "" }.sorted()
    }
}

private struct Criteria {
    var account: String?
    var service: String?
    var label: String?
    /// Nil means any.
    var isSynchronizable: Bool?

    func admits(_ entry: Model.Entry) -> Bool {
        (account ?? entry.key.account) == entry.key.account
            && (service ?? entry.key.service) == entry.key.service
            && (label == nil || label == entry.label)
            && (isSynchronizable ?? entry.key.isSynchronizable) == entry.key.isSynchronizable
    }

    var query: AgentDictionary {
        var query: AgentDictionary = ["class": "genp"]
        query["acct"] = account.map { .string($0) }
        query["svce"] = service.map { .string($0) }
        query["labl"] = label.map { .string($0) }
        query["sync"] = isSynchronizable.map { .bool($0) } ?? "syna"
        return query
    }
}

private struct Change {
    var account: String?
    var label: String?
    var data: String?
    var isSynchronizable: Bool?

    var attributes: AgentDictionary {
        var attributes: AgentDictionary = [:]
        attributes["acct"] = account.map { .string($0) }
        attributes["labl"] = label.map { .string($0) }
        attributes["v_Data"] = data.map { .bytes($0) }
        attributes["sync"] = isSynchronizable.map { .bool($0) }
        return attributes
    }
}

extension SeededGenerator {
    fileprivate mutating func maybe<Value>(_ values: [Value]) -> Value? {
        Bool.random(using: &self) ? values.randomElement(using: &self) : nil
    }

    fileprivate mutating func criteria() -> Criteria {
        Criteria(
            account: maybe(["a", "b", "c"]),
            service: maybe(["s", "t"]),
            label: maybe(["l", "m"]),
            isSynchronizable: maybe([true, false])
        )
    }
}

struct ModelTests {
    /// Few values, so that keys collide, move onto each other and return over tombstones.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `the keychain gives the same results as a list of items`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try Fixture(seed: seed)
        var model = Model()
        for step in 0..<40 {
            let criteria = random.criteria()
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let key = Model.Key(
                    account: ["a", "b", "c"].randomElement(using: &random) ?? "a",
                    service: ["s", "t"].randomElement(using: &random) ?? "s",
                    isSynchronizable: Bool.random(using: &random)
                )
                let label = random.maybe(["l", "m"])
                let data = random.maybe(["1", "2", "3"])
                var query: AgentDictionary = [
                    "class": "genp", "acct": .string(key.account), "svce": .string(key.service),
                    "sync": .bool(key.isSynchronizable),
                ]
                query["labl"] = label.map { .string($0) }
                query["v_Data"] = data.map { .bytes($0) }
                let expected = model.add(key, label: label, data: data)
                #expect(fixture.add(query).status == expected, "seed \(seed), step \(step)")
            case 5..<8:
                let change = Change(
                    account: random.maybe(["a", "b", "c"]),
                    label: random.maybe(["l", "m"]),
                    data: random.maybe(["4", "5"]),
                    isSynchronizable: random.maybe([true, false])
                )
                let expected = model.update(criteria, change)
                let status = fixture.update(criteria.query, change.attributes)
                #expect(status == expected, "seed \(seed), step \(step)")
            default:
                let expected = model.delete(criteria)
                #expect(
                    fixture.delete(criteria.query) == expected,
                    "seed \(seed), step \(step)"
                )
            }
            let looked = random.criteria()
            let reply = fixture.copy(
                looked.query + ["m_Limit": "m_LimitAll", "r_Data": true]
            )
            let found = (reply.result?.array ?? []).compactMap(\.data)
                .map { String(decoding: $0, as: UTF8.self) }.sorted()
            #expect(found == model.find(looked), "seed \(seed), step \(step)")
        }
    }
}
