package import KSAgent
internal import KSSealing
internal import SyncEngine
internal import KSTransport
internal import KSWire

extension CallHandler {
    /// Calls about joining an account.
    package func accountValue(
        of request: AgentRequest,
        _ reportProgress: ReportProgress
    ) async throws -> AgentValue {
        switch request.call {
        case "account.prepare":
            let request = try JoinRequest(request.arguments, isLogin: false)
            return answer(to: request, try await accounts.prepareSignUp(request))
        case "account.signup":
            return try await join(request.arguments, isLogin: false, reportProgress)
        case "account.login":
            return try await join(request.arguments, isLogin: true, reportProgress)
        case "account.mayHaveKey":
            guard let text = request.arguments["accountKey"]?.string else {
                throw CommandFailure.malformedCall
            }
            return .bool(try await mayHave(try AccountKey(parsing: text)))
        default:
            throw CommandFailure.unknownCall
        }
    }

    private func join(
        _ arguments: AgentDictionary,
        isLogin: Bool,
        _ reportProgress: ReportProgress
    ) async throws -> AgentValue {
        let request = try JoinRequest(arguments, isLogin: isLogin)
        do {
            return answer(
                to: request,
                try await accounts.join(request, reportProgress: reportProgress)
            )
        } catch AccountSetupError.server(.refused(.wrongOrigin, _, _)) {
            // There is no account yet of which the status could show the address.
            throw CommandFailure.wrongOrigin(request.server.origin)
        }
    }

    private func answer(to request: JoinRequest, _ accountKey: AccountKey) -> AgentValue {
        [
            "account": .string(request.account),
            "device": .string(request.device),
            "server": .string(request.server.origin),
            "accountKey": .string(accountKey.text),
        ]
    }

    /// Whether an account may have this key that this device has made, or is making.
    ///
    /// A device that has joined has forgotten its sign-ups: there it may be the account's.
    private func mayHave(_ accountKey: AccountKey) async throws -> Bool {
        if try owner.files.hasAccount() { return true }
        return try await owner.signUpDrafts().contains { $0.accountKey == accountKey }
    }
}
