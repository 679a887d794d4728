import KSAgent
import KSDaemon
import KSKeychain

// How the daemon reads the fields of a call.

extension ItemAddRequest {
    init(_ arguments: AgentDictionary) throws {
        try self.init(try read(AddItem.self, arguments))
    }
}

extension KeychainQuery {
    init(_ arguments: AgentDictionary, access: CallerAccess) throws {
        try self.init(try read(FindItems.self, arguments), access: access)
    }
}

extension CheckedAccountForm {
    init(_ arguments: AgentDictionary, isLogin: Bool) throws {
        let arguments: AgentDictionary = ["form": .dictionary(arguments)]
        let form =
            isLogin
            ? try read(LogIn.self, arguments).form : try read(SignUp.self, arguments).form
        try self.init(form, isLogin: isLogin)
    }
}

private func read<Call: AgentCall>(
    _ type: Call.Type,
    _ arguments: AgentDictionary
) throws -> Call {
    do throws(AgentError) {
        return try Call(.dictionary(arguments))
    } catch {
        // As the daemon reports it.
        if Call.failsByStatus { throw ItemStoreError.parameter }
        throw CommandFailure.malformedCall
    }
}
