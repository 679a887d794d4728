import KSWire
import Testing

import KSSyncServer

/// What the server states of its protocol, and what it does with clients of other versions.
@Suite(.serialized)
struct VersionTests {
    private static let header = "Sync-Protocol"

    private static func options(_ versions: ClosedRange<UInt64>) -> SyncService.Options {
        var options = SyncService.Options()
        options.spoken = SpokenProtocol(versions, [.events])
        return options
    }

    @Test
    func `every answer states the server's protocols and features`() async throws {
        try await withServer(options: Self.options(1...4)) { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let token = try await server.deviceToken(account)
            for (path, status) in [
                ("/healthz", 200), ("/v1/changes", 200), ("/v1/changes?limit=0", 400),
                ("/v1/of-tomorrow", 404),
            ] {
                let answer = try await server.get(path, token: token)
                #expect(answer.status == status)
                #expect(answer.headers["sync-protocol"] == "1-4 events", "\(path)")
            }
            let stream = try await EventStream(server: server, token: token)
            #expect(stream.head.contains("sync-protocol: 1-4 events"))
            stream.hangUp()
        }
    }

    @Test(
        arguments: [
            ("1-1 events", .clientTooOld), ("4-5", .serverTooOld),
            // A program from before the header knows this code.
            (nil, .preconditionRequired), ("2", .malformed),
        ] as [(String?, ErrorCode)]
    )
    func `a client without a common protocol is refused before its request is read`(
        stated: String?,
        code: ErrorCode
    ) async throws {
        try await withServer(options: Self.options(2...3)) { server in
            let account = try TestAccount()
            var headers = stated.map { [Self.header: $0] } ?? [:]
            let refused = try await server.post("/v1/accounts", account.signup, headers: headers)
            #expect(refused.code == code)
            #expect((400..<500).contains(refused.status))
            #expect(try server.count(of: "account") == 0)
            // The health of the server is asked without the header.
            #expect(try await server.get("/healthz", token: nil).status == 200)
            headers[Self.header] = "1-2 of-tomorrow"
            let taken = try await server.post("/v1/accounts", account.signup, headers: headers)
            #expect(taken.status == 201)
        }
    }

    @Test
    func `a refusal says whether it may pass by itself, for clients that do not know its code`() {
        for code in ErrorCode.allCases {
            let problem = Problem(code)
            let hint = "\"code\":\"\(code.rawValue)\",\"retry\":\(code.isWorthRetrying)"
            #expect(problem.text.contains(hint), "\(problem.text)")
        }
        #expect(ErrorCode.accountSuspended.isWorthRetrying)
        #expect(!ErrorCode.refused.isWorthRetrying)
    }

    @Test
    func `fields that this server does not know are ignored`() async throws {
        try await withServer { server in
            let answer = try await server.request(
                "POST",
                "/v1/sessions/challenge",
                headers: ["Content-Type": "application/json"],
                body: Array(#"{"origin":"","ofTomorrow":[1,2]}"#.utf8)
            )
            #expect(answer.status == 200)
            let binary = try await server.request(
                "POST",
                "/v1/sessions/challenge",
                headers: ["Content-Type": "application/x-protobuf"],
                // Field 1,000, a number.
                body: [0xC0, 0x3E, 0x01]
            )
            #expect(binary.status == 200)
        }
    }
}
