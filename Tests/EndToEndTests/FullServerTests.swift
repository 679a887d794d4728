import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A server whose disk has no room left.
    struct FullServerTests {
        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a server on a full disk reports it, and accepts everything once there is room`()
            async throws
        {
            try await World.with { world in
                let disk = try #require(
                    try await SmallDisk.mount(at: world.serverData, in: world)
                )
                do {
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
                    try disk.free()
                    let synced = try await laptop.sync()
                    #expect(synced.status == 0, "\(synced)")
                    let phone = world.device("phone")
                    #expect(try await phone.logIn().status == 0)
                    for number in [1, saved] {
                        #expect(try await phone.password("service \(number)") == "one")
                    }
                    try await world.server.stop()
                } catch {
                    await disk.unmount()
                    throw error
                }
                await disk.unmount()
            }
        }
    }
}
