import Foundation
import KSRecords
import KSSealing
import SwiftProtobuf
import KSTestSupport
import Testing
import KSWire

import KSSyncServer

@Suite(.serialized)
struct GarbageTests {
    private struct Call {
        let method: String
        let path: String
        let body: [UInt8]
    }

    private static func calls(
        _ server: TestServer,
        _ account: TestAccount,
        epoch: StoreEpoch
    ) async throws -> [Call] {
        var session = WireSessionRequest()
        session.proof = try await server.proof(
            .session,
            by: .device(account.device),
            account: account.id.bytes
        )
        var circle = WirePutCircleRequest()
        circle.proof = session.proof
        circle.update = try WireCircleUpdate.with { $0.entry = account.signup.entry }
            .serializedBytes()
        let cursor = Cursor(epoch: epoch, seq: 0, tag: .start)
        let push = WirePushRequest(try account.batch(count: 2, epoch: epoch), applied: cursor)
        return [
            Call(method: "POST", path: "/v1/accounts", body: try account.signup.serializedBytes()),
            Call(method: "POST", path: "/v1/sessions/challenge", body: []),
            Call(method: "POST", path: "/v1/sessions", body: try session.serializedBytes()),
            Call(method: "PUT", path: "/v1/circle", body: try circle.serializedBytes()),
            Call(method: "POST", path: "/v1/batches", body: try push.serializedBytes()),
            Call(method: "DELETE", path: "/v1/account", body: try session.proof.serializedBytes()),
        ]
    }

    /// Attack 35: the server refuses with one of its codes, and continues.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `no body makes the server fail`(seed: UInt64) async throws {
        var options = SyncService.Options()
        options.proofBurst = 10_000
        options.signupBurst = 10_000
        try await withServer(options: options) { server in
            var random = SeededGenerator(seed: seed)
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            for call in try await Self.calls(server, account, epoch: epoch) {
                for _ in 0..<6 {
                    let body = Self.mutated(call.body, using: &random)
                    let types = ["application/x-protobuf", "application/json", "text/plain"]
                    let answer = try await server.request(
                        call.method,
                        call.path,
                        headers: [
                            "Authorization": "Bearer \(token)", "If-Match": "\"1\"",
                            "Content-Type": types[Int.random(in: 0..<3, using: &random)],
                        ],
                        body: body
                    )
                    #expect(answer.status < 500, "seed \(seed) \(call.path)")
                    #expect(answer.status < 400 || answer.code != nil, "seed \(seed) \(call.path)")
                }
            }
            #expect(try await server.get("/healthz", token: nil).status == 200)
        }
    }

    private static func mutated(
        _ body: [UInt8],
        using random: inout SeededGenerator
    ) -> [UInt8] {
        var body = body
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return (0..<Int.random(in: 0..<300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
        case 1:
            return Array(body.prefix(Int.random(in: 0...body.count, using: &random)))
        case 2:
            return body + body
        case 3:
            return Array(#"{"account":[[[[{"a":1}]]]],"entry":null,"name":7}"#.utf8)
        default:
            for _ in 0..<Int.random(in: 1...8, using: &random) where !body.isEmpty {
                let index = Int.random(in: 0..<body.count, using: &random)
                body[index] = UInt8.random(in: 0...255, using: &random)
            }
            return body
        }
    }

    @Test(arguments: [
        "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST /v1/accounts HTTP/1.1\r\n\r\n",
        "GET /%ff%fe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /v1/changes?after=%zz&after=& HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
    ])
    func `no request line or header makes the server fail`(text: String) async throws {
        try await withServer { server in
            let connection = try #require(LoopbackConnection(port: server.port))
            let answer = try await onThread {
                connection.send(Array(text.utf8))
                // Half a body gets no answer before its end.
                if text.hasSuffix("abc") { connection.hangUp() }
                let answer = try connection.receive() ?? []
                connection.hangUp()
                return answer
            }
            if let answer = HTTPAnswer(answer) { #expect(answer.status < 500) }
            #expect(try await server.get("/healthz", token: nil).status == 200)
        }
    }

    @Test
    func `a type that is neither protobuf nor JSON is refused`() async throws {
        try await withServer { server in
            let answer = try await server.request(
                "POST",
                "/v1/sessions",
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array("a=b".utf8)
            )
            #expect(answer.status == 415 && answer.code == .malformed)
        }
    }

    @Test
    func `the same messages work as JSON`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let json = [
                "Content-Type": "application/json", "Accept": "text/html, application/json;q=0.9",
            ]
            let signup = try await server.request(
                "POST",
                "/v1/accounts",
                headers: json,
                body: try account.signup.jsonUTF8Bytes()
            )
            #expect(signup.status == 201)
            #expect(signup.headers["content-type"] == "application/json")
            let epoch = try WireSignupResponse(jsonUTF8Bytes: signup.body).epoch
            #expect(epoch.count == 16)
            // curl without a body.
            let challenge = try await server.request(
                "POST",
                "/v1/sessions/challenge",
                headers: ["Accept": "application/json"]
            )
            #expect(try WireChallengeResponse(jsonUTF8Bytes: challenge.body).nonce.count == 48)
        }
    }
}
