internal import Foundation
internal import Hummingbird
internal import Logging
internal import KSRecords
internal import KSStore
internal import KSWire

extension SyncService {
    /// `POST /v1/vector`.
    ///
    /// A device that has compared its records with a store that went back raises the account vector
    /// to its own. The session does not authorize it.
    @Sendable
    func raiseVector(_ request: Request, _ context: SyncRequestContext) async throws -> Response {
        try proofLimiter.admit(address(of: request, context))
        let caller = try await gate.device(of: request)
        return try await membersUploads.withMessage(
            of: request,
            context,
            atMost: MessageBody.memberBytesMax
        ) { (message: WireRaiseVectorRequest) in
            guard message.hasProof else { throw Problem(.malformed) }
            let bytes = Array(message.update)
            let prover = try await proofs.prover(of: message.proof, purpose: .vector, body: bytes)
            guard prover.account == caller.account, prover.member.kind == .device else {
                throw Problem(.refused)
            }
            let update = try WireVectorUpdate(counting: bytes).value()
            try await store.write {
                try $0.raiseVector(
                    to: update.vector,
                    epoch: update.epoch,
                    by: prover.member.id,
                    of: prover.account
                )
            }
            return try request.response(WireRaiseVectorResponse())
        }
    }

    /// `POST /v1/history`.
    ///
    /// A device whose cursor is unknown here signs that the server gave it that cursor, which means
    /// that the store went back. The signature is required; a session is neither needed nor enough.
    @Sendable
    func compareHistory(_ request: Request, _ context: SyncRequestContext) async throws -> Response
    {
        let comparison = try await withProof(of: request, context) {
            (message: WireHistoryRequest) in
            guard let account = AccountID(Array(message.account)),
                let member = MemberID(Array(message.member)), message.hasCursor
            else { throw Problem(.malformed) }
            let statement = HistoryStatement(
                account: account,
                member: member,
                cursor: try message.cursor.value(),
                challenge: Challenge(
                    nonce: Array(message.nonce),
                    expirySeconds: message.expirySeconds
                )
            )
            _ = try await proofs.prover(of: statement, signature: Array(message.signature))
            return try await store.write {
                try $0.compareHistory(statement.cursor, of: member, in: account)
            }
        }
        if !comparison.isKnown {
            context.logger.warning("the store went back: an account begins a new epoch")
        }
        var answer = WireHistoryResponse()
        answer.known = comparison.isKnown
        answer.epoch = Data(comparison.epoch.bytes)
        return try request.response(answer)
    }
}
