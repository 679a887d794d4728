internal import KSAgent
internal import KSSealing
internal import KSTransport
internal import KSWire
internal import SyncEngine

extension PrepareSignUp: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> JoinedAccount {
        let request = try JoinRequest(form, isLogin: false)
        return JoinedAccount(request, try await daemon.accounts.prepareSignUp(request))
    }
}

extension SignUp: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> JoinedAccount {
        try await daemon.join(try JoinRequest(form, isLogin: false), caller)
    }
}

extension LogIn: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> JoinedAccount {
        try await daemon.join(try JoinRequest(form, isLogin: true), caller)
    }
}

extension LeaveAccount: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LeftAccount {
        try await daemon.accounts.leave(keepsItems: keepsItems, discardsUnsent: discardsUnsent)
    }
}

extension MayHaveAccountKey: HandledCall {
    /// A device that has joined has forgotten its sign-ups: there it may be the account's.
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Bool {
        let accountKey = try AccountKey(parsing: accountKey)
        if try daemon.owner.files.hasAccount() { return true }
        return try await daemon.owner.signUpDrafts().contains { $0.accountKey == accountKey }
    }
}

extension CallHandler {
    fileprivate func join(_ request: JoinRequest, _ caller: Caller) async throws -> JoinedAccount {
        do {
            let accountKey = try await accounts.join(
                request,
                reportProgress: caller.reportProgress
            )
            return JoinedAccount(request, accountKey)
        } catch AccountSetupError.server(.refused(.wrongOrigin, _, _)) {
            // There is no account yet of which the status could show the address.
            throw CommandFailure.wrongOrigin(request.server.origin)
        }
    }
}

extension JoinedAccount {
    fileprivate init(_ request: JoinRequest, _ accountKey: AccountKey) {
        self.init(
            account: request.account,
            device: request.device,
            server: request.server.origin,
            accountKey: accountKey.text
        )
    }
}
