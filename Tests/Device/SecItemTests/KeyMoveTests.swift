import KSAgent
import KSSecItem
import KSTestSupport
import Testing

/// Updates of the attributes of the primary key, one by one.
struct KeyMoveTests {
    private static let common: [(String, AgentValue)] = [
        ("vwht", "v"), ("tkid", "t"), ("agrp", "second"), ("sync", true),
    ]

    private static let own: [(String, [(String, AgentValue)])] = [
        ("genp", [("acct", "x"), ("svce", .data([5]))]),
        (
            "inet",
            [
                ("acct", "x"), ("sdmn", "x"), ("srvr", "x"), ("ptcl", "http"), ("atyp", "form"),
                ("port", 80), ("path", "/x"),
            ]
        ),
        ("cert", [("ctyp", 3), ("issr", .data([5])), ("slnr", .data([5]))]),
        (
            "keys",
            [
                ("kcls", 1), ("klbl", .data([5])), ("atag", "x"), ("crtr", 5), ("type", 73),
                ("bsiz", 256), ("esiz", 256), ("sdat", .date(5)), ("edat", .date(5)),
            ]
        ),
    ]

    @Test(arguments: own)
    func `an item moves to another primary key, unless that is taken`(
        itemClass: String,
        own: [(String, AgentValue)]
    ) throws {
        for (name, value) in own + Self.common {
            let fixture = try Fixture()
            fixture.client.accessGroups = ["group", "second"]
            let plain: AgentDictionary = ["class": .string(itemClass)]
            let other = plain + [name: value]
            let first = try fixture.put(plain + ["v_Data": .bytes("1"), "r_PersistentRef": true])
            let second = try fixture.put(other + ["v_Data": .bytes("2"), "r_PersistentRef": true])
            let move: AgentDictionary = ["v_PersistentRef": try #require(first)]
            let stay: AgentDictionary = ["v_PersistentRef": try #require(second)]
            func data(_ query: AgentDictionary) -> AgentValue? {
                fixture.copy(query + ["r_Data": true]).result
            }
            let update: AgentDictionary = [name: value, "labl": "moved"]
            #expect(fixture.update(move, update) == Status.duplicateItem, "\(name)")
            #expect(data(move) == .bytes("1") && data(stay) == .bytes("2"), "\(name)")
            #expect(data(other) == .bytes("2"), "\(name)")
            #expect(fixture.copy(plain + ["labl": "moved"]).status == Status.itemNotFound)
            // The tombstone of a synchronizable item does not prevent a new one.
            #expect(fixture.delete(stay) == Status.success, "\(name)")
            #expect(fixture.update(move, update) == Status.success, "\(name)")
            #expect(data(other) == .bytes("1") && data(move) == .bytes("1"), "\(name)")
            #expect(fixture.add(other).status == Status.duplicateItem, "\(name)")
            #expect(fixture.add(plain).status == Status.success, "\(name)")
        }
    }

    // MARK: Tombstones of certificates and keys

    private func subject(
        _ itemClass: String
    ) throws -> (object: AgentDictionary, key: [String]) {
        if itemClass == "cert" {
            return (["v_Ref": try Objects.certificate()], ["ctyp", "issr", "slnr"])
        }
        let key = ["kcls", "klbl", "type", "bsiz", "esiz"]
        return (["v_Ref": try Objects.keyOfIdentity()], key)
    }

    @Test(arguments: ["cert", "keys"], [false, true])
    func `the tombstone of a certificate or a key has its primary key alone`(
        itemClass: String,
        isSynchronizable: Bool
    ) throws {
        let fixture = try Fixture()
        let subject = try subject(itemClass)
        let sync: AgentDictionary = ["sync": .bool(isSynchronizable)]
        let item = subject.object + sync
        let added = try fixture.put(
            item + ["labl": "l", "r_Attributes": true, "r_PersistentRef": true]
        )
        let attributes = try #require(added?.dictionary)
        // A local item leaves a tombstone only if the switch asks for it.
        let wanted: AgentDictionary = isSynchronizable ? [:] : ["u_Tomb": true]
        #expect(fixture.delete(item + wanted) == Status.success)
        for query in [item, sync + ["class": .string(itemClass)]] {
            #expect(fixture.copy(query).status == Status.itemNotFound)
            #expect(fixture.update(query, ["labl": "l"]) == Status.itemNotFound)
            #expect(fixture.delete(query) == Status.itemNotFound)
        }
        let buried = sync + ["class": .string(itemClass), "tomb": true]
        let found = fixture.copy(buried + ["r_Attributes": true, "r_Data": true])
        let left = try #require(found.result?.dictionary)
        for name in subject.key { #expect(left[name] == attributes[name], "\(name)") }
        for name in ["labl", "v_Data", "subj", "pkhh", "priv", "sign"] {
            #expect(left[name] == nil, "\(name)")
        }
        #expect(left["tomb"] == 1 && left["cdat"] == attributes["cdat"])
        let again = try fixture.put(item + ["r_PersistentRef": true])
        #expect(again == attributes["v_PersistentRef"])
        #expect(fixture.delete(item + ["u_Tomb": false]) == Status.success)
        #expect(fixture.copy(buried).status == Status.itemNotFound)
    }
}
