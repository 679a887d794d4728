import KSAgent
import KSRPC
import KSTestBench
import Testing

/// Items of the one class whose key can be lost while others remain: removing the passcode
/// deletes it for good.
struct LostClassKeyTests {
    private static let classes = ["genp", "inet", "cert", "keys"]
    private let keychain: TestKeychain

    init() throws {
        keychain = try TestKeychain()
    }

    private func query(
        _ itemClass: String,
        _ hint: String = "lost",
        _ more: AgentDictionary = [:]
    ) -> AgentDictionary {
        var query: AgentDictionary = ["class": .string(itemClass), "vwht": .string(hint)]
        for entry in more.entries { query[entry.key] = entry.value }
        return query
    }

    private func call(
        _ function: SecItemCall.Function,
        _ query: AgentDictionary,
        update: AgentDictionary? = nil
    ) -> SecItemReply {
        keychain.answer(SecItemCall(function, query, update: update ?? [:]))
    }

    private func happen(_ name: String, _ arguments: AgentDictionary = [:]) throws {
        try #require(try keychain.call(name, arguments)?.status == 0)
    }

    /// An item whose key is lost, and one whose key remains.
    private func lose(_ itemClass: String) throws {
        let lost = query(itemClass, "lost", ["pdmn": "akpu", "v_Data": .data([1])])
        try #require(call(.add, lost).status == 0)
        let kept = query(itemClass, "kept", ["v_Data": .data([2])])
        try #require(call(.add, kept).status == 0)
        try happen("Env.removePasscode")
        #expect(call(.add, lost).status == -25293)
        try happen("Env.setPasscode", ["passcode": "1111"])
    }

    @Test(arguments: classes)
    func `an item whose key is lost is not found, and does not prevent a new one`(
        itemClass: String
    ) throws {
        try lose(itemClass)
        let data: AgentDictionary = ["r_Data": true]
        let list: AgentDictionary = [
            "class": .string(itemClass), "m_Limit": "m_LimitAll", "r_Data": true,
        ]
        #expect(call(.copy, list) == SecItemReply(status: 0, result: [.data([2])]))
        for flags in [[:], data, ["r_Attributes": true]] as [AgentDictionary] {
            #expect(call(.copy, query(itemClass, "lost", flags)) == SecItemReply(status: -25300))
        }
        #expect(call(.update, query(itemClass), update: ["labl": "l"]).status == -25300)
        #expect(call(.delete, query(itemClass)).status == -25300)
        let again = query(itemClass, "lost", ["pdmn": "akpu", "v_Data": .data([3])])
        #expect(call(.add, again).status == 0)
        #expect(call(.add, again).status == -25299)
        #expect(call(.copy, query(itemClass, "lost", data)).result == .data([3]))
        try happen("Env.lock")
        #expect(call(.copy, query(itemClass, "lost", data)).status == -25308)
        #expect(call(.add, again).status == -25308)
        try happen("Env.unlock")
        #expect(call(.copy, query(itemClass, "lost", data)).result == .data([3]))
    }

    @Test(arguments: classes)
    func `an add replaces an item whose key is lost`(itemClass: String) throws {
        try lose(itemClass)
        let again = query(itemClass, "lost", ["v_Data": .data([3])])
        #expect(call(.add, again).status == 0)
        #expect(call(.copy, query(itemClass, "lost", ["r_Data": true])).result == .data([3]))
    }

    @Test(arguments: classes)
    func `a delete removes an item whose key is lost, and no other`(itemClass: String) throws {
        try lose(itemClass)
        #expect(call(.delete, query(itemClass)).status == 0)
        #expect(call(.delete, query(itemClass)).status == -25300)
        let kept = query(itemClass, "kept", ["r_Data": true])
        #expect(call(.copy, kept).result == .data([2]))
    }
}
