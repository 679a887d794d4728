import KSMerging
import KSRecords
import KSSealing
import KSStore
import Testing
import KSWire

import KSSyncServer

/// The answers to clients when the store fails, and to too many or malformed requests.
@Suite(.serialized)
struct FaultTests {
    @Test
    func `healthz reports whether the store answers`() async throws {
        try await withFaultyStore { server, store in
            let good = try await server.get("/healthz", token: nil)
            #expect(good.status == 200 && good.text == "{\"status\":\"ok\"}\n")
            store.fail(with: .storageFailed(code: 10))
            #expect(try await server.get("/healthz", token: nil).status == 503)
            store.fail(with: nil)
            #expect(try await server.get("/healthz", token: nil).status == 200)
        }
    }

    @Test
    func `healthz reads no account`() async throws {
        try await withFaultyStore { server, store in
            let calls = CallLog()
            store.onCall { calls.add($0) }
            let answer = try await server.get("/healthz", token: nil)
            // The server's own work at its start may come between.
            let ofMaintenance = [
                "passTime(seconds:)", "accounts(after:countMax:)", "giveSpaceBack()",
            ]
            let names = Set(calls.names).subtracting(ofMaintenance)
            #expect(answer.status == 200 && names == ["probe()"], "\(calls.names)")
        }
    }

    @Test
    func `a full disk has its own code and a Retry-After, and loses nothing`() async throws {
        try await withFaultyStore { server, store in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let batch = try account.batch(epoch: epoch)
            store.fail(with: .storageFailed(code: 13))
            let refused = try await server.push(batch, token: token)
            #expect(refused.status == 503 && refused.code == .storageFailed)
            #expect(refused.headers["retry-after"] == "30")
            store.fail(with: nil)
            #expect(try await server.push(batch, token: token).status == 200)
        }
    }

    @Test
    func `a page has no more records than were asked for`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            #expect(
                try await server.push(try account.batch(count: 3, epoch: epoch), token: token)
                    .status == 200
            )
            let answer = try await server.get("/v1/changes?limit=2", token: token)
            let page = try answer.message(WireChangesResponse.self)
            #expect(page.records.count == 2 && page.more)
        }
    }

    @Test
    func `a request without a session gets a WWW-Authenticate header`() async throws {
        try await withServer { server in
            for token in [nil, "x"] {
                let answer = try await server.get("/v1/changes", token: token)
                #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
                #expect(answer.headers["cache-control"] == "no-store")
            }
        }
    }

    @Test
    func `a body of another type is refused, not guessed at`() async throws {
        try await withServer { server in
            let signup = try TestAccount().signup
            for type in ["text/plain", "application/octet-stream", "multipart/form-data"] {
                let answer = try await server.post(
                    "/v1/accounts",
                    signup,
                    headers: ["Content-Type": type]
                )
                #expect(answer.status == 415 && answer.code == .malformed)
            }
            #expect(try server.count(of: "account") == 0)
        }
    }

    @Test
    func `a body without a declared length is cut off at the limit`() async throws {
        try await withServer { server in
            let chunk = String(repeating: "x", count: 16 << 10)
            let chunked = String(repeating: "4000\r\n\(chunk)\r\n", count: 40) + "0\r\n\r\n"
            let head = """
                POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
                Content-Type: application/x-protobuf\r\nTransfer-Encoding: chunked\r\n\r\n
                """
            let connection = try #require(LoopbackConnection(port: server.port))
            let answer = try await onThread {
                connection.send(Array((head + chunked).utf8))
                return try connection.receiveAll()
            }
            #expect(HTTPAnswer(answer)?.code == .tooLarge)
        }
    }

    // MARK: Too often

    @Test
    func `guesses of proofs are rate limited`() async throws {
        try await withServer(options: .init(proofBurst: 1, proofsPerSecond: 0.1)) { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let calls: [@Sendable () async throws -> HTTPAnswer] = [
                { try await server.post("/v1/sessions/challenge", WireChallengeRequest()) },
                { try await server.post("/v1/sessions", WireSessionRequest()) },
                {
                    try await server.post(
                        "/v1/account",
                        WireDeleteAccountRequest(),
                        method: "DELETE"
                    )
                },
                {
                    try await server.post(
                        "/v1/circle",
                        WirePutCircleRequest(),
                        method: "PUT",
                        headers: ["If-Match": "1"]
                    )
                },
            ]
            for call in calls {
                #expect(try await call().code != .tooManyRequests)
                let answer = try await call()
                #expect(answer.status == 429 && answer.code == .tooManyRequests)
                #expect(answer.headers["retry-after"] == "10")
                server.clock.advance(seconds: 10)
            }
        }
    }

    // MARK: Ends

    @Test
    func `an account's streams end with it`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let token = try await server.deviceToken(account)
            let stream = try await EventStream(server: server, token: token)
            #expect(try await stream.next() != nil)
            let answer = try await server.deleteAccount(
                account,
                by: .device(account.device),
                and: .credentials(account.credentials)
            )
            #expect(answer.status == 204)
            #expect(try await stream.next() == nil)
            #expect(server.service.hub.listenerCount == 0)
        }
    }

    // MARK: The circle's rules

    @Test
    func `an entry that no client would accept is not stored`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let good = try account.adding(DeviceIdentity.random(from: account.random))
            var signatures = good.entry.signatures
            let first = try #require(signatures.first)
            signatures[0] = MemberSignature(
                member: first.member,
                signature: first.signature.map { $0 ^ 1 }
            )
            let possession = good.entry.possession.map { $0 ^ 1 }
            let faulty = [
                SignedEntry(
                    signedBytes: good.entry.signedBytes,
                    signatures: signatures,
                    possession: good.entry.possession
                ),
                SignedEntry(
                    signedBytes: good.entry.signedBytes,
                    signatures: good.entry.signatures,
                    possession: possession
                ),
                SignedEntry(
                    signedBytes: good.entry.signedBytes,
                    signatures: [],
                    possession: good.entry.possession
                ),
            ]
            for entry in faulty {
                let change = CircleChange(
                    entry: entry,
                    envelopes: good.envelopes,
                    credentialsBox: good.credentialsBox
                )
                let answer = try await server.putCircle(
                    change,
                    by: .credentials(account.credentials),
                    account: account.id.bytes
                )
                #expect(answer.status == 403 && answer.code == .refused)
            }
            #expect(try server.store.newestEntry(of: account.id) == account.genesis.entry)
        }
    }
}
