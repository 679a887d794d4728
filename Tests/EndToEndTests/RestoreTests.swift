import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A server that an operator restores, and the message on a device.
    struct RestoreTests {
        @Test
        func `a restored server has the backup's records, and devices lose nothing`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let backup = world.path("backup")
                func server(_ arguments: String...) async throws -> ProgramResult {
                    try await RunningProgram(
                        "sync-server",
                        arguments + ["--data", world.serverData],
                        folder: world.folder
                    ).result()
                }
                func record(_ seq: Int) async throws -> ProgramResult {
                    try await server(
                        "show-record",
                        "--account",
                        World.account,
                        "--seq",
                        String(seq)
                    )
                }
                try await laptop.save("before", "one")
                #expect(try await laptop.sync().status == 0)
                let before = try await record(1)
                #expect(before.status == 0, "\(before)")
                #expect(try await server("backup", backup).status == 0)
                try await laptop.save("after", "two")
                #expect(try await laptop.sync().status == 0)
                #expect(try await record(2).status == 0)

                try await world.server.stop()
                let restored = try await server("restore", backup, "--force")
                #expect(restored.status == 0, "\(restored)")
                #expect(restored.output.hasSuffix("restored from \(backup)\n"), "\(restored)")
                #expect(try await record(1).output == before.output)
                let lost = try await record(2)
                #expect(lost.status == 77)
                expectOneSentence(lost, saying: "no such record")

                try await world.server.start()
                // The device has not heard of it, and its passwords were sent.
                let logout = try await laptop.client("logout")
                #expect(logout.status == 77, "\(logout)")
                expectOneSentence(logout, saying: "the server may not have all")
                let sync = try await laptop.sync()
                #expect(sync.status == 1, "\(sync)")
                expectOneSentence(sync, saying: "Sync is paused")
                let status = try await laptop.client("status")
                #expect(status.output.contains("\npaused "), "\(status)")
                #expect(try await laptop.password("before") == "one")
                #expect(try await laptop.password("after") == "two")
            }
        }
    }
}
