internal import Foundation
internal import Hummingbird
internal import KSMerging
internal import KSRecords
internal import KSStore
internal import KSWire

extension SyncService {
    /// `POST /v1/accounts`.
    @Sendable
    func signUp(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        try admitSignUp(request, context)
        let epoch = try await strangersUploads.withMessage(
            of: request,
            context,
            atMost: Limits.signUpBytesMax
        ) { (message: WireSignupRequest) in
            let account = try Self.newAccount(message)
            // A retry after a lost answer: the invitation is used, and the store compares.
            let isRetry = try await store.read { try $0.account(account.id) != nil }
            // An account that could never sync must not take the name.
            if !isRetry { try checkOrigin(message.origin) }
            return try await withInvitation(isRetry ? nil : message.invitation) {
                try await store.write { try $0.createAccount(account) }
            }
        }
        var answer = WireSignupResponse()
        answer.epoch = Data(epoch.bytes)
        return try request.response(answer, status: .created)
    }

    /// `POST /v1/accounts/check`: whether a sign-up of this name and invitation would be accepted.
    ///
    /// It counts as a sign-up for the limit of the address, so it finds out names no faster.
    @Sendable
    func checkSignUp(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        try admitSignUp(request, context)
        try await strangersUploads.withMessage(
            of: request,
            context,
            atMost: Limits.proofBytesMax
        ) { (message: WireSignupRequest) in
            try checkOrigin(message.origin)
            if options.registration == .invite {
                let isValid = try await store.read { [invitations] _ in
                    try invitations.has(message.invitation)
                }
                guard isValid else { throw try await refusal(ofInvitation: message.invitation) }
            }
            let isTaken = try await store.read { try $0.account(named: message.name) != nil }
            guard !isTaken else { throw Problem(.nameTaken) }
        }
        return try request.response(WireSignupResponse())
    }

    /// Lets a request pass that makes an account, if this server accepts new ones.
    func admitSignUp(_ request: Request, _ context: SyncRequestContext) throws {
        try signupLimiter.admit(address(of: request, context))
        guard options.registration != .closed else { throw Problem(.registrationClosed) }
    }

    /// `DELETE /v1/account`, signed by a device and by a second, independent member.
    @Sendable
    func deleteAccount(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let account = try await withProof(of: request, context, atMost: 2 * Limits.proofBytesMax) {
            (message: WireDeleteAccountRequest) in
            guard message.hasDevice, message.hasSecond else { throw Problem(.malformed) }
            let device = try await proofs.prover(of: message.device, purpose: .deleteAccount)
            let second = try await proofs.prover(of: message.second, purpose: .deleteAccount)
            guard device.account == second.account else { throw Problem(.refused) }
            try await store.write { store in
                // The current circle must allow it to these two members.
                let entries = try store.circleEntries(of: device.account)
                try CircleRules.checkEnd(of: entries, by: device.member.id, and: second.member.id)
                try store.deleteAccount(device.account)
            }
            return device.account
        }
        hub.end(account)
        return Response(status: .noContent)
    }

    /// `POST /v1/sessions/challenge`.
    @Sendable
    func challenge(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let challenge = try await withProof(of: request, context) {
            (message: WireChallengeRequest) in
            try checkOrigin(message.origin)
            return challenges.make()
        }
        var answer = WireChallengeResponse()
        answer.nonce = Data(challenge.nonce)
        answer.expirySeconds = challenge.expirySeconds
        return try request.response(answer)
    }

    /// `POST /v1/sessions`.
    @Sendable
    func openSession(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let prover = try await withProof(of: request, context) { (message: WireSessionRequest) in
            guard message.hasProof else { throw Problem(.malformed) }
            return try await proofs.prover(of: message.proof, purpose: .session)
        }
        let session = tokens.session(account: prover.account, member: prover.member.id)
        var answer = WireSessionResponse()
        answer.token = tokens.token(of: session)
        answer.lifetimeSeconds = Limits.sessionSeconds
        answer.account = Data(prover.account.bytes)
        return try request.response(answer)
    }

    /// Reads a proof, or a request for one: it needs no session, but is small and rare.
    func withProof<Message: CountedMessage, Value>(
        of request: Request,
        _ context: SyncRequestContext,
        atMost limit: Int = Limits.proofBytesMax,
        _ body: (Message) async throws -> Value
    ) async throws -> Value {
        try proofLimiter.admit(address(of: request, context))
        return try await strangersUploads.withMessage(of: request, context, atMost: limit, body)
    }

    /// The account that a sign-up describes, checked as its devices will.
    private static func newAccount(_ message: WireSignupRequest) throws -> NewAccount {
        guard let id = AccountID(Array(message.account)) else { throw Problem(.malformed) }
        let genesis = try message.genesis.value()
        try genesis.checkBegins(id)
        return NewAccount(id: id, name: message.name, genesis: genesis)
    }

    /// Rejects an unknown origin early: a proof signed for it can never verify.
    ///
    /// The client's claim has no other effect: a proof is checked against every origin.
    private func checkOrigin(_ origin: String) throws {
        guard origin.isEmpty || origins.all.contains(origin) else { throw Problem(.wrongOrigin) }
    }

    /// Why an invitation makes no account.
    ///
    /// Nobody can guess a code, so only who got one learns that it was used.
    private func refusal(ofInvitation code: String) async throws -> Problem {
        let wasUsed = try await store.read { [invitations] _ in try invitations.wasUsed(code) }
        return Problem(wasUsed ? .invitationUsed : .invitationNeeded)
    }

    /// Uses the invitation, if one is needed, and restores it if the account is not created.
    ///
    /// The code is nil for an account that exists.
    func withInvitation<Value>(
        _ code: String?,
        _ create: () async throws -> Value
    ) async throws -> Value {
        guard options.registration == .invite, let code else { return try await create() }
        let isTaken = try await store.write { [invitations] _ in try invitations.take(code) }
        guard isTaken else { throw try await refusal(ofInvitation: code) }
        do {
            return try await create()
        } catch {
            // The sign-up's own error matters more.
            try? await store.write { [invitations] _ in try invitations.putBack(code) }
            throw error
        }
    }
}
