internal import KSSealing
internal import KSWire

extension AccountSetup {
    /// Asks the server for a challenge, as every login does.
    ///
    /// So its address, its certificate or pin, and the origin are right, before the user is asked
    /// for a password.
    package func checkServer() async throws {
        try checkNames()
        try await retrying { () async throws(ServerError) in _ = try await client.challenge() }
    }

    /// Whether a new account would get this name and invitation now, before there is a password.
    package func checkNewName(
        invitation: String,
        drafts: any SignUpDraftKeeping
    ) async throws {
        try checkNames()
        // A sign-up from here may have made it, which is found out with the password.
        let mayBeOurs = try await drafts.signUpDrafts()
            .contains { $0.wasSent && $0.isFor(names, on: server) }
        if !mayBeOurs { try await askForNewAccount(invitation) }
    }

    private func askForNewAccount(_ invitation: String) async throws {
        try await retrying { () async throws(ServerError) in
            try await client.checkSignUp(name: names.account, invitation: invitation)
        }
    }

    /// Whether a new account would get this name and invitation now.
    ///
    /// A sign-up from here that got no answer may have made the account: then only its repetition
    /// finds out.
    func checkNewAccount(
        _ password: [UInt8],
        invitation: String,
        drafts: any SignUpDraftKeeping
    ) async throws {
        try checkNames()
        let kept = try await drafts.signUpDrafts()
        if let earlier = try unanswered(kept, password), earlier.wasSent { return }
        do {
            try await askForNewAccount(invitation)
        } catch ServerError.refused(.nameTaken, _, _) {
            let isOurs = kept.contains { $0.wasSent && $0.isFor(names, on: server) }
            if isOurs { throw AccountSetupError.unfinishedSignUp }
            throw ServerError.refused(.nameTaken)
        }
    }
}
