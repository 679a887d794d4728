import KSDigests
import Foundation
import KSRecords
import KSSealing
import SwiftProtobuf
import KSTransport
import KSWire

struct UnexpectedStatus: Error, Equatable {
    let status: Int
}

/// The client's own transport: HTTP/2, TLS, the pin.
struct LiveClient: Sendable {
    let transport: CurlTransport
    let origin: String

    /// The origin that proofs are made for, if it is not the address.
    init(_ server: ServerProcess, origin: String? = nil) throws {
        self.origin = origin ?? server.url
        transport = try CurlTransport(
            server: ServerEndpoint(origin: server.url, pins: [server.pin])
        )
    }

    static func bearer(_ token: String) -> [String: String] {
        ["Authorization": "Bearer \(token)"]
    }

    @discardableResult
    func signUp(_ account: TestAccount, invitation: String = "") async throws -> StoreEpoch? {
        var message = account.signup
        message.invitation = invitation
        let answer = try await post("/v1/accounts", message)
        return StoreEpoch(Array(try WireSignupResponse(serializedBytes: answer).epoch))
    }

    func token(_ account: TestAccount) async throws -> String {
        let challenge = try WireChallengeResponse(
            serializedBytes: try await post("/v1/sessions/challenge", WireChallengeRequest())
        )
        let statement = SessionStatement(
            purpose: .session,
            origin: origin,
            account: account.id.bytes,
            member: account.device.memberID,
            challenge: Challenge(
                nonce: Array(challenge.nonce),
                expirySeconds: challenge.expirySeconds
            ),
            bodyHash: Hash(validated: SHA256.hash([]))
        )
        var message = WireSessionRequest()
        message.proof.account = Data(account.id.bytes)
        message.proof.member = Data(account.device.memberID.bytes)
        message.proof.nonce = challenge.nonce
        message.proof.expirySeconds = challenge.expirySeconds
        message.proof.signature = Data(statement.signature(by: .device(account.device)))
        return try WireSessionResponse(
            serializedBytes: try await post("/v1/sessions", message)
        ).token
    }

    func push(_ batch: Batch, token: String) async throws {
        var headers = Self.bearer(token)
        headers["Content-Type"] = "application/x-protobuf"
        let message = WirePushRequest(batch, applied: nil)
        _ = try await send(
            TransportRequest(
                .post,
                "/v1/batches",
                headers: headers,
                body: message.serializedBytes()
            )
        )
    }

    func changes(_ query: String, token: String) async throws -> WireChangesResponse {
        try WireChangesResponse(
            serializedBytes: try await send(
                TransportRequest(
                    .get,
                    "/v1/changes" + query,
                    headers: Self.bearer(token),
                    timeoutSeconds: 75
                )
            )
        )
    }

    private func post(_ path: String, _ message: some SwiftProtobuf.Message) async throws -> [UInt8]
    {
        let type = ["Content-Type": "application/x-protobuf"]
        return try await send(
            TransportRequest(.post, path, headers: type, body: message.serializedBytes())
        )
    }

    private func send(_ request: TransportRequest) async throws -> [UInt8] {
        let answer = try await transport.send(request)
        guard (200..<300).contains(answer.status) else {
            throw UnexpectedStatus(status: answer.status)
        }
        return answer.body
    }
}
