import Foundation
import Glibc
import KSMerging
import KSRecords
import KSSealing
import KSStore
import KSTestPrograms
import Testing

import KSSyncServer

/// An operator's commands of the built program, and their error messages.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct OperatorTests {
    @Test
    func `a backup without a store is refused, and makes no store`() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            let result = try await ServerProgram.run(["backup", directory + "/b", "--data", data])
            #expect(result.status == 74)
            #expect(result.errors == "sync-server: There is no store in \(data).\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test
    func `a restore names the old store, and accepts only an undamaged backup`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (data, backup) = (directory + "/data", directory + "/backup")
            let server = try await ServerProcess.start(data: data)
            try await LiveClient(server).signUp(TestAccount())
            #expect(await server.stop().status == 0)
            #expect(try await ServerProgram.run(["backup", backup, "--data", data]).status == 0)
            func restore(_ file: String) async throws -> ProgramResult {
                try await ServerProgram.run(["restore", file, "--data", data, "--force"])
            }
            let missing = try await restore(directory + "/none")
            #expect(missing.status == 74 && missing.errors.contains("cannot be read"))
            try Data("no backup".utf8).write(to: URL(filePath: directory + "/text"))
            let text = try await restore(directory + "/text")
            #expect(text.status == 77 && text.errors.contains("is not a backup"))
            var bytes = try Data(contentsOf: URL(filePath: backup))
            for index in stride(from: 5000, to: bytes.count, by: 7) { bytes[index] ^= 0x5A }
            try bytes.write(to: URL(filePath: directory + "/damaged"))
            let damaged = try await restore(directory + "/damaged")
            #expect(damaged.status != 0 && damaged.output.isEmpty)

            let whole = try await restore(backup)
            #expect(whole.status == 0)
            let line = try #require(whole.output.split(separator: "\n").first)
            let prefix = "the store that was there is now "
            #expect(line.hasPrefix(prefix))
            let kept = String(line.dropFirst(prefix.count))
            #expect(FileManager.default.fileExists(atPath: kept))
        }
    }

    @Test
    func `a failed command prints one sentence that names the file`() async throws {
        try await withTemporaryDirectory { directory in
            let (data, garbage) = (directory + "/data", directory + "/garbage")
            #expect(await (try ServerProcess.start(data: data)).stop().status == 0)
            try FileManager.default.createDirectory(
                atPath: garbage,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let bytes = Data(repeating: UInt8(ascii: "x"), count: 8192)
            try bytes.write(to: URL(filePath: garbage + "/store.sqlite"))
            let file = directory + "/data/store.sqlite"
            let expected: [([String], Int32, String)] = [
                (
                    [
                        "serve", "--data", data, "--listen", "no-such-host.invalid:8443",
                        "--origin", "https://sync.example.org",
                    ], 69, "no-such-host.invalid is not an address"
                ),
                (["serve", "--data", garbage], 74, garbage + "/store.sqlite is not the store"),
                (["backup", "/no/such/dir/b", "--data", data], 74, "no directory for /no/such"),
                (["backup", file, "--data", data], 77, "a file \(file) already"),
                (["backup", "/dev/full/b", "--data", data], 74, "written to /dev/full/b"),
                (["show-record", "--data", data, "--account", "nobody"], 77, "no account of that"),
                (["show-record", "--data", data, "--account", ""], 77, "no account of that"),
            ]
            for (arguments, status, part) in expected {
                let result = try await ServerProgram.run(arguments)
                #expect(result.status == status, "\(result)")
                expectOneSentence(result, saying: part)
            }
            #expect(try Data(contentsOf: URL(filePath: garbage + "/store.sqlite")) == bytes)
        }
    }

    @Test
    func `each reason has an exit status and a sentence`() {
        let reasons: [(StoreError, ExitReason.Code, String)] = [
            (.storageFailed(code: 13), .disk, "check the disk"),
            (.fileExists, .refused, "nothing was overwritten"),
            (.notAStore, .refused, "not a backup"),
            (.damaged, .disk, "restore a backup"),
            (.newerVersion, .refused, "update this one"),
        ]
        for (error, code, sentence) in reasons {
            let reason = ExitReason(error)
            #expect(reason.code == code && reason.sentence.contains(sentence))
        }
        let address = ListenAddress(host: "::1", port: 443)
        #expect(
            address.sentence(errno: EACCES)
                == "This user may not listen on [::1]:443; ports below 1024 need a privilege."
        )
        #expect(address.sentence(errno: EIO).contains("error \(EIO)"))
    }

    @Test
    func `proofs are valid only for the origins that the operator names`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(
                data: directory,
                arguments: ["--origin", "https://sync.example.org"]
            )
            let account = try TestAccount()
            try await LiveClient(server).signUp(account)
            _ = try await LiveClient(server, origin: "https://sync.example.org").token(account)
            // Attack 22: another server may have the same address on its own loopback.
            for origin in [server.url, "https://evil.example.org"] {
                await #expect(throws: UnexpectedStatus(status: 403)) {
                    try await LiveClient(server, origin: origin).token(account)
                }
            }
            #expect(await server.stop().status == 0)
        }
    }

    @Test
    func `an account holds at most the operator's quota`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(
                data: directory,
                arguments: ["--quota", "1"]
            )
            let client = try LiveClient(server)
            let account = try TestAccount()
            let epoch = try #require(try await client.signUp(account))
            let token = try await client.token(account)
            let batches = try (1...6).map { actor in
                try account.batch(actor: UInt64(actor), count: 500, epoch: epoch)
            }
            try await client.push(batches[0], token: token)
            await #expect(throws: UnexpectedStatus(status: 507)) {
                for batch in batches.dropFirst() { try await client.push(batch, token: token) }
            }
            #expect(await server.stop().status == 0)
        }
    }
}
