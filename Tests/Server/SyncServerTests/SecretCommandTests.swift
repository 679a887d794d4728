import Foundation
import KSTestPrograms
import KSSealing
import Testing

import KSSyncServer

/// The token secret, as an operator of the built program uses it.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct SecretCommandTests {
    private static func contents(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    @Test
    func `a backup holds no secret, and a restore or a renewal ends every session`() async throws {
        try await withTemporaryDirectory { directory in
            let (data, backup) = (directory + "/data", directory + "/backup")
            let account = try TestAccount()
            var server = try await ServerProcess.start(data: data)
            try await LiveClient(server).signUp(account)
            var token = try await LiveClient(server).token(account)
            _ = try await LiveClient(server).changes("", token: token)
            #expect(try await ServerProgram.run(["backup", backup, "--data", data]).status == 0)
            let secretPath = data + "/token.secret"
            let secret = try Self.contents(secretPath)
            for file in [backup, data + "/store.sqlite"] {
                #expect(try Self.contents(file).range(of: secret) == nil)
            }
            let inUse = try await ServerProgram.run(["renew-secret", "--data", data])
            #expect(inUse.status == 77)
            expectOneSentence(inUse, saying: "stop it first")
            #expect(try Self.contents(secretPath) == secret)
            #expect(await server.stop().status == 0)

            for command in [["renew-secret"], ["restore", backup, "--force"]] {
                let before = try Self.contents(secretPath)
                let result = try await ServerProgram.run(command + ["--data", data])
                #expect(result.status == 0, "\(result)")
                #expect(try Self.contents(secretPath) != before)
                server = try await ServerProcess.start(data: data)
                let client = try LiveClient(server)
                await #expect(throws: UnexpectedStatus(status: 401)) {
                    try await client.changes("", token: token)
                }
                token = try await client.token(account)
                _ = try await client.changes("", token: token)
                #expect(await server.stop().status == 0)
            }
        }
    }

    @Test
    func `a malformed secret file is reported, with the way to make another`() async throws {
        try await withTemporaryDirectory { directory in
            try Data([1]).write(to: URL(filePath: directory + "/token.secret"))
            let result = try await ServerProgram.run(["serve", "--data", directory])
            #expect(result.status == 74)
            expectOneSentence(result, saying: "sync-server renew-secret")
            let missing = try await ServerProgram.run(["renew-secret", "--data", "/no/such"])
            #expect(missing.status == 74)
            expectOneSentence(missing, saying: "no data directory")
        }
    }
}
