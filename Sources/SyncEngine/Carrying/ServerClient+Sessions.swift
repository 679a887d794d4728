internal import KSDigests
internal import Foundation
package import KSRecords
internal import KSRedaction
package import KSSealing
internal import KSTransport
internal import KSWire

/// A member's right to ask, for an hour.
package struct Session: Sendable {
    package let token: String
    /// Seconds since 1970-01-01 00:00 UTC, by the server's clock.
    package let expirySeconds: UInt64
    package let account: AccountID
}

extension ServerClient {
    /// Opens a session as a member.
    ///
    /// The account is named by its id's bytes, or for credentials by its name in UTF-8.
    package func openSession(
        account: [UInt8],
        signer: CircleSigner
    ) async throws(ServerError) -> Session {
        var request = WireSessionRequest()
        request.proof = try await proof(for: .session, account: account, signer: signer, body: [])
        let answer = try await call(
            .post,
            "/v1/sessions",
            body: request,
            as: WireSessionResponse.self
        )
        guard let id = AccountID(Array(answer.message.account)), !answer.message.token.isEmpty
        else { throw .unreadable(status: 200) }
        return Session(
            token: answer.message.token,
            expirySeconds: answer.message.expirySeconds,
            account: id
        )
    }

    /// A fresh signature for one request.
    func proof(
        for purpose: SessionStatement.Purpose,
        account: [UInt8],
        signer: CircleSigner,
        body: [UInt8]
    ) async throws(ServerError) -> WireProof {
        var asked = WireChallengeRequest()
        asked.origin = origin
        let challenge = try await call(
            .post,
            "/v1/sessions/challenge",
            body: asked,
            as: WireChallengeResponse.self
        ).message
        let statement = SessionStatement(
            purpose: purpose,
            origin: origin,
            account: account,
            member: signer.memberID,
            nonce: Array(challenge.nonce),
            expirySeconds: challenge.expirySeconds,
            bodyHash: Hash(validated: SHA256.hash(body))
        )
        var proof = WireProof()
        proof.account = Data(account)
        proof.member = Data(signer.memberID.bytes)
        proof.nonce = challenge.nonce
        proof.expirySeconds = challenge.expirySeconds
        proof.signature = Data(statement.signature(by: signer))
        return proof
    }

    /// Makes the account; the same request again gets the same answer.
    func signUp(
        account: AccountID,
        name: String,
        change: CircleChange,
        invitation: String
    ) async throws(ServerError) -> StoreEpoch {
        var request = WireSignupRequest()
        request.account = Data(account.bytes)
        request.name = name
        request.entry = WireSignedEntry(change.entry)
        request.envelopes = change.envelopes.map(WireKeyEnvelope.init)
        request.credentialsBox = Data(change.credentialsBox ?? [])
        request.invitation = invitation
        request.origin = origin
        let answer = try await call(
            .post,
            "/v1/accounts",
            body: request,
            as: WireSignupResponse.self
        )
        guard let epoch = StoreEpoch(Array(answer.message.epoch)) else {
            throw .unreadable(status: 200)
        }
        return epoch
    }

    /// Extends the circle by one entry.
    ///
    /// Only the server's word that the circle has the next version now counts as success.
    func extendCircle(
        _ change: CircleChange,
        extending version: UInt64,
        account: AccountID,
        signer: CircleSigner,
        token: String
    ) async throws(ServerError) {
        let bytes = Self.encode(WireCircleUpdate(change))
        var request = WirePutCircleRequest()
        request.update = Data(bytes)
        request.proof = try await proof(
            for: .circle,
            account: account.bytes,
            signer: signer,
            body: bytes
        )
        let answer = try await call(
            .put,
            "/v1/circle",
            token: token,
            ifMatch: version,
            body: request,
            as: WirePutCircleResponse.self
        )
        guard answer.message.version == version + 1 else { throw .unreadable(status: 200) }
    }
}

extension WireCircleUpdate {
    init(_ change: CircleChange) {
        self.init()
        entry = WireSignedEntry(change.entry)
        envelopes = change.envelopes.map(WireKeyEnvelope.init)
        credentialsBox = Data(change.credentialsBox ?? [])
    }
}

extension Session: Redacted {}
