package import KSAgent
package import KSSecItem

/// What `secitem` asks for: one of Apple's four calls, or an update of exactly one item.
package struct SecItemCall: Sendable {
    package enum Function: String {
        case add
        case copy
        case update
        /// What its query leaves out of the key stands for what an add puts there.
        case updateExactly = "update-exactly"
        case delete
    }

    package let function: Function
    package let query: AgentDictionary
    package let update: AgentDictionary

    package init(_ arguments: AgentDictionary) throws(CommandFailure) {
        guard let function = arguments["fn"]?.string.flatMap(Function.init(rawValue:)),
            let query = arguments["query"]?.dictionary
        else { throw .malformedCall }
        self.function = function
        self.query = query
        switch (function, arguments["update"]) {
        case (.update, .dictionary(let update)), (.updateExactly, .dictionary(let update)):
            self.update = update
        case (.update, _), (.updateExactly, _): throw .malformedCall
        default: update = [:]
        }
    }
}

extension SecItemService {
    package func answer(_ call: SecItemCall, client: SecItemClient) -> SecItemReply {
        switch call.function {
        case .add: add(call.query, client: client)
        case .copy: copyMatching(call.query, client: client)
        case .update: update(call.query, call.update, client: client)
        case .updateExactly: updateExactly(call.query, call.update, client: client)
        case .delete: delete(call.query, client: client)
        }
    }
}

extension SecItemClient {
    /// Who has been found to call.
    package init(_ program: ProgramAccess) {
        self.init(
            accessGroups: program.accessGroups,
            seesAllGroups: program.seesAllGroups,
            entitlements: program.entitlements
        )
    }
}

extension AgentValue {
    /// The reply as the program's side of `secitem` reads it.
    package init(_ reply: SecItemReply) {
        var answer: AgentDictionary = ["status": .integer(Int64(reply.status))]
        answer["result"] = reply.result
        self = .dictionary(answer)
    }
}
