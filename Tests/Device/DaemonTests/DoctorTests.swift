import GRDB
import KSAgent
import KSDaemon
import KSKeychainFiles
import Testing

import KSSyncClient

/// The doctor's findings about damage that the tests did.
struct DoctorTests {
    private let world: HandlerWorld

    init() throws {
        world = try HandlerWorld()
    }

    private func add(_ service: String) async {
        let reply = await world.answer(
            "item.add",
            [
                "class": "genp", "attributes": ["svce": .string(service), "acct": "ada"],
                "secret": .data([1, 2, 3]),
            ],
            of: HandlerWorld.keychain
        )
        #expect(reply == .result(.array([])), "\(reply)")
    }

    private func find(_ service: String) async -> Int64? {
        let reply = await world.answer(
            "secitem",
            [
                "fn": "copy",
                "query": ["class": "genp", "svce": .string(service), "r_Data": true],
            ],
            of: HandlerWorld.keychain
        )
        guard case .result(let value) = reply else { return nil }
        return value.dictionary?["status"]?.integer
    }

    private func change(_ sql: String) async throws {
        let database = await world.owner.files.database
        try await database.write { try $0.execute(sql: sql) }
    }

    private func report(_ arguments: AgentDictionary = [:]) async throws -> DoctorReport {
        let reply = await world.answer("doctor", arguments, of: HandlerWorld.keychain)
        guard case .result(let answer) = reply else {
            throw CommandFailure(.other, "\(reply)")
        }
        return DoctorReport(try Examination(answer))
    }

    @Test
    func `a damaged item is found, quarantined, put back and given up`() async throws {
        await add("good")
        await add("bad")
        #expect(try await report().lines == ["Items read: 2", "Nothing is wrong."])

        let flip = "SET secret = CAST(x'02' || substr(secret, 2) AS BLOB) WHERE id = 2"
        try await change("UPDATE genp \(flip)")
        let found = try await report()
        #expect(found.problems.count == 1)
        #expect(found.problems.first?.hasPrefix("An item cannot be read: genp, ref") == true)
        #expect(await find("bad") == -25300)
        #expect(await find("good") == 0)
        // A damaged item that a call has found is quarantined.
        let aside = try await report()
        #expect(aside.problems.count == 1)
        #expect(aside.lines.contains("Items read: 1"))

        let still = try await report(["restore": true])
        #expect(still.lines.contains("Put back: 0"))
        #expect(still.problems.count == 1)
        let given = try await report(["discard": true])
        #expect(given.lines == ["Deleted for good: 1", "Items read: 1", "Nothing is wrong."])
        #expect(await find("good") == 0)
    }

    @Test
    func `an item with a damaged secret keeps its attributes when it gets a new secret`()
        async throws
    {
        let attributes: AgentDictionary = ["svce": "wifi", "acct": "ada", "icmt": "of the house"]
        for (secret, isUpdate) in [([1], false), ([2], true)] as [([UInt8], Bool)] {
            var arguments: AgentDictionary = [
                "class": "genp", "secret": .data(secret), "update": .bool(isUpdate),
            ]
            arguments["attributes"] = .dictionary(
                isUpdate ? ["svce": "wifi", "acct": "ada"] : attributes
            )
            arguments["match"] = .dictionary(["svce": "wifi", "acct": "ada"])
            let reply = await world.answer("item.add", arguments, of: HandlerWorld.keychain)
            #expect(reply == .result(.array([])), "\(reply)")
            if !isUpdate {
                try await change(
                    "UPDATE genp SET secret = CAST(x'02' || substr(secret, 2) AS BLOB)"
                )
            }
        }
        let reply = await world.answer(
            "secitem",
            [
                "fn": "copy",
                "query": [
                    "class": "genp", "svce": "wifi", "r_Data": true, "r_Attributes": true,
                ],
            ],
            of: HandlerWorld.keychain
        )
        guard case .result(let value) = reply else {
            Issue.record("\(reply)")
            return
        }
        let item = value.dictionary?["result"]?.dictionary
        #expect(item?["v_Data"] == .data([2]))
        #expect(item?["icmt"] == "of the house")
    }
}
