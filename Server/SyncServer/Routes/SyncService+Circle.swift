internal import Hummingbird
internal import KSMerging
internal import KSRecords
internal import KSStore
internal import SwiftProtobuf
internal import KSWire

extension SyncService {
    /// `GET /v1/circle?after=V`.
    @Sendable
    func circle(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let caller = try await gate.caller(of: request)
        let version = try request.queryInteger("after") ?? 0
        let state = try await store.read {
            try $0.circle(of: caller.account, after: version, for: caller.member.id)
        }
        return try request.response(WireCircleResponse(state))
    }

    /// `GET /v1/circle/entry`, or `GET /v1/circle/entry?generation=G`.
    ///
    /// With these a member proves that the author of the newest entry has stored false envelopes,
    /// and opens an earlier one of its own.
    @Sendable
    func circleEntry(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let caller = try await gate.caller(of: request)
        let generation = try request.queryInteger("generation")
        let shown = try await store.read {
            try $0.circleEntry(of: caller.account, generation: generation, for: caller.member.id)
        }
        guard let shown else { throw Problem(.notFound) }
        return try request.response(WireCircleEntryResponse(shown))
    }

    /// `PUT /v1/circle`.
    ///
    /// The session does not authorize the change; it only allows a larger body than a stranger's.
    @Sendable
    func extendCircle(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        try proofLimiter.admit(address(of: request, context))
        let version = try Self.versionToExtend(request)
        let caller = try await gate.caller(of: request)
        return try await membersUploads.withMessage(
            of: request,
            context,
            atMost: MessageBody.memberBytesMax
        ) { (message: WirePutCircleRequest) in
            guard message.hasProof else { throw Problem(.malformed) }
            let bytes = Array(message.update)
            let prover = try await proofs.prover(of: message.proof, purpose: .circle, body: bytes)
            guard prover.account == caller.account else { throw Problem(.refused) }
            let change = try WireCircleUpdate(counting: bytes).value()
            try admitChange(change, by: prover)
            let newVersion = try await store.write {
                try $0.extendCircle(
                    of: prover.account,
                    by: change,
                    from: prover.member.id,
                    ifVersion: version
                )
            }
            let standing = Standing(circleVersion: newVersion)
            hub.publish(standing, by: caller.member.id, to: prover.account)
            var answer = WirePutCircleResponse()
            answer.version = newVersion
            return try request.response(answer)
        }
    }

    /// Bounds what a thief of a device can fill the circle with.
    private func admitChange(_ change: CircleChange, by prover: ProofChecker.Prover) throws {
        // The owner comes in by the password, and throws out, at any time.
        guard prover.member.kind == .device, try change.entry.entry().operation != .revoke else {
            return
        }
        try circleLimiter.admit(prover.account.limitKey)
    }

    /// The longest body that puts a circle back.
    private static let returnBytesMax = 2 << 20

    /// `POST /v1/circle/return`.
    ///
    /// A device that has joined since the backup is no member here: it cannot open a session. So
    /// its proof is checked against the entries that it brings, which are checked before. With the
    /// account's name it makes an account again that this server has lost.
    @Sendable
    func returnCircle(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        let (account, member, version) = try await withProof(
            of: request,
            context,
            atMost: Self.returnBytesMax
        ) { (message: WireReturnCircleRequest) in
            guard message.hasProof, let account = AccountID(Array(message.proof.account)) else {
                throw Problem(.malformed)
            }
            let bytes = Array(message.update)
            let circle = try WireCircleReturn(counting: bytes).value()
            let stored = try await store.read { store in
                do {
                    return try store.circleEntries(of: account)
                } catch StoreError.notFound {
                    return []
                }
            }
            let isLost = stored.isEmpty
            if isLost {
                guard !message.name.isEmpty else { throw Problem(.accountUnknown) }
                try admitSignUp(request, context)
            }
            let members = try IncomingReturn(circle, of: account, after: stored).members
            let prover = try await proofs.prover(
                of: message.proof,
                purpose: .circleReturn,
                body: bytes,
                among: members
            )
            guard prover.member.kind == .device else { throw Problem(.refused) }
            guard isLost else {
                let version = try await store.write { try $0.returnCircle(circle, to: account) }
                return (account, prover.member.id, version)
            }
            let name = message.name
            let version = try await withInvitation(message.invitation) {
                try await store.write {
                    try $0.rebuildAccount(account, named: name, from: circle)
                }
            }
            return (account, prover.member.id, version)
        }
        hub.publish(Standing(circleVersion: version), by: member, to: account)
        var answer = WirePutCircleResponse()
        answer.version = version
        return try request.response(answer)
    }

    /// The version in If-Match, as a number or as an entity tag: `3` or `"3"`.
    private static func versionToExtend(_ request: Request) throws -> UInt64 {
        guard let header = request.headers[.ifMatch] else { throw Problem(.preconditionRequired) }
        let isQuoted = header.count >= 2 && header.hasPrefix("\"") && header.hasSuffix("\"")
        let text = isQuoted ? header.dropFirst().dropLast() : header[...]
        guard let version = UInt64(digits: text), version < .max else {
            throw Problem(.preconditionRequired)
        }
        return version
    }
}
