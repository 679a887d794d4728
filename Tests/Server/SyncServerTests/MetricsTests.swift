import Foundation
import KSMerging
import KSRecords
import KSTestPrograms
import Testing

import KSSyncServer

/// What operators see of a running server.
@Suite(.timeLimit(.minutes(15)))
struct MetricsTests {
    /// Runs a built server whose operators' listener has a free port.
    private func withServer(
        _ arguments: [String] = [],
        _ body: (ServerProcess, _ data: String, _ admin: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            let server = try await ServerProcess.start(
                data: data,
                arguments: ["--admin", "0"] + arguments
            )
            let line = /operators get (http:\/\/127\.0\.0\.1:[0-9]+)\/metrics/
            var found: String?
            for _ in 0..<500 where found == nil {
                found = server.log.firstMatch(of: line).map { String($0.1) }
                if found == nil { try await Task.sleep(for: .milliseconds(20)) }
            }
            try await body(server, data, try #require(found, "\(server.log)"))
            #expect(await server.stop().status == 0)
        }
    }

    private func get(_ url: String) async throws -> (status: String, body: String) {
        let answer = try await ServerProgram.run(
            ["-s", "-w", "\n%{http_code}", url],
            program: "/usr/bin/curl"
        )
        let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    private func value(_ name: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    @Test(.enabled(if: ProgramTests.hasCurl))
    func `metrics count what happens, and name no account`() async throws {
        try await withServer(["--quota", "64"]) { server, data, admin in
            let account = try TestAccount()
            let client = try LiveClient(server)
            let epoch = try #require(try await client.signUp(account))
            let token = try await client.token(account)
            try await client.push(account.batch(count: 2, epoch: epoch), token: token)
            _ = try await client.changes("", token: token)
            let pushes =
                #"sync_server_requests_total{method="POST",route="/v1/batches",status="200"}"#
            let (status, text) = try await get(admin + "/metrics")
            #expect(status == "200" && text.hasSuffix("# EOF\n"))
            #expect(value(pushes, in: text) == 1)
            #expect(value("sync_server_commit_batches_count", in: text) == 1)
            let push = #"sync_server_store_duration_seconds_count{call="push"}"#
            #expect(value(push, in: text) == 1)
            #expect(value("sync_server_accounts", in: text) == 1)
            #expect(value("sync_server_records", in: text) == 2)
            #expect(value("sync_server_full_accounts", in: text) == 0)
            #expect(value("sync_server_quota_bytes", in: text) == Double(64 << 20))
            #expect((value("sync_server_stored_bytes", in: text) ?? 0) > 1_000)
            #expect((value("sync_server_free_bytes", in: text) ?? 0) > 1_000)
            #expect((value("process_resident_memory_bytes", in: text) ?? 0) > 1_000_000)
            #expect((value("process_open_fds", in: text) ?? 0) > 5)
            let days =
                ((value("sync_server_certificate_end_timestamp_seconds", in: text) ?? 0)
                    - Date().timeIntervalSince1970) / 86_400
            #expect(days > 820 && days < 826)
            #expect(value("sync_server_backup_timestamp_seconds", in: text) == nil)
            #expect(!text.contains(account.name))
        }
    }

    @Test(.enabled(if: ProgramTests.hasCurl))
    func `a refusal is counted by its code, and a path of a stranger is no label`() async throws {
        try await withServer { server, _, admin in
            for path in ["/v1/circle", "/secret-path", "/healthz?name=ada"] {
                _ = try await ServerProgram.run(
                    ["-sk", "-X", "GET", server.url + path],
                    program: "/usr/bin/curl"
                )
            }
            _ = try await ServerProgram.run(
                ["-sk", "-X", "BREW", server.url + "/secret-path"],
                program: "/usr/bin/curl"
            )
            let text = try await get(admin + "/metrics").body
            let refusals = #"sync_server_refusals_total{code="unauthenticated"}"#
            #expect(value(refusals, in: text) == 1)
            #expect(text.contains(#"route="none""#))
            for word in ["secret", "ada", "BREW"] { #expect(!text.contains(word)) }
        }
    }

    @Test(.enabled(if: ProgramTests.hasCurl))
    func `the age of the last backup is shown`() async throws {
        try await withServer { _, data, admin in
            let backup = try await ServerProgram.run(["backup", data + "/../copy", "--data", data])
            #expect(backup.status == 0)
            let text = try await get(admin + "/metrics").body
            let seconds = try #require(value("sync_server_backup_timestamp_seconds", in: text))
            #expect(abs(Date().timeIntervalSince1970 - seconds) < 300)
        }
    }

    @Test(.enabled(if: ProgramTests.hasCurl))
    func `operators have a listener of their own, and clients none of its pages`() async throws {
        try await withServer { server, _, admin in
            for page in ["/healthz", "/readyz"] {
                let answer = try await get(admin + page)
                #expect(answer.status == "200" && answer.body == "ok\n", "\(answer)")
            }
            #expect(try await get(admin + "/v1/circle").status == "404")
            for page in ["/metrics", "/readyz"] {
                let answer = try await ServerProgram.run(
                    ["-sk", "-o", "/dev/null", "-w", "%{http_code}", server.url + page],
                    program: "/usr/bin/curl"
                )
                #expect(answer.output == "404")
            }
        }
    }

    @Test
    func `after a write that the disk refused the server is not healthy until one succeeds`()
        async throws
    {
        try await withFaultyStore { server, store in
            #expect(try await server.get("/healthz", token: nil).status == 200)
            store.fail(with: .storageFailed(code: 13))
            await #expect(throws: StoreError.self) {
                try await server.service.passTime(seconds: 1)
            }
            store.fail(with: nil)
            #expect(try await server.get("/healthz", token: nil).status == 503)
            try await server.service.passTime(seconds: 1)
            #expect(try await server.get("/healthz", token: nil).status == 200)
        }
    }

    @Test
    func `--admin takes a port or an address`() async throws {
        try await withTemporaryDirectory { directory in
            for word in ["70000", "host", "127.0.0.1:x", ""] {
                let result = try await ServerProgram.run(
                    ["serve", "--data", directory, "--admin", word]
                )
                #expect(result.status == 64 && result.errors.contains("--admin"), "\(result)")
            }
        }
    }
}
