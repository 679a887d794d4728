import GRDB
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A server that removes deleted records, and a device that was away for too long.
    struct RemovalTests {
        @Test
        func `a device that was away for long loses what others deleted, and nothing of its own`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                for service in ["old", "edited", "kept"] {
                    try await laptop.save(service, "first \(service)")
                }
                for device in devices { #expect(try await device.sync().status == 0) }
                await (try phone.runningDaemon).kill()
                for service in ["old", "edited"] {
                    let deleted = try await laptop.keychain(
                        "delete-generic-password",
                        "--sync",
                        "-s",
                        service
                    )
                    #expect(deleted.status == 0, "\(deleted)")
                }
                #expect(try await laptop.sync().status == 0)

                // It runs for a hundred days.
                try await world.server.stop()
                try await phone.startDaemon()
                try await phone.save("edited", "from the phone")
                let store = try DatabaseQueue(path: world.server.data + "/store.sqlite")
                try await store.write { database in
                    try database.execute(
                        sql: "UPDATE store SET served_seconds = served_seconds + 100 * 86400"
                    )
                }
                try await world.server.start(["--dormant-days", "60"])
                let isRemoved = try await eventually {
                    try await store.read { database in
                        try Int.fetchOne(database, sql: "SELECT removal_horizon FROM account") ?? 0
                    } > 0
                }
                let log = try world.server.log
                #expect(isRemoved, "\(log)")

                for device in [laptop, phone, laptop] {
                    let result = try await device.sync()
                    #expect(result.status == 0, "\(result)")
                }
                for device in devices {
                    let isGone = try await eventually {
                        try await device.password("old") == nil
                    }
                    #expect(isGone)
                    #expect(try await device.password("kept") == "first kept")
                    let isThere = try await eventually {
                        try await device.password("edited") == "from the phone"
                    }
                    #expect(isThere)
                }
                let deleted = try await phone.client("deleted")
                #expect(deleted.output.contains("old"), "\(deleted)")
                let home = try DatabaseQueue(path: phone.home + "/keychain.db")
                let stubs = try await home.read { database in
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM mirror WHERE is_stub")
                }
                #expect(stubs == 0)
            }
        }
    }
}
