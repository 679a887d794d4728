internal import KSDigests
internal import Foundation
internal import KSCausality
package import KSRecords
internal import KSRedaction
package import KSSealing
internal import KSTransport
package import KSWire

/// A member's right to make calls, for a lifetime that the server sets.
package struct ServerSession: Sendable {
    package let token: String
    /// The lifetime, counted from the request: not a date, since the two clocks may differ.
    package let lifetimeSeconds: UInt64
    package let account: AccountID
    /// The optional parts of the protocol that the server has.
    let features: Set<SpokenProtocol.Feature>

    package init(
        token: String,
        lifetimeSeconds: UInt64,
        account: AccountID,
        features: Set<SpokenProtocol.Feature> = []
    ) {
        self.token = token
        self.lifetimeSeconds = lifetimeSeconds
        self.account = account
        self.features = features
    }
}

extension ServerClient {
    /// Opens a session as a member.
    ///
    /// `account`: the bytes of its id, or for credentials its name in UTF-8.
    package func openSession(
        account: [UInt8],
        signer: CircleSigner
    ) async throws(ServerError) -> ServerSession {
        var request = WireSessionRequest()
        request.proof = try await proof(for: .session, account: account, signer: signer, body: [])
        let answer: Answer<WireSessionResponse> =
            try await call(.post, "/v1/sessions", body: request)
        guard let id = AccountID(Array(answer.message.account)), !answer.message.token.isEmpty
        else { throw .unreadable(status: 200) }
        return ServerSession(
            token: answer.message.token,
            lifetimeSeconds: answer.message.lifetimeSeconds,
            account: id,
            features: answer.features
        )
    }

    /// A fresh signature for one request.
    ///
    /// `feature`: what the server must have to understand the request; nil for what every server
    /// has.
    func proof(
        for purpose: SessionStatement.Purpose,
        account: [UInt8],
        signer: CircleSigner,
        body: [UInt8],
        requiring feature: SpokenProtocol.Feature? = nil
    ) async throws(ServerError) -> WireProof {
        let challenge = try await challenge(requiring: feature)
        let statement = SessionStatement(
            purpose: purpose,
            origin: origin,
            account: account,
            member: signer.memberID,
            challenge: challenge,
            bodyHash: Hash(validated: SHA256.hash(body))
        )
        var proof = WireProof()
        proof.account = Data(account)
        proof.member = Data(signer.memberID.bytes)
        proof.nonce = Data(challenge.nonce)
        proof.expirySeconds = challenge.expirySeconds
        proof.signature = Data(statement.signature(by: signer))
        return proof
    }

    /// States under the device's signature that the server gave it this cursor.
    ///
    /// - Returns: whether the server knows the cursor; if not, it has begun a new epoch.
    func showHistory(
        _ cursor: Cursor,
        account: AccountID,
        signer: CircleSigner
    ) async throws(ServerError) -> Bool {
        let challenge = try await challenge()
        let statement = HistoryStatement(
            account: account,
            member: signer.memberID,
            cursor: cursor,
            challenge: challenge
        )
        var request = WireHistoryRequest()
        request.account = Data(account.bytes)
        request.member = Data(signer.memberID.bytes)
        request.cursor = WireCursor(cursor)
        request.nonce = Data(challenge.nonce)
        request.expirySeconds = challenge.expirySeconds
        request.signature = Data(signer.sign(statement.encoded))
        let answer: Answer<WireHistoryResponse> =
            try await call(.post, "/v1/history", body: request)
        guard StoreEpoch(Array(answer.message.epoch)) != nil else {
            throw .unreadable(status: 200)
        }
        return answer.message.known
    }

    /// A nonce to sign, and its expiry by the server's clock.
    ///
    /// `feature`: as for a proof.
    func challenge(
        requiring feature: SpokenProtocol.Feature? = nil
    ) async throws(ServerError) -> Challenge {
        var asked = WireChallengeRequest()
        asked.origin = origin
        let answer: Answer<WireChallengeResponse> =
            try await call(.post, "/v1/sessions/challenge", body: asked)
        let message = answer.message
        // Some other server answers everything with an empty page.
        guard !message.nonce.isEmpty else { throw .unreadable(status: 200) }
        if let feature, !answer.features.contains(feature) { throw .lacks(feature) }
        return Challenge(nonce: Array(message.nonce), expirySeconds: message.expirySeconds)
    }

    /// Asks whether a sign-up of this name and invitation would be accepted now.
    func checkSignUp(name: String, invitation: String) async throws(ServerError) {
        var request = WireSignupRequest()
        request.name = name
        request.invitation = invitation
        request.origin = origin
        let _: Answer<WireSignupResponse> =
            try await call(.post, "/v1/accounts/check", body: request)
    }

    /// Makes the account; a retry gets the same answer.
    func signUp(
        account: AccountID,
        name: String,
        change: CircleChange,
        invitation: String,
        unsentProof: UnsentProof
    ) async throws(ServerError) -> StoreEpoch {
        var request = WireSignupRequest()
        request.account = Data(account.bytes)
        request.name = name
        request.genesis = WireCircleUpdate(change)
        request.invitation = invitation
        request.origin = origin
        let answer: Answer<WireSignupResponse> =
            try await call(.post, "/v1/accounts", body: request, unsentProof: unsentProof)
        guard let epoch = StoreEpoch(Array(answer.message.epoch)) else {
            throw .unreadable(status: 200)
        }
        return epoch
    }

    /// Deletes the account with all that the server has of it.
    ///
    /// - Parameters:
    ///   - account: its id.
    ///   - device: a device of it.
    ///   - second: another member, such as the credentials.
    /// - Throws: ``ServerError``, `refused` if one of them is no member.
    func deleteAccount(
        _ account: AccountID,
        device: CircleSigner,
        second: CircleSigner
    ) async throws(ServerError) {
        var request = WireDeleteAccountRequest()
        request.device = try await proof(
            for: .deleteAccount,
            account: account.bytes,
            signer: device,
            body: [],
            requiring: .deleteAccount
        )
        request.second = try await proof(
            for: .deleteAccount,
            account: account.bytes,
            signer: second,
            body: []
        )
        let _: Answer<WireSignupResponse> = try await call(.delete, "/v1/account", body: request)
    }

    /// Raises the account vector of a store of this epoch.
    func raiseVector(
        to vector: VersionVector,
        epoch: StoreEpoch,
        account: AccountID,
        signer: CircleSigner,
        token: String
    ) async throws(ServerError) -> Answer<SyncAnswer> {
        let bytes = Self.encode(WireVectorUpdate(vector, epoch: epoch))
        var request = WireRaiseVectorRequest()
        request.update = Data(bytes)
        request.proof = try await proof(
            for: .vector,
            account: account.bytes,
            signer: signer,
            body: bytes
        )
        let answer: Answer<WireRaiseVectorResponse> =
            try await call(.post, "/v1/vector", token: token, body: request)
        return try answer.read { _ throws(WireError) in .raised }
    }

    /// Puts entries of the circle back; the server may not know this device any more.
    ///
    /// `name`: the account's, if the account is to be made again on a server that has lost it; then
    /// `circle` has all entries. `invitation`: for a server that makes accounts by invitation;
    /// empty without one.
    func returnCircle(
        _ circle: CircleReturn,
        account: AccountID,
        signer: CircleSigner,
        rebuilding name: String = "",
        invitation: String = ""
    ) async throws(ServerError) -> Answer<SyncAnswer> {
        let bytes = Self.encode(WireCircleReturn(circle))
        var request = WireReturnCircleRequest()
        request.update = Data(bytes)
        (request.name, request.invitation) = (name, invitation)
        request.proof = try await proof(
            for: .circleReturn,
            account: account.bytes,
            signer: signer,
            body: bytes,
            requiring: name.isEmpty ? nil : .rebuild
        )
        let answer: Answer<WirePutCircleResponse> =
            try await call(.post, "/v1/circle/return", body: request)
        return try answer.read { message throws(WireError) in
            guard message.version > 0 else { throw .malformed }
            return .circleReturned
        }
    }

    /// Extends the circle by one entry.
    ///
    /// - Returns: false if another entry came first; true only if the server answers that the
    ///   circle has the next version now.
    package func extendCircle(
        _ change: CircleChange,
        extending version: UInt64,
        account: AccountID,
        signer: CircleSigner,
        token: String
    ) async throws(ServerError) -> Bool {
        let bytes = Self.encode(WireCircleUpdate(change))
        var request = WirePutCircleRequest()
        request.update = Data(bytes)
        request.proof = try await proof(
            for: .circle,
            account: account.bytes,
            signer: signer,
            body: bytes
        )
        do throws(ServerError) {
            let answer: Answer<WirePutCircleResponse> =
                try await call(.put, "/v1/circle", token: token, ifMatch: version, body: request)
            guard answer.message.version == version + 1 else { throw .unreadable(status: 200) }
            return true
        } catch .refused(.circleChanged, _, _) {
            return false
        }
    }
}

extension ServerSession: Redacted {}
