import KSDigests
import Foundation
import KSRecords
import KSSealing
import SwiftProtobuf
import Testing
import KSWire

/// The parts of a proof that a test may want wrong.
struct ProofFaults: Sendable {
    var origin: String?
    var purpose: SessionStatement.Purpose?
    var bodyHash: Hash?
    var challenge: WireChallengeResponse?
    var account: [UInt8]?
    /// The member that the proof claims to be from.
    var member: MemberID?
}

extension TestServer {
    func post(
        _ path: String,
        _ message: some SwiftProtobuf.Message,
        method: String = "POST",
        token: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> HTTPAnswer {
        var headers = headers
        headers["Content-Type"] = headers["Content-Type"] ?? "application/x-protobuf"
        if let token { headers["Authorization"] = "Bearer \(token)" }
        return try await request(method, path, headers: headers, body: message.serializedBytes())
    }

    func get(_ path: String, token: String?) async throws -> HTTPAnswer {
        try await request(
            "GET",
            path,
            headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        )
    }

    @discardableResult
    func signUp(_ account: TestAccount) async throws -> StoreEpoch {
        let answer = try await post("/v1/accounts", account.signup)
        #expect(answer.status == 201)
        return try #require(StoreEpoch(Array(try answer.message(WireSignupResponse.self).epoch)))
    }

    func challenge() async throws -> WireChallengeResponse {
        let answer = try await post("/v1/sessions/challenge", WireChallengeRequest())
        #expect(answer.status == 200)
        return try answer.message(WireChallengeResponse.self)
    }

    func proof(
        _ purpose: SessionStatement.Purpose,
        by signer: CircleSigner,
        account: [UInt8],
        body: [UInt8] = [],
        faults: ProofFaults = ProofFaults()
    ) async throws -> WireProof {
        let challenge =
            if let given = faults.challenge { given } else { try await self.challenge() }
        var proof = WireProof()
        proof.account = Data(faults.account ?? account)
        proof.member = Data((faults.member ?? signer.memberID).bytes)
        proof.nonce = challenge.nonce
        proof.expirySeconds = challenge.expirySeconds
        let statement = SessionStatement(
            purpose: faults.purpose ?? purpose,
            origin: faults.origin ?? origin,
            account: faults.account ?? account,
            member: faults.member ?? signer.memberID,
            challenge: Challenge(
                nonce: Array(challenge.nonce),
                expirySeconds: challenge.expirySeconds
            ),
            bodyHash: faults.bodyHash ?? Hash(validated: SHA256.hash(body))
        )
        proof.signature = Data(statement.signature(by: signer))
        return proof
    }

    func openSession(
        by signer: CircleSigner,
        account: [UInt8],
        faults: ProofFaults = ProofFaults()
    ) async throws -> HTTPAnswer {
        var message = WireSessionRequest()
        message.proof = try await proof(.session, by: signer, account: account, faults: faults)
        return try await post("/v1/sessions", message)
    }

    func token(by signer: CircleSigner, account: [UInt8]) async throws -> String {
        let answer = try await openSession(by: signer, account: account)
        #expect(answer.status == 200)
        return try answer.message(WireSessionResponse.self).token
    }

    func deviceToken(_ account: TestAccount) async throws -> String {
        try await token(by: .device(account.device), account: account.id.bytes)
    }

    /// Ends an account, as these two ask; nil omits the second proof.
    func deleteAccount(
        _ account: TestAccount,
        by device: CircleSigner,
        and second: CircleSigner?,
        faults: ProofFaults = ProofFaults(),
        secondFaults: ProofFaults = ProofFaults()
    ) async throws -> HTTPAnswer {
        var message = WireDeleteAccountRequest()
        message.device = try await proof(
            .deleteAccount,
            by: device,
            account: account.id.bytes,
            faults: faults
        )
        if let second {
            message.second = try await proof(
                .deleteAccount,
                by: second,
                account: account.id.bytes,
                faults: secondFaults
            )
        }
        return try await post("/v1/account", message, method: "DELETE")
    }

    func putCircle(
        _ change: CircleChange,
        by signer: CircleSigner,
        account: [UInt8],
        ifMatch: String? = "\"1\"",
        envelopes: [KeyEnvelope]? = nil,
        faults: ProofFaults = ProofFaults(),
        token: String? = nil
    ) async throws -> HTTPAnswer {
        // The signer's own session, unless another is given.
        let session =
            if let token { token } else { try await self.token(by: signer, account: account) }
        var update = WireCircleUpdate()
        update.entry = WireSignedEntry(change.entry)
        update.envelopes = (envelopes ?? change.envelopes).map(WireKeyEnvelope.init)
        update.credentialsBox = Data(change.credentialsBox ?? [])
        let bytes: [UInt8] = try update.serializedBytes()
        var message = WirePutCircleRequest()
        message.update = Data(bytes)
        message.proof = try await proof(
            .circle,
            by: signer,
            account: account,
            body: bytes,
            faults: faults
        )
        return try await post(
            "/v1/circle",
            message,
            method: "PUT",
            token: session,
            headers: ifMatch.map { ["If-Match": $0] } ?? [:]
        )
    }

    func push(_ batch: Batch, token: String, applied: Cursor? = nil) async throws -> HTTPAnswer {
        try await post("/v1/batches", WirePushRequest(batch, applied: applied), token: token)
    }
}
