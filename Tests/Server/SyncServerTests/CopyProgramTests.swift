import Foundation
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSTestPrograms
import KSTestSupport
import KSWire
import Testing

import KSSyncServer

/// `sync-server copy`, as an operator runs it.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct CopyProgramTests {
    private func copy(
        _ from: String,
        _ to: String,
        _ words: String...
    ) async throws -> ProgramResult {
        try await ServerProgram.run(["copy", "--from", from, "--to", to] + words)
    }

    private struct Copied: Decodable {
        let accounts: Int
        let records: Int
        let equal: Bool
        let differing: [String]
        let notCopied: [String]
    }

    /// A server with an account of two records, and an unused invitation.
    private func withAccount(
        _ body: (_ data: String, TestAccount, _ token: String, _ invitation: String) async throws
            -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            let server = try await ServerProcess.start(data: data)
            let account = try TestAccount()
            let client = try LiveClient(server)
            let epoch = try #require(try await client.signUp(account))
            let token = try await client.token(account)
            try await client.push(account.batch(count: 2, epoch: epoch), token: token)
            let invited = try await ServerProgram.run(["invite", "--data", data])
            let refused = try await copy(data, directory + "/early")
            #expect(refused.status == 77, "\(refused)")
            expectOneSentence(refused, saying: "stop it first")
            #expect(await server.stop().status == 0)
            try await body(data, account, token, invited.output.trimmingCharacters(in: .newlines))
        }
    }

    @Test(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
    func `a copy to a database and back keeps sessions, invitations and records`() async throws {
        try await withAccount { data, account, token, invitation in
            let schema = try TestPostgreSQL.makeSchema()
            let back = data + "-back"
            let there = try await copy(data, schema.address)
            #expect(there.status == 0 && there.errors.isEmpty, "\(there)")
            let lines = there.output.split(separator: "\n")
            #expect(lines.first == "copied 1 account with 2 records: both sides are equal")
            #expect(lines.count == 3 && lines[1].contains(data + "/certificate.key"), "\(there)")
            let json = try await copy(schema.address, back, "--json")
            let copied = try JSONDecoder().decode(Copied.self, from: Data(json.output.utf8))
            #expect(copied.equal && copied.accounts == 1 && copied.records == 2)
            #expect(copied.differing.isEmpty && copied.notCopied.isEmpty)
            let names = try FileManager.default.contentsOfDirectory(atPath: back).sorted()
            #expect(names == ["invitations", "lock", "store.sqlite", "token.secret"])
            for options in [["--store", schema.address], []] {
                let server = try await ServerProcess.start(
                    data: back,
                    arguments: options + ["--registration", "invite"]
                )
                let client = try LiveClient(server)
                #expect(try await client.changes("", token: token).records.count == 2)
                try await client.signUp(TestAccount(seed: 2), invitation: invitation)
                if !options.isEmpty {
                    let late = try await copy(schema.address, data + "-late")
                    #expect(late.status == 77, "\(late)")
                    expectOneSentence(late, saying: "--from: Another sync-server")
                }
                #expect(await server.stop().status == 0)
            }
        }
    }

    @Test
    func `a refused copy says why, and leaves both sides as they are`() async throws {
        try await withAccount { data, _, _, _ in
            let other = data + "-other"
            let store = try Data(contentsOf: URL(filePath: data + "/store.sqlite"))
            let missing = "postgresql:///none?host=%2Fnonexistent"
            let used = data + "-used"
            try FileManager.default.createDirectory(
                atPath: used,
                withIntermediateDirectories: true
            )
            try Data([1]).write(to: URL(filePath: used + "/photo.jpg"))
            let cases: [(from: String, to: String, status: Int32, part: String)] = [
                (data, data, 77, "--to: There is a store already"),
                (data, data + "/../data", 77, "--to: There is a store already"),
                (other, data + "-x", 74, "--from: There is no data directory"),
                (data, missing, 69, "--to: The database cannot be reached"),
                (missing, other, 69, "--from: The database cannot be reached"),
                (data, "/proc/none", 74, "--to: The data directory /proc/none cannot be written"),
                (data, other + "/mistyped", 64, "--to: There is no directory \(other): make it"),
                (data, used, 77, "--to: The directory \(used) has files of something else"),
            ]
            for (from, to, status, part) in cases {
                let result = try await copy(from, to)
                #expect(result.status == status, "\(result)")
                expectOneSentence(result, saying: part)
            }
            #expect(try await copy(data, "mysql://host/name").status == 64)
            #expect(!FileManager.default.fileExists(atPath: other))
            #expect(try FileManager.default.contentsOfDirectory(atPath: used) == ["photo.jpg"])
            let after = try Data(contentsOf: URL(filePath: data + "/store.sqlite"))
            #expect(after == store)

            // As a copy leaves it that was killed.
            try FileManager.default.createDirectory(
                atPath: other,
                withIntermediateDirectories: true
            )
            try Data([1]).write(to: URL(filePath: other + "/store.sqlite.copying"))
            let begun = try await ServerProgram.run(["serve", "--data", other])
            #expect(begun.status == 1)
            expectOneSentence(begun, saying: "repeat sync-server copy")
            #expect(try await copy(data, other).status == 0)
            let check = try await ServerProgram.run(["check", "--data", other])
            #expect(check.output.contains("nothing is damaged"), "\(check)")
        }
    }

    @Test(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
    func `a copy that is killed leaves no store, and is repeated`() async throws {
        try await withAccount { data, _, token, _ in
            let schema = try TestPostgreSQL.makeSchema()
            try schema.open().close()
            // The copy never ends by itself.
            try schema.execute(
                """
                CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;
                CREATE TRIGGER wait BEFORE INSERT ON record EXECUTE FUNCTION wait();
                """
            )
            let folder = try TemporaryDirectory()
            let address = schema.address + "&application_name=\(schema.name)"
            let program = try await RunningProgram(
                "sync-server",
                ["copy", "--from", data, "--to", address],
                folder: folder.path,
                environment: ServerProgram.environment
            )
            let activity = "FROM pg_stat_activity WHERE application_name = '\(schema.name)'"
            let waiting = "SELECT count(*) \(activity) AND wait_event = 'PgSleep'"
            while try schema.integers(waiting) == [0] {
                try await Task.sleep(for: .milliseconds(20))
            }
            let locked = try await ServerProgram.run(["stats", "--data", data])
            #expect(locked.status == 0, "\(locked)")
            program.send(SIGKILL)
            _ = await program.result()
            // PostgreSQL would notice at the end of the statement.
            _ = try schema.integers("SELECT count(pg_terminate_backend(pid)) \(activity)")
            while try schema.integers("SELECT count(*) \(activity)") != [0] {
                try await Task.sleep(for: .milliseconds(20))
            }
            for command in ["stats", "invite"] {
                let refused = try await ServerProgram.run([command, "--store", schema.address])
                #expect(refused.status == 1, "\(refused)")
                expectOneSentence(refused, saying: "repeat sync-server copy")
            }
            await #expect(throws: ServerProcess.NoServer.self) {
                try await ServerProcess.start(
                    data: data + "-new",
                    arguments: ["--store", schema.address]
                )
            }
            try schema.execute("DROP TRIGGER wait ON record")
            let again = try await copy(data, schema.address)
            #expect(again.status == 0, "\(again)")
            let server = try await ServerProcess.start(
                data: data + "-new",
                arguments: ["--store", schema.address]
            )
            let client = try LiveClient(server)
            #expect(try await client.changes("", token: token).records.count == 2)
            #expect(await server.stop().status == 0)
        }
    }

    @Test(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
    func `an account that differs is named, and the copy is no store`() async throws {
        try await withAccount { data, account, _, _ in
            let schema = try TestPostgreSQL.makeSchema()
            try schema.open().close()
            try schema.execute(
                """
                CREATE FUNCTION bend() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN NEW.boxes = '\\x00'; RETURN NEW; END $$;
                CREATE TRIGGER bend BEFORE INSERT ON record FOR EACH ROW EXECUTE FUNCTION bend();
                """
            )
            let result = try await copy(data, schema.address)
            let id = Hexadecimal.text(Array(account.id.bytes.prefix(4)))
            #expect(result.status == 1 && result.errors.isEmpty, "\(result)")
            #expect(result.output.hasPrefix("the account \(id) differs\n"), "\(result)")
            let refused = try await ServerProgram.run(["stats", "--store", schema.address])
            #expect(refused.status == 1, "\(refused)")
        }
    }

    @Test(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
    func `a record of a database is shown, and its backup is PostgreSQL's`() async throws {
        try await withAccount { data, account, _, _ in
            let schema = try TestPostgreSQL.makeSchema()
            #expect(try await copy(data, schema.address).status == 0)
            for seq in [["--seq", "1"], []] {
                let show = ["show-record", "--account", account.name] + seq
                let file = try await ServerProgram.run(show + ["--data", data])
                let database = try await ServerProgram.run(show + ["--store", schema.address])
                #expect(file.status == 0 && file.output.hasPrefix("record "), "\(file)")
                #expect(database.output == file.output, "\(database)")
            }
            let show = ["show-record", "--store", schema.address, "--account"]
            #expect(try await ServerProgram.run(show + ["nobody"]).status == 77)
            let backup = ["backup", data + "-backup", "--store", schema.address]
            let refused = try await ServerProgram.run(backup)
            #expect(refused.status == 64, "\(refused)")
            for part in ["pg_dump", "pg_basebackup", "renew-secret"] {
                expectOneSentence(refused, saying: part)
            }
            #expect(!FileManager.default.fileExists(atPath: data + "-backup"))
        }
    }
}
