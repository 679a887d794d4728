import Foundation
import KSPostgreSQLTestSupport
import KSTestPrograms
import KSTransport
import Testing

import KSSyncServer

/// Servers on a PostgreSQL database, as an operator of the built program runs them.
@Suite(
    .enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"),
    .timeLimit(.minutes(15))
)
struct DatabaseProgramTests {
    @Test
    func `two servers share accounts, invitations and tokens`() async throws {
        let schema = try TestPostgreSQL.makeSchema()
        let store = ["--store", schema.address]
        try await withTemporaryDirectory { directory in
            let invite = try await ServerProgram.run(["invite"] + store)
            #expect(invite.status == 0, "\(invite)")
            let code = invite.output.trimmingCharacters(in: .newlines)
            let options = store + ["--registration", "invite"]
            let first = try await ServerProcess.start(data: directory + "/1", arguments: options)
            let account = try TestAccount()
            await #expect(throws: UnexpectedStatus(status: 403)) {
                try await LiveClient(first).signUp(account)
            }
            try await LiveClient(first).signUp(account, invitation: code)
            let token = try await LiveClient(first).token(account)
            // The directory holds the certificate alone.
            let names = try FileManager.default.contentsOfDirectory(atPath: directory + "/1")
            #expect(names.sorted() == ["certificate.key", "certificate.pem", "lock"])

            let second = try await ServerProcess.start(data: directory + "/2", arguments: options)
            _ = try await LiveClient(second).changes("", token: token)
            #expect(await first.stop().status == 0)
            _ = try await LiveClient(second).changes("", token: token)
            #expect(await second.stop().status == 0)

            let renewed = try await ServerProgram.run(["renew-secret"] + store)
            #expect(renewed.status == 0, "\(renewed)")
            let third = try await ServerProcess.start(data: directory + "/1", arguments: options)
            let client = try LiveClient(third)
            await #expect(throws: UnexpectedStatus(status: 401)) {
                try await client.changes("", token: token)
            }
            #expect(await third.stop().status == 0)
        }
    }

    @Test
    func `a node that is stopped hands its streams over within five seconds`() async throws {
        let schema = try TestPostgreSQL.makeSchema()
        try await withTemporaryDirectory { directory in
            let options = ["--store", schema.address]
            let first = try await ServerProcess.start(data: directory + "/1", arguments: options)
            let second = try await ServerProcess.start(data: directory + "/2", arguments: options)
            let account = try TestAccount()
            try await LiveClient(first).signUp(account)
            let token = try await LiveClient(first).token(account)
            let request = TransportRequest(.get, "/v1/events", headers: LiveClient.bearer(token))
            let old = try LiveClient(first)
            let new = try LiveClient(second)
            var streams: [AsyncThrowingStream<ServerEvent, any Error>.AsyncIterator] = []
            for _ in 0..<4 {
                var stream = old.transport.events(request).makeAsyncIterator()
                #expect(try await stream.next()?.name == "changes")
                streams.append(stream)
            }
            let start = ContinuousClock.now
            let stop = Task { await first.stop() }
            for var stream in streams {
                // The reader reports the end of a stream as an error; only the end counts here.
                while case .some = try? await stream.next() {}
                var next = new.transport.events(request).makeAsyncIterator()
                #expect(try await next.next()?.name == "changes")
            }
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(await stop.value.status == 0)
            #expect(await second.stop().status == 0)
        }
    }

    @Test
    func `migrate says what it would do, does it once, and refuses a newer database`() async throws
    {
        let schema = try TestPostgreSQL.makeSchema()
        let migrate = ["migrate", "--store", schema.address]
        let planned = try await ServerProgram.run(migrate + ["--dry-run"])
        #expect(planned.status == 0 && planned.output == "would run v01-postgresql\n")
        #expect(try await ServerProgram.run(migrate).output == "ran v01-postgresql\n")
        #expect(try await ServerProgram.run(migrate).output == "the database is up to date\n")
        try schema.execute("UPDATE migration SET version = 99")
        let refused = try await ServerProgram.run(migrate)
        #expect(refused.status == 77)
        expectOneSentence(refused, saying: "newer sync-server")
        try schema.execute("UPDATE migration SET version = 1, is_unfinished = true")
        let unfinished = try await ServerProgram.run(["invite", "--store", schema.address])
        #expect(unfinished.status == 77)
        expectOneSentence(unfinished, saying: "a part of the tables")
    }

    @Test
    func `a wrong or missing database is one sentence`() async throws {
        let missing = "postgresql:///none?host=%2Fnonexistent"
        let away = try await ServerProgram.run(["invite", "--store", missing])
        #expect(away.status == 69)
        expectOneSentence(away, saying: "cannot be reached")
        for arguments in [
            ["serve"], ["serve", "--store", missing], ["invite"], ["invite", "--store", "file"],
            ["serve", "--data", "d", "--direct-store", missing],
        ] {
            #expect(try await ServerProgram.run(arguments).status == 64, "\(arguments)")
        }
    }
}
