import KSAgent
import KSDaemon
import Testing

/// A front end in the daemon's process, as one for D-Bus would be: it has calls as values.
struct FrontEndTests {
    private let handler: CallHandler
    private let world: HandlerWorld

    init() throws {
        world = try HandlerWorld()
        handler = world.handler
    }

    private func find(of peer: AgentPeer) async throws -> [FoundItem] {
        let query = ItemSearch(class: "genp", attributes: ["svce": "mail"])
        return try await handler.answer(FindItems(query, wantsSecret: true), of: peer)
    }

    @Test
    func `a front end makes a call for a program and gets the answer as a value`() async throws {
        var item = AddItem(class: "genp")
        item.attributes = ["svce": "mail", "acct": "ada"]
        item.secret = [1, 2, 3]
        _ = try await handler.answer(item, of: HandlerWorld.program)
        #expect(try await find(of: HandlerWorld.program).map(\.secret) == [[1, 2, 3]])
    }

    @Test
    func `a front end's call is refused as the program's own call would be`() async throws {
        let error = await #expect(throws: AgentError.self) {
            try await handler.answer(ListKeychains(), of: HandlerWorld.program)
        }
        guard case .failed(let failure) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.code == -34018)
        // Another program's item does not show either.
        var item = AddItem(class: "genp")
        item.attributes = ["svce": "mail", "acct": "ada"]
        _ = try await handler.answer(item, of: HandlerWorld.program)
        let other = HandlerWorld.peer("/usr/bin/another-program")
        await #expect(throws: AgentError.self) { try await find(of: other) }
    }
}
