import KSRecords
import KSSealing
import Testing
import KSWire

import KSSyncServer

/// What a stolen device of an account can ask for.
struct MemberLimitTests {
    @Test
    func `an account's devices share a number of requests in a minute`() async throws {
        var options = SyncService.Options()
        options.accountRequestsPerMinute = 6
        try await withServer(options: options) { server in
            let (busy, quiet) = (try TestAccount(), try TestAccount(seed: 2))
            for account in [busy, quiet] { try await server.signUp(account) }
            let token = try await server.deviceToken(busy)
            for _ in 0..<6 {
                #expect(try await server.get("/v1/changes", token: token).status == 200)
            }
            let refused = try await server.get("/v1/changes", token: token)
            #expect(refused.code == .tooManyRequests && refused.status == 429)
            let other = try await server.deviceToken(quiet)
            #expect(try await server.get("/v1/changes", token: other).status == 200)
            server.clock.advance(seconds: 10)
            #expect(try await server.get("/v1/changes", token: token).status == 200)
        }
    }

    @Test
    func `an account's devices share a number of bytes in a minute`() async throws {
        var options = SyncService.Options()
        options.accountBytesPerMinute = 1_000
        try await withServer(options: options) { server in
            let account = try TestAccount()
            let epoch = try await server.signUp(account)
            let token = try await server.deviceToken(account)
            // A batch that is larger than all of it still goes.
            let batch = try account.batch(count: 3, epoch: epoch)
            #expect(try await server.push(batch, token: token).status == 200)
            #expect(try await server.push(batch, token: token).code == .tooManyRequests)
            #expect(try await server.get("/v1/changes", token: token).status == 200)
            server.clock.advance(seconds: 60)
            #expect(try await server.push(batch, token: token).status == 200)
        }
    }

    @Test
    func `what a device may do to the circle in a day never shuts the password out`() async throws {
        var options = SyncService.Options()
        options.circleChangesPerDay = 1
        try await withServer(options: options) { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let phone = DeviceIdentity.random(from: account.random)
            let change = try account.adding(phone)
            // Its signature is wrong, which counts too.
            for code in [ErrorCode.refused, .tooManyRequests] {
                let byDevice = try await server.putCircle(
                    change,
                    by: .device(account.device),
                    account: account.id.bytes
                )
                #expect(byDevice.code == code, "\(byDevice)")
            }
            let byPassword = try await server.putCircle(
                change,
                by: .credentials(account.credentials),
                account: account.id.bytes
            )
            #expect(byPassword.status == 200, "\(byPassword)")
        }
    }
}
