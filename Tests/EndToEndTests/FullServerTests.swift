import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A server whose disk has no room left.
    struct FullServerTests {
        /// Commands of an operator on the full disk say so, and leave no files behind.
        private func expectNothingLeft(by disk: SmallDisk, in world: World) async throws {
            let (data, backup) = (world.serverData, world.path("backup"))
            func run(_ words: String...) async throws -> ProgramResult {
                try await RunningProgram("sync-server", words, folder: world.folder).result()
            }
            #expect(try await run("backup", backup, "--data", data).status == 0)
            let files = FileManager.default
            try Data(count: 32 << 10).write(to: URL(filePath: data + "/spare"))
            try disk.fill()
            let other = try await run("serve", "--data", data + "/new", "--listen", "127.0.0.1:0")
            // Backup and restore begin, and fail in the middle.
            try files.removeItem(atPath: data + "/spare")
            let names = try files.contentsOfDirectory(atPath: data).sorted()
            for result in [
                other, try await run("backup", data + "/second", "--data", data),
                try await run("restore", backup, "--data", data, "--force"),
            ] {
                #expect(result.status == 74, "\(result)")
                expectOneSentence(result, saying: "The disk is full")
            }
            #expect(try files.contentsOfDirectory(atPath: data).sorted() == names)
            try disk.free()
            let store = try Data(contentsOf: URL(filePath: data + "/store.sqlite"))
            try Data(count: store.count / 2).write(to: URL(filePath: data + "/spare"))
            try disk.fill()
            try files.removeItem(atPath: data + "/spare")
            let copied = try await run("copy", "--from", data, "--to", data + "/copy")
            #expect(copied.status == 74, "\(copied)")
            expectOneSentence(copied, saying: "--to: The disk is full")
            #expect(try files.contentsOfDirectory(atPath: data + "/copy") == ["lock"])
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a server on a full disk reports it, and accepts everything once there is room`()
            async throws
        {
            try await World.with { world in
                try await SmallDisk.with(at: world.serverData, in: world) { disk in
                    try await world.server.start()
                    let laptop = world.device("laptop")
                    try await laptop.startDaemon()
                    let signedUp = try await laptop.signUp()
                    #expect(signedUp.status == 0, "\(signedUp)")
                    try disk.fill()
                    // Its log has some room of its own: more is written than that holds.
                    let note = String(repeating: "x", count: 40_000)
                    var result = try await laptop.sync()
                    var saved = 0
                    while result.status == 0, saved < 200 {
                        saved += 1
                        try await laptop.save("service \(saved)", "one", ["-j", note])
                        result = try await laptop.sync()
                    }
                    #expect(result.status == 75, "\(saved) saved: \(result)")
                    expectOneSentence(result, saying: "The server's disk is full")
                    #expect(try world.server.log.contains("storage_failed"))
                    let check = try await laptop.client("status", "--check")
                    #expect(check.status == 75, "\(check)")
                    expectOneSentence(check, saying: "The server's disk is full")
                    try disk.free()
                    let synced = try await laptop.sync()
                    #expect(synced.status == 0, "\(synced)")
                    let phone = world.device("phone")
                    #expect(try await phone.logIn().status == 0)
                    for number in [1, saved] {
                        #expect(try await phone.password("service \(number)") == "one")
                    }
                    try await world.server.stop()
                    try await expectNothingLeft(by: disk, in: world)
                }
            }
        }
    }
}
