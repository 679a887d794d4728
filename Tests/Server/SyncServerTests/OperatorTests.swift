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
            #expect(
                result.errors.hasPrefix("sync-server: There is no data directory \(data): name the")
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test
    func `a nightly job keeps the newest backups of a directory`() async throws {
        try await withTemporaryDirectory { directory in
            let (data, folder) = (directory + "/data", directory + "/backups")
            let server = try await ServerProcess.start(data: data)
            #expect(await server.stop().status == 0)
            func back(_ words: [String] = []) async throws -> ProgramResult {
                try await ServerProgram.run(["backup", folder, "--data", data] + words)
            }
            let early = try await back(["--keep", "2"])
            #expect(early.status == 64 && early.errors.contains(folder), "\(early)")
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            let others = ["notes", "sync-server-old.backup", "sync-server-20200101-000000.backup"]
            for name in others { try Data().write(to: URL(filePath: folder + "/" + name)) }
            for count in 1...4 {
                let result = try await back(count < 3 ? [] : ["--keep", "2"])
                #expect(result.status == 0, "\(result)")
                let line = result.output.prefix { $0 != "\n" }
                let path = try #require(line.split(separator: " ").last)
                #expect(FileManager.default.fileExists(atPath: String(path)), "\(result)")
            }
            let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
            #expect(left.count == 4 && left.isSuperset(of: others.prefix(2)), "\(left)")
            #expect(!left.contains(others[2]))
            let newest = try #require(left.subtracting(others).max())
            let restore = ["restore", folder + "/" + newest, "--data", data, "--force"]
            #expect(try await ServerProgram.run(restore).status == 0)
            #expect(try await back(["--keep", "0"]).status == 64)
        }
    }

    @Test
    func `of the backups in a directory the oldest go, and never the new one`() {
        let times = ["20260101-000000", "20260102-000000", "20260103-000000"]
        let names = times.map { "sync-server-\($0).backup" }
        func removed(_ names: [String], _ written: String, _ count: Int) -> [String] {
            BackupFolder.removable(among: names, after: written, keeping: count)
        }
        #expect(removed(names, names[2], 3) == [])
        #expect(removed(names, names[2], 2) == [names[0]])
        #expect(removed(names, names[2], 1) == [names[0], names[1]])
        // The clock was set back.
        #expect(removed(names, names[0], 1) == [names[1], names[2]])
        #expect(removed(names, names[0], 2) == [names[1]])
        let partial = names.map { $0 + ".partial" }
        #expect(removed(names + partial, names[2], 2) == [names[0], partial[0]])
        let foreign = ["notes", "sync-server-1.backup", "x" + names[0], names[0] + "x"]
        #expect(removed(names + foreign, names[2], 2) == [names[0]])
        #expect(BackupFolder.name(digits: "20260103000000", among: []) == names[2])
        let second = BackupFolder.name(digits: "20260103000000", among: names)
        #expect(second == "sync-server-20260103-000000_002.backup")
        #expect(removed(names + [second], second, 2) == [names[0], names[1]])
        #expect([second, names[2]].sorted() == [names[2], second])
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
            let prefix = "the old store is now "
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
                (["backup", file, "--data", data], 77, "\(file) exists already"),
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
            (.storageFailed(code: 10), .disk, "check the disk"),
            (.storageFailed(code: 13), .disk, "The disk is full"),
            (.fileExists, .refused, "name another one"),
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
